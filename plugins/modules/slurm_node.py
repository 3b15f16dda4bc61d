#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module slurm_node: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: slurm_node
short_description: Take a node out of work in Slurm, or give it back
description:
  - Drains a node with a reason that carries our mark and the purpose, and waits for its jobs to end. Ends no job, but
    where O(beyond) asks for it.
  - Gives back only a node whose drain carries the mark of the same purpose. One that a person, Slurm itself or another
    purpose took out of work is left as it is, and RV(standing) says so.
  - Runs scontrol and squeue of the host that it runs on, which needs to reach the controller of Slurm, as a user who
    may change nodes. Delegate it where the node itself has neither.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  name:
    description: Name of the node in Slurm.
    type: str
    required: true
  state:
    description: Whether the node should be out of work.
    type: str
    choices: [drained, resumed]
    default: drained
  purpose:
    description: What it is out of work for, as one word. A drain of another purpose is foreign.
    type: str
    default: maintenance
  reason:
    description: What people should read besides. A node that is drained for this purpose already is given the new one.
    type: str
    default: ""
  wait:
    description: Whether to wait until no job is on the node.
    type: bool
    default: true
  timeout:
    description: Seconds to wait for jobs. O(beyond) says what becomes of one that is left then.
    type: int
    default: 3600
  beyond:
    description:
      - What becomes of jobs that are left after O(timeout). The node stays drained, whatever it is.
      - With V(fail) the module fails, and names them. With V(leave) they are returned.
      - With V(requeue) they are put back into Slurm's queue, to be begun again elsewhere, and it is proved that they
        were. A job that is no batch job, or was submitted not to be requeued, is named, and then none is requeued.
      - With V(cancel) they are ended, and their work is lost.
    type: str
    choices: [fail, leave, requeue, cancel]
    default: fail
  patience:
    description: >-
      Seconds to wait for a controller that does not answer, before anything is changed and while jobs are waited for.
      In check mode it is asked once.
    type: int
    default: 120
  pause:
    description: Seconds between two questions.
    type: int
    default: 5
attributes:
  check_mode:
    description: Can run in check mode and report what would change. It does not wait then.
    support: full
  diff_mode:
    description: Shows state and reason of the node before and after.
    support: full
  idempotent:
    description: A node that is as it should be, with the same reason, is not touched.
    support: full
"""

EXAMPLES = r"""
- name: Take the node out of work and wait for its jobs
  instinct.fleet.slurm_node:
    name: gpu-a01
    purpose: partition
    reason: to CPX/NPS4
  delegate_to: slurm-control

- name: Put what still runs after an hour back into the queue
  instinct.fleet.slurm_node:
    name: gpu-a01
    purpose: upgrade
    timeout: 3600
    beyond: requeue
  delegate_to: slurm-control

- name: Give it back, if it is ours to give
  instinct.fleet.slurm_node:
    name: gpu-a01
    purpose: partition
    state: resumed
  delegate_to: slurm-control
"""

RETURN = r"""
standing:
  description:
    - Who has taken the node out of work now, or would have in check mode. V(open) if nobody has, V(ours) for this
      purpose, V(foreign) for a person, Slurm itself or another purpose.
  type: str
  returned: success
before:
  description: The same before.
  type: str
  returned: success
reason:
  description: The reason that Slurm has now, or would have; empty without one.
  type: str
  returned: success
  sample: "instinct.fleet: partition: to CPX/NPS4"
states:
  description: State of the node, with what is added to it, as last seen.
  type: list
  elements: str
  returned: success
  sample: [IDLE, DRAIN]
jobs:
  description: Jobs that are on it, with C(id), C(state) and C(user), as last seen.
  type: list
  elements: dict
  returned: success
waiting:
  description: The same in words; empty without a job.
  type: str
  returned: success
  sample: 2 jobs (7 of alice, 8_1 of bob)
actions:
  description: What was done, requeued and cancelled jobs included, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act import maintenance
from ..module_utils._act.outcome import finish
from ..module_utils._act.slurm import Slurm

SPEC: dict[str, t.Any] = {
    "name": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["drained", "resumed"], "default": "drained"},
    "purpose": {"type": "str", "default": "maintenance"},
    "reason": {"type": "str", "default": ""},
    "wait": {"type": "bool", "default": True},
    "timeout": {"type": "int", "default": 3600},
    "beyond": {"type": "str", "choices": ["fail", "leave", "requeue", "cancel"], "default": "fail"},
    "patience": {"type": "int", "default": 120},
    "pause": {"type": "int", "default": 5},
}


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: maintenance.turn(Slurm(module.params["name"]), module.params, module.check_mode))


if __name__ == "__main__":
    main()
