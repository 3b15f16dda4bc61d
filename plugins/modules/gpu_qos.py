#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module gpu_qos: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_qos
short_description: Bring the GPUs of a node to a named profile of power, clocks and links, and prove it
description:
  - A profile says what the power cap, the performance level, limits of clocks, determinism, the policies of the SoC and
    of XGMI links, process isolation, NUMA balancing and the CPUs for interrupts should be.
  - Everything is judged before the first write. The limits of the board, what the product, its driver and the binding
    take, and whether a GPU is a virtual function.
  - Trusts no return code. Each setting is read back. If one is not as it should be, all that was set goes back to what
    it was, and the result says for each setting what became of it.
  - What was before the first profile is kept in C(/var/lib/instinct/qos.json). O(state=restored) brings it back, and so
    does a profile that leaves a setting of the last one out.
  - An action plugin on the controller reads profiles and what products take, and gives them to the module.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
extends_documentation_fragment:
  - instinct.fleet._qos
options:
  state:
    description:
      - V(applied) brings the node to the profile that is due now.
      - V(asserted) reports whether it is so, changes nothing, and does not fail because it is not.
      - V(restored) brings it back to what it was before any profile.
    type: str
    choices: [applied, asserted, restored]
    default: applied
  actor:
    description: Who asks, for the journal of the node. By default the user of the controller.
    type: str
  profile_data:
    description: The profiles themselves. The action plugin fills it in.
    type: list
    elements: dict
    default: []
  product_data:
    description: What products take. The action plugin fills it in.
    type: dict
attributes:
  check_mode:
    description: Says what would be set; refuses what would be refused.
    support: full
  diff_mode:
    description: Shows the settings that change, a line each.
    support: full
  idempotent:
    description: A node that is as wanted is not touched.
    support: full
  action:
    description: Has an action plugin on the controller.
    support: full
seealso:
  - module: instinct.fleet.gpu_qos_files
"""

EXAMPLES = r"""
- name: By day for serving, by night for steady training
  instinct.fleet.gpu_qos:
    profile: serving
    schedule:
      - {profile: night_training, begins: "22:00", ends: "06:00"}

- name: As it was before
  instinct.fleet.gpu_qos:
    state: restored
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words. The node changed exactly if there are any.
  type: list
  elements: str
  returned: success
  sample: ["set power cap of 0000:03:00.0 to 275 W (was 300 W)"]
profile:
  description: The profile that is due; empty where none is, and the earlier state is.
  type: str
  returned: when it was not refused
as_wanted:
  description: Whether everything reads back as wanted, but for what is in RV(unsupported).
  type: bool
  returned: when it was not refused
settings:
  description: Each setting with C(target) (a PCI address, or V(node)), C(setting), C(wanted), C(before), C(after),
    C(result) (V(unchanged), V(applied), V(would_change), V(differs), V(failed), V(rolled_back), V(not_restored)),
    C(reason), and C(mark), which is V(enforcing) where the device or the kernel sees to it, and V(cooperative) where
    another program may undo it, as irqbalance moves interrupts.
  type: list
  elements: dict
  returned: when it was not refused, also on failure
unsupported:
  description: Each setting of the profile that was left out, with C(target), C(setting), C(wanted) and C(reason).
  type: list
  elements: dict
  returned: when it was not refused, also on failure
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act.outcome import finish
from ..module_utils._qos.apply import run
from ..module_utils._qos.request import from_options

SPEC = {
    "state": {"type": "str", "choices": ["applied", "asserted", "restored"], "default": "applied"},
    "profile": {"type": "str", "default": ""},
    "schedule": {"type": "list", "elements": "dict", "default": [], "options": {
        "profile": {"type": "str", "required": True},
        "days": {"type": "list", "elements": "str", "choices": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]},
        "begins": {"type": "str", "required": True}, "ends": {"type": "str", "required": True},
        "zone": {"type": "str"}}},
    "gpus": {"type": "list", "elements": "str", "default": []},
    "catalogue_dirs": {"type": "list", "elements": "path", "default": []},
    "unsupported": {"type": "str", "choices": ["refuse", "say"], "default": "refuse"},
    "timeout": {"type": "int", "default": 60},
    "lock_timeout": {"type": "int", "default": 30},
    "actor": {"type": "str"},
    "profile_data": {"type": "list", "elements": "dict", "default": []},
    "product_data": {"type": "dict"},
}


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: run(from_options(module.params, module.check_mode)))


if __name__ == "__main__":
    main()
