#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module package_repair: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: package_repair
short_description: Finish what an interrupted run of the package manager left behind
description:
  - A run of apt that was cut off (power, a lost connection, a killed process) leaves packages half installed and the
    updates of dpkg unmerged. apt then refuses to install, and C(ansible.builtin.apt) even to refresh its lists.
  - Waits until no other process works on packages, lets dpkg configure what can be configured, and reads the lists anew
    if packages are left that must be installed again.
  - A package that dpkg can only reinstall is removed if it is one of O(packages), so that any version of it can follow.
  - A package that cannot be configured is no failure here, for the transaction that follows may bring what it lacks
    (a driver that compiles on a new kernel, say). RV(after) names it.
  - A power cut leaves lists of apt that are shorter than their repository tells, and C(apt-get update) takes them for
    good (seen with apt 2.6). They are removed, so that the next one fetches them.
  - Configuration files that an administrator changed stay as they are.
  - rpm, when it is cut off between a new version of a package and the old one, leaves both. The one that was there
    before is erased, if it is one of O(packages). rpm keeps no other trace, and refuses nothing.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  packages:
    description:
      - Packages that are installed or removed next, and so may be removed if dpkg says that they must be reinstalled.
      - No other package is removed.
    type: list
    elements: str
    default: []
  manager:
    description: The package manager of the node.
    type: str
    choices: [apt, dnf, zypper]
    default: apt
  lock_timeout:
    description:
      - Seconds to wait for another run of the collection on the node, and again for another process that works on
        packages. The latter is apt's alone; rpm waits by itself.
    type: int
    default: 300
  timeout:
    description: Seconds that configuring may take. Drivers are built in it.
    type: int
    default: 3600
attributes:
  check_mode:
    description: Can run in check mode. Says which packages would be configured, not whether that succeeds.
    support: full
  diff_mode:
    description: Shows the packages that are half done, before and after.
    support: full
  idempotent:
    description: A second run changes nothing unless a package can never be configured.
    support: full
"""

EXAMPLES = r"""
- name: Finish what was interrupted
  instinct.fleet.package_repair:
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
  sample: [finish amdgpu-dkms (half-configured)]
before:
  description: Packages that were half done, with their state, and lists that were not whole.
  type: list
  elements: str
  returned: success
after:
  description: Those that still are; in check mode none is predicted.
  type: list
  elements: str
  returned: success
error:
  description: Why dpkg or rpm could not finish them; empty if it could.
  type: str
  returned: success
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import contextlib
import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act.lock import node_lock
from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._act.repair import configure, forget_lists, half_done, interrupted, read_lists, remove_unusable
from ..module_utils._act.rpm import duplicates, erase
from ..module_utils._node.machine import Machine

SPEC: dict[str, t.Any] = {
    "packages": {"type": "list", "elements": "str", "default": []},
    "manager": {"type": "str", "choices": ["apt", "dnf", "zypper"], "default": "apt"},
    "lock_timeout": {"type": "int", "default": 300},
    "timeout": {"type": "int", "default": 3600},
}


def act(module: AnsibleModule) -> Outcome:
    """Look, repair, look again."""
    with contextlib.nullcontext() if module.check_mode else node_lock(module.params["lock_timeout"]):
        return (act_dpkg if module.params["manager"] == "apt" else act_rpm)(module)


def act_rpm(module: AnsibleModule) -> Outcome:
    """Erase what rpm left beside its successor."""
    machine, ours = Machine(), module.params["packages"]
    found = duplicates(machine)
    todo = tuple(p for p in found if p.name in ours)
    error = erase(todo) if todo and not module.check_mode else ""
    left = found if module.check_mode else duplicates(machine)
    before, after = ([f"{p.name} {p.version} (duplicate)" for p in some] for some in (found, left))
    done = [f"{p.name} {p.version} (duplicate)" for p in todo if module.check_mode or p not in left]
    return outcome(tuple(f"erase {name}" for name in done), before, [] if module.check_mode else after, error)


def outcome(actions: tuple[str, ...], before: t.Sequence[str], left: t.Sequence[str], error: str) -> Outcome:
    """What the module returns."""
    diff = {
        "before_header": "packages half done",
        "after_header": "packages half done",
        "before": "".join(name + "\n" for name in before),
        "after": "".join(name + "\n" for name in left),
    }
    return Outcome(actions, (diff,) if actions else (), {"before": list(before), "after": list(left), "error": error})


def act_dpkg(module: AnsibleModule) -> Outcome:
    """Look, configure, look again."""
    before, merge = half_done(), interrupted()
    after, error, removed = before, "", ()
    lists = forget_lists(module.check_mode)
    if (before or merge) and not module.check_mode:
        error = configure(module.params["lock_timeout"], module.params["timeout"])
        removed = remove_unusable(module.params["packages"])
        after = half_done()
        if after:
            read_lists(module.params["timeout"])
    left = () if module.check_mode else after
    actions = tuple(f"finish {name}" for name in before if name not in left and name.split()[0] not in removed)
    actions += tuple(f"remove {name}, which could only be reinstalled" for name in removed)
    actions += ("merge the updates of dpkg",) if merge else ()
    actions += tuple(f"remove {path}, which is not whole" for path in lists)
    return outcome(actions, (*before, *(f"{path} (not whole)" for path in lists)), left, error)


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
