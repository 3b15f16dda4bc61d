#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module gpu_partition: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_partition
short_description: Bring the GPUs of a node to the wanted partitions, and prove it
description:
  - Takes compute and memory modes by the name of a profile or as rules, and brings the node there in order. Memory
    modes first, each once for its hive, then a reload of the driver where the mode needs one, then compute modes.
  - Refuses before the first change whatever can be refused. Pairs of modes that the product does not have, processes
    that hold GPUs (named with pid, command and unit), reservations that would not fit any more, a reload that would
    bring another driver than the one that runs.
  - Ends no process. Drain the node first, or name the units that may be stopped meanwhile in O(stop_units). They are
    started again whatever happens, by the next run if this one was killed.
  - Trusts no return code. Each GPU is read back after the change. If one fails, all go back to the modes they had
    before, as far as they can, and the result says for each GPU what became of it.
  - An action plugin on the controller reads profiles and what products can be, and gives them to the module.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
extends_documentation_fragment:
  - instinct.fleet._partition
options:
  state:
    description:
      - V(applied) brings the node there.
      - V(asserted) reports whether it is so, changes nothing, and does not fail because it is not.
      - V(exported) returns what the node is now as a profile in RV(profile).
    type: str
    choices: [applied, asserted, exported]
    default: applied
  profile:
    description: Name of a profile of the collection or of O(catalogue_dirs). Either this or O(gpus) must be given,
      except with O(state=exported).
    type: str
    default: ""
  name:
    description: Name of the profile that O(state=exported) returns.
    type: str
    default: exported
  actor:
    description: Who asks, for the journal of the node. By default the user of the controller.
    type: str
  profile_data:
    description: The profile itself. The action plugin fills it in.
    type: dict
  capability_data:
    description: What products can be. The action plugin fills it in.
    type: dict
attributes:
  check_mode:
    description: Says what would be done, and the devices that come of it. Whether the node would let it happen now is
      said in RV(notes).
    support: full
  diff_mode:
    description: Shows the logical devices before and after, a line each.
    support: full
  idempotent:
    description: A node that is as wanted is not touched.
    support: full
  action:
    description: Has an action plugin on the controller.
    support: full
seealso:
  - module: instinct.fleet.gpu_driver_load
"""

EXAMPLES = r"""
- name: One device for each accelerator die, on a drained node
  instinct.fleet.gpu_partition:
    profile: cpx-nps4
    stop_units: [slurmd.service, gpuagent.service]

- name: The first two GPUs alone
  instinct.fleet.gpu_partition:
    gpus:
      - gpus: [0, 1]
        compute: CPX
        memory: NPS1

- name: What is the node now?
  instinct.fleet.gpu_partition:
    state: exported
    name: as-found
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words. The node changed exactly if there are any.
  type: list
  elements: str
  returned: always
  sample: [set memory partition NPS4 on 8 GPUs (was NPS1), reload amdgpu]
as_wanted:
  description: Whether every GPU is what was wanted of it.
  type: bool
  returned: when O(state) is not V(exported)
gpus:
  description: Each GPU that is wanted, with C(bdf), C(product), C(before), C(wanted) and C(after) as C(CPX/NPS4),
    C(result) (V(unchanged), V(applied), V(would_change), V(failed), V(rolled_back), V(not_restored)) and C(reason).
  type: list
  elements: dict
  returned: when O(state) is not V(exported), also on failure
devices:
  description: The logical devices that there are now, or would be in check mode, with C(gpu), C(gpu_index),
    C(gpu_uuid), C(partition), C(index), C(product), C(compute), C(memory), C(xcds), C(compute_units), C(memory_bytes),
    C(memory_domain), C(numa_node), C(render_node), C(uuid) and C(seen).
  type: list
  elements: dict
  returned: when O(state) is not V(exported), also on failure
devices_before:
  description: The same before the change.
  type: list
  elements: dict
  returned: when O(state) is not V(exported), also on failure
changes:
  description: The ordered changes with C(action) (V(memory), V(reload), V(compute)), C(gpus), C(mode), C(before) and
    C(words).
  type: list
  elements: dict
  returned: when O(state) is not V(exported), also on failure
reload:
  description: Why the driver is reloaded; empty if it is not.
  type: str
  returned: when O(state) is not V(exported), also on failure
reboot_required:
  description: Why only a reboot brings what is wanted; empty if none is needed.
  type: str
  returned: when O(state) is not V(exported), also on failure
notes:
  description: What a person should know and that changes nothing.
  type: list
  elements: str
  returned: when O(state) is not V(exported), also on failure
findings:
  description: Where the node and what is known of its product disagree.
  type: list
  elements: dict
  returned: when O(state) is not V(exported), also on failure
units:
  description: Units that were C(stopped) and C(started) again, and those that C(failed) to start, with the reason.
  type: dict
  returned: when O(state) is not V(exported), also on failure
  sample: {"stopped": ["slurmd.service"], "started": ["slurmd.service"], "failed": {}}
profile:
  description: What the node is now, as the document of a profile.
  type: dict
  returned: when O(state) is V(exported)
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act.outcome import finish
from ..module_utils._partition.apply import run
from ..module_utils._partition.request import from_options

SPEC = {
    "state": {"type": "str", "choices": ["applied", "asserted", "exported"], "default": "applied"},
    "profile": {"type": "str", "default": ""},
    "gpus": {"type": "list", "elements": "dict", "default": [], "options": {
        "gpus": {"type": "raw", "required": True}, "compute": {"type": "str", "required": True},
        "memory": {"type": "str", "required": True}}},
    "catalogue_dirs": {"type": "list", "elements": "path", "default": []},
    "accept": {"type": "list", "elements": "str", "choices": ["documented", "allowed", "experimental"],
               "default": ["documented"]},
    "stop_units": {"type": "list", "elements": "str", "default": []},
    "reload_allowed": {"type": "bool", "default": True},
    "reservations": {"type": "list", "elements": "dict", "default": [], "options": {
        "tenant": {"type": "str", "required": True}, "devices": {"type": "list", "elements": "str", "default": []},
        "count": {"type": "int"}, "of": {"type": "str", "choices": ["gpu", "device"], "default": "device"}}},
    "timeout": {"type": "int", "default": 300},
    "lock_timeout": {"type": "int", "default": 30},
    "name": {"type": "str", "default": "exported"},
    "actor": {"type": "str"},
    "profile_data": {"type": "dict"},
    "capability_data": {"type": "dict"},
}


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: run(from_options(module.params, module.check_mode)))


if __name__ == "__main__":
    main()
