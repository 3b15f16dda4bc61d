#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module host_tuning: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: host_tuning
short_description: Give a host the settings that its GPUs need, prove them, and give back what was before
description:
  - Kernel arguments, sysctls, limits, access control of PCI (ACS), unattended upgrades and an environment for programs,
    by a named profile. Settings and profiles are data with sources; see docs/tuning.md.
  - Kernel arguments are appended and never replaced. On Debian and Ubuntu a file in C(/etc/default/grub.d) does so,
    elsewhere C(grubby). What is there already is not given twice, and what contradicts a setting is refused.
  - What the running kernel can take is set at once and read back. What needs a reboot is said in RV(reboot_required);
    nothing is rebooted.
  - What a sysctl or a register was before is written down in C(/var/lib/instinct/tuning.json), and given back once the
    setting is wanted no more.
  - An environment variable or kernel argument that does nothing on the node's products or its ROCm is refused.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  state:
    description:
      - V(present) brings about the settings, and takes back those of earlier runs that are not among them.
      - V(absent) takes all of them back.
      - V(verified) changes nothing, and RV(settings) says how each is. A difference is no failure.
    type: str
    choices: [present, absent, verified]
    default: present
  profile:
    description: Name of a profile. Empty means that O(also) names all settings.
    type: str
    default: ""
  also:
    description: Ids of settings besides those of the profile.
    type: list
    elements: str
    default: []
  skip:
    description: Ids of settings that are left out.
    type: list
    elements: str
    default: []
  values:
    description: Id of a setting to the value that it has here, in place of that of the catalogue.
    type: dict
    default: {}
  catalogue_dirs:
    description: Directories of the control machine with settings and profiles of the site. Later ones win.
    type: list
    elements: path
    default: []
  timeout:
    description: Seconds that each program may take, the one that writes the menu of GRUB among them.
    type: int
    default: 300
  lock_timeout:
    description: Seconds to wait for another run that acts on the node.
    type: int
    default: 30
  chosen:
    description: Settings of the node. The action plugin on the control machine fills this in.
    type: list
    elements: dict
    default: []
attributes:
  check_mode:
    description: Can run in check mode and report what would change. RV(settings) are those of before then.
    support: full
  diff_mode:
    description: Shows each file before and after.
    support: full
  idempotent:
    description: A second run changes nothing.
    support: full
  action:
    description: Has an action plugin on the controller.
    support: full
seealso:
  - module: instinct.fleet.node_boot
"""

EXAMPLES = r"""
- name: A host that serves models
  instinct.fleet.host_tuning:
    profile: inference
    also: [huge-pages]
    values: {huge-pages: "1024"}

- name: Is it as it should be?
  instinct.fleet.host_tuning:
    profile: inference
    state: verified

- name: Give back what was before
  instinct.fleet.host_tuning:
    state: absent
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
  sample: [write /etc/default/grub.d/80-instinct-tuning.cfg, write the GRUB menu]
settings:
  description: Each setting of the node, as it is now.
  type: list
  elements: dict
  returned: success
  contains:
    id:
      description: Of the setting.
      type: str
      returned: always
    kind:
      description: Such as C(kernel_argument) and C(sysctl).
      type: str
      returned: always
    name:
      description: What is set.
      type: str
      returned: always
    wanted:
      description: The value that it should have.
      type: str
      returned: always
    found:
      description: What is there; null if that is not known.
      type: str
      returned: always
    mark:
      description: C(enforcing), or C(cooperative) for what programs follow of their own will.
      type: str
      returned: always
    state:
      description:
        - C(ok); C(reboot), it holds from the next boot on; C(differs); C(unknown); C(none), the node has no use for it.
      type: str
      returned: always
    why:
      description: What the state is due to; empty where it is C(ok).
      type: str
      returned: always
left:
  description: Id of a setting of the profile that the node does not get, to the reason.
  type: dict
  returned: success
  sample: {"compaction": "it is for MI300A"}
notes:
  description: What a person should know of the settings, such as values that change nothing.
  type: list
  elements: str
  returned: success
as_wanted:
  description: Whether every setting that the node has a use for is C(ok).
  type: bool
  returned: success
reboot_required:
  description: Whether the running kernel has other arguments than it should have.
  type: bool
  returned: success
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import contextlib
import dataclasses as dc
import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act import tuning, tuning_seen
from ..module_utils._act.lock import node_lock
from ..module_utils._act.outcome import Failed, Outcome, finish
from ..module_utils._core.tuning import verify
from ..module_utils._core.tuning.plan import plan, refuse
from ..module_utils._core.tuning.setting import Setting

NAMES: dict[str, t.Any] = {"type": "list", "elements": "str", "default": []}
SPEC: dict[str, t.Any] = {
    "state": {"type": "str", "choices": ["present", "absent", "verified"], "default": "present"},
    "profile": {"type": "str", "default": ""},
    "also": NAMES,
    "skip": NAMES,
    "values": {"type": "dict", "default": {}},
    "catalogue_dirs": {"type": "list", "elements": "path", "default": []},
    "timeout": {"type": "int", "default": 300},
    "lock_timeout": {"type": "int", "default": 30},
    "chosen": {"type": "list", "elements": "dict", "default": []},
}


def act(module: AnsibleModule) -> Outcome:
    """Look, plan, do, look again."""
    asked = module.params
    settings = tuple(Setting.given(raw) for raw in asked["chosen"])
    only_look = asked["state"] == "verified"
    with contextlib.nullcontext() if only_look or module.check_mode else node_lock(asked["lock_timeout"]):
        before = after = tuning_seen.seen(settings)
        if not only_look:
            refuse(settings, before)
        todo = left = plan(settings, before)
        if todo.actions and not only_look and not module.check_mode:
            tuning.carry_out(todo, asked["timeout"])
            after = tuning_seen.seen(settings)
            left = plan(settings, after)
    found = verify.verdicts(settings, after, {change.wanted.path for change in left.files})
    values = {"settings": [dc.asdict(one) for one in found], "as_wanted": verify.as_wanted(found),
              "reboot_required": verify.reboot_required(settings, before, found)}
    wrong = None if only_look or module.check_mode else verify.failure(found)
    if wrong:
        raise Failed(wrong, **values)
    if only_look:
        return Outcome(values=values)
    return Outcome(todo.actions, tuple(change.diff() for change in (*todo.files, *todo.closing)), values)


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
