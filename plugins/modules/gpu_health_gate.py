#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module gpu_health_gate: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_health_gate
short_description: Judge whether a GPU node may take work
description:
  - Looks at the node and judges it by a health profile. Each check is V(pass), V(warn), V(fail) or V(unknown), with
    what was wanted, what was seen and what to do. No data is V(unknown), never V(pass) and never V(fail); the profile
    says whether it keeps the node from work.
  - An action plugin on the controller reads profiles and faults, and gives them to the module.
  - Writes nothing but what it remembers in C(/var/lib/instinct). The last verdict by each profile (C(health.json)), a
    line for each time that one changed (C(health.jsonl)), the baseline, and a quarantine.
  - A node in quarantine fails, whatever its GPUs show.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  profile:
    description: Name of the profile. V(admission), V(burn_in) or V(running) of the collection, or one of
      O(catalogue_dirs).
    type: str
    default: admission
  catalogue_dirs:
    description: Directories on the controller with profiles and faults of the site. Of the same name a later one
      counts.
    type: list
    elements: path
    default: []
  wait:
    description: Look again until the node passes. By default it is looked at once.
    type: dict
    suboptions:
      timeout:
        description: Seconds after which the last verdict stands. By default what the profile says.
        type: int
      interval:
        description: Seconds between looks.
        type: int
        default: 5
  timeout:
    description: Seconds after which one look ends with what it has.
    type: int
    default: 30
  baseline:
    description:
      - V(compare) holds counters against the node's baseline, which is taken if there is none.
      - V(take) takes a new one, for example after a repair. V(none) does without; what needs one is V(unknown) then,
        and keeps no node from work.
    type: str
    choices: [take, compare, none]
    default: compare
  baseline_path:
    description: File on the node for the baseline. By default C(/var/lib/instinct/baseline.json).
    type: path
  active:
    description:
      - Also run the tools that the profile names, as far as they are installed. They put the GPUs under load.
      - In check mode no tool is run.
    type: bool
    default: false
  wanted:
    description: What the node should have beside what the profile says.
    type: dict
    suboptions:
      gpus:
        description: Number of GPUs. By default what the node recorded when it was brought to its release, else what is
          usual for the product.
        type: int
      compute_partition:
        description: Compute partition of each GPU, for example V(SPX). Not checked by default.
        type: str
      memory_partition:
        description: Memory partition of each GPU, for example V(NPS1). Not checked by default.
        type: str
  record:
    description: Whether to remember verdict, transitions, baseline and quarantine on the node.
    type: bool
    default: true
  quarantine:
    description: Whether a node that fails is set aside. By default the profile says so; those of the collection do not.
    type: bool
  actor:
    description: Who asks, for what is remembered. By default the user of the controller.
    type: str
  fail_on:
    description: Verdicts at which the task fails. By default it does not, so that the play can decide.
    type: list
    elements: str
    choices: [fail, unknown, warn]
    default: []
  look:
    description:
      - A look that is there already, as M(instinct.fleet.gpu_node_info) returns it with the sections of the profile.
      - It is judged on the controller. The node is not contacted, nothing is remembered, and there is no baseline.
    type: dict
  profile_data:
    description: The profile itself. The action plugin fills it in.
    type: dict
  fault_data:
    description: Faults that logs may tell of. The action plugin fills it in.
    type: dict
attributes:
  check_mode:
    description: Judges, and says what it would remember. Writes nothing and runs no tool.
    support: full
  diff_mode:
    description: There is no difference to show.
    support: none
  idempotent:
    description: A node whose verdict did not change is not changed. Its baseline is kept up to date all the same.
    support: full
  action:
    description: Has an action plugin on the controller.
    support: full
seealso:
  - module: instinct.fleet.gpu_quarantine
  - module: instinct.fleet.fleet_gate_report
"""

EXAMPLES = r"""
- name: May this node take work?
  instinct.fleet.gpu_health_gate:
    profile: admission
    wait:
      timeout: 120
    fail_on: [fail, unknown]

- name: After a repair, count from now on
  instinct.fleet.gpu_health_gate:
    profile: running
    baseline: take
"""

RETURN = r"""
verdict:
  description: V(pass), V(warn), V(fail) or V(unknown).
  type: str
  returned: success
exit_code:
  description: V(0) the node may take work (pass or warn), V(1) it must not (fail), V(2) that could not be judged.
  type: int
  returned: success
checks:
  description:
    - All checks, worst first. C(id), C(subject) (V(node) or a PCI address), C(verdict), C(wanted), C(seen),
      C(domain), and C(why) with C(cause), C(remedy), C(sources) and C(confidence).
  type: list
  elements: dict
  returned: success
gpus:
  description: PCI address of each GPU to its verdict.
  type: dict
  returned: success
evidence:
  description: What is not as it should be, and what keeps the node from work for want of data, a line each.
  type: list
  elements: str
  returned: success
  sample: ["ecc-uncorrectable of 0000:05:00.0: umc: 2 errors"]
next_action:
  description: What to do about the first of these; empty if there is none.
  type: str
  returned: success
baseline:
  description: When it was C(taken) (seconds since the epoch, null without one), and C(notes) of what began anew and
    why.
  type: dict
  returned: success
quarantine:
  description: The quarantine of the node with C(by) (V(gate) or V(person)), C(actor), C(reason), C(when) and C(checks);
    null if there is none.
  type: dict
  returned: success
waited:
  description: Seconds until the look that counted.
  type: float
  returned: success
profile:
  description: Name of the profile.
  type: str
  returned: success
actions:
  description: What was remembered, or would be in check mode, in words. The node changed exactly if there are any.
  type: list
  elements: str
  returned: success
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._gate.gate import run
from ..module_utils._gate.options import request
from ..module_utils._gate.state import State

SPEC = {
    "profile": {"type": "str", "default": "admission"},
    "catalogue_dirs": {"type": "list", "elements": "path", "default": []},
    "wait": {"type": "dict", "options": {"timeout": {"type": "int"}, "interval": {"type": "int", "default": 5}}},
    "timeout": {"type": "int", "default": 30},
    "baseline": {"type": "str", "choices": ["take", "compare", "none"], "default": "compare"},
    "baseline_path": {"type": "path"},
    "active": {"type": "bool", "default": False},
    "wanted": {"type": "dict", "options": {
        "gpus": {"type": "int"}, "compute_partition": {"type": "str"}, "memory_partition": {"type": "str"}}},
    "record": {"type": "bool", "default": True},
    "quarantine": {"type": "bool"},
    "actor": {"type": "str"},
    "fail_on": {"type": "list", "elements": "str", "choices": ["fail", "unknown", "warn"], "default": []},
    "look": {"type": "dict"},
    "profile_data": {"type": "dict"},
    "fault_data": {"type": "dict"},
}


def act(module: AnsibleModule) -> Outcome:
    """Gate the node."""
    asked = request(module.params)
    answer = run(asked, State(baseline_path=module.params["baseline_path"]), module.check_mode)
    return Outcome(answer.actions, values={**answer.to_dict(), "profile": asked.profile.id})


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
