#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module package_remove: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: package_remove
short_description: Remove packages by name, and nothing with them
description:
  - Removes the packages named, if the package manager can do that without removing any other. What still needs one of
    them is another hand's, so the task fails then, before anything is changed.
  - With dnf and zypper, whether the repositories have what comes afterwards is asked first, if O(successors) says what.
  - Packages that are not there are no failure. Configuration files stay, unless O(purge) is true.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  names:
    description: Names of packages, without patterns.
    type: list
    elements: str
    required: true
  manager:
    description: The node's package manager.
    type: str
    choices: [apt, dnf, zypper]
    default: apt
  purge:
    description: Whether apt removes configuration files too. rpm keeps those that were changed, under another name.
    type: bool
    default: false
  way_out:
    description: What can be done where other packages need these and should stay, in the words of a refusal.
    type: str
    default: ""
  successors:
    description:
      - Packages that will be installed afterwards, in the words of the package manager. Nothing is removed unless the
        repositories have them all. Not used with apt, for which M(instinct.fleet.package_available) asks.
    type: list
    elements: str
    default: []
  repositories:
    description: The repositories that must have O(successors). Without it any will do. Used with zypper only.
    type: list
    elements: str
    default: []
  lock_timeout:
    description:
      - Longest time in seconds to wait for another run of the collection on the node, and again for another process
        that works on packages. The latter is apt's alone; rpm waits by itself, for as long as O(timeout).
    type: int
    default: 300
  timeout:
    description: Longest time in seconds for the removal.
    type: int
    default: 1800
attributes:
  check_mode:
    description: Can run in check mode and report what would change; the package manager is asked all the same.
    support: full
  diff_mode:
    description: Shows the packages that are there among those named, before and after.
    support: full
  idempotent:
    description: A second run with the same options changes nothing.
    support: full
seealso:
  - module: instinct.fleet.package_hold
"""

EXAMPLES = r"""
- name: Remove an old ROCm
  instinct.fleet.package_remove:
    names: [rocm-core7.0.2, rocminfo7.0.2, amd-smi-lib7.0.2]
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
  sample: [remove rocminfo]
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import contextlib
import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act import removal
from ..module_utils._act.lock import node_lock
from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._core.act.holds import checked_names

SPEC: dict[str, t.Any] = {
    "names": {"type": "list", "elements": "str", "required": True},
    "manager": {"type": "str", "choices": ["apt", "dnf", "zypper"], "default": "apt"},
    "purge": {"type": "bool", "default": False},
    "way_out": {"type": "str", "default": ""},
    "successors": {"type": "list", "elements": "str", "default": []},
    "repositories": {"type": "list", "elements": "str", "default": []},
    "lock_timeout": {"type": "int", "default": 300},
    "timeout": {"type": "int", "default": 1800},
}


def act(module: AnsibleModule) -> Outcome:
    """Ask what is there and what would happen, then remove."""
    with contextlib.nullcontext() if module.check_mode else node_lock(module.params["lock_timeout"]):
        return remove(module)


def remove(module: AnsibleModule) -> Outcome:
    """The same, while no other run acts on the node."""
    manager = module.params["manager"]
    names = removal.present(checked_names(module.params["names"], manager), manager)
    if not names:
        return Outcome()
    removal.refuse_without(module.params["successors"], module.params["repositories"], manager)
    removal.rehearse(names, manager, module.params["way_out"])
    if not module.check_mode:
        removal.remove(names, manager, *(module.params[name] for name in ("purge", "lock_timeout", "timeout")))
    before = "".join(f"{name}\n" for name in names)
    diff = {"before_header": "packages", "after_header": "packages", "before": before, "after": ""}
    return Outcome(tuple(f"remove {name}" for name in names), (diff,))


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
