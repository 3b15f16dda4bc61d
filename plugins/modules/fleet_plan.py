#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin fleet_plan, which runs on the controller alone."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_plan
short_description: Plan all roles of a node from one look
description:
  - Resolves the node's release against catalogue and look, and plans every role of the collection with it.
  - Runs on the controller and touches nothing. Variables of all roles are validated first, so that a wrong value or
    a misspelt name is refused before the first change.
  - In check mode the task reports C(changed) when the plan is not empty, and with C(--diff) what each step changes.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  look:
    description: The return value C(look) of M(instinct.fleet.gpu_node_info), with all sections.
    type: dict
    required: true
  roles:
    description: Roles to plan. Of these, a run with tags plans the roles that its tags name and do not skip.
    type: list
    elements: str
    choices: [gpu_firmware, gpu_driver, rocm_userspace, node_maintenance, gpu_partition, gpu_release]
    default: [gpu_firmware, gpu_driver, rocm_userspace, node_maintenance, gpu_partition, gpu_release]
  previous:
    description: The return value C(report) of an earlier plan of the same run, made before its steps were taken.
    type: dict
  against:
    description:
      - What the node is held against. V(inventory) is what its variables want now. V(recorded) is what the node itself
        recorded when it was last brought to a release; the plan is then what it would take to undo the drift since.
        V(kept) is what it was when the snapshot O(kept) was taken.
    type: str
    choices: [inventory, recorded, kept]
    default: inventory
  kept:
    description: The return value C(kept) of M(instinct.fleet.node_snapshot_info). Needed with O(against=kept).
    type: dict
  offline:
    description:
      - With O(against=kept), whether packages come from what is kept on the node, and no other repository is asked. The
        sources of the release name the node itself then. Without it they have their own addresses.
    type: bool
    default: false
attributes:
  check_mode:
    description: Can run in check mode and report what would change.
    support: full
  diff_mode:
    description: Says what would change.
    support: full
  idempotent:
    description: The same look and variables give the same plan.
    support: full
  action:
    description: Has an action plugin on the controller.
    support: full
seealso:
  - module: instinct.fleet.gpu_node_info
"""

EXAMPLES = r"""
- name: Look once
  instinct.fleet.gpu_node_info:
  register: gpu_release_look

- name: Plan all roles
  instinct.fleet.fleet_plan:
    look: "{{ gpu_release_look.look }}"
  register: gpu_release_plan
"""

RETURN = r"""
actions:
  description: The steps of all roles in words.
  type: list
  elements: str
  returned: success
todo:
  description: Whether any role has a step to take.
  type: bool
  returned: success
left:
  description:
    - The steps in words, but for those of the record, which is written last. Where a role looked again after its last
      step, none is left.
  type: list
  elements: str
  returned: success
check_mode:
  description: Whether it was planned in check mode, be it that of the run or of the task, so that nothing may be done.
  type: bool
  returned: success
fetches:
  description: Whether any role needs a repository for its steps.
  type: bool
  returned: success
lock_timeout:
  description: What C(gpu_release_lock_timeout) says, for the roles that carry out the plans.
  type: int
  returned: success
release:
  description: The release as resolved for this node.
  type: dict
  returned: success
plans:
  description:
    - For every role its plan. C(steps) in order, also grouped in C(by_action); C(reboot) and C(reload) say why one is
      needed; C(problems) is what no step mends; C(verdicts) of gpu_firmware are its judgements of each device as data;
      C(notes) is what a person should know; C(empty) is true without steps.
  type: dict
  returned: success
report:
  description:
    - What M(instinct.fleet.fleet_report) shows of the node. C(gpus), release C(wanted) and C(found), the steps
      C(planned) and C(changed) in words, C(verdict), C(reboot_required) and C(notes).
  type: dict
  returned: success
drift:
  description: How the node differs from what it recorded.
  type: dict
  returned: when O(against=recorded)
  contains:
    unrecorded:
      description: Why there is nothing to hold the node against. All other keys are missing then, and there is no plan.
      type: str
      returned: when nothing was recorded
    release:
      description: The release that was recorded.
      type: str
    differences:
      description: What is not as it was recorded, in words.
      type: list
      elements: str
    moved:
      description: What the inventory says otherwise than when the node was recorded, in words.
      type: list
      elements: str
    notes:
      description: What a person should know of the record.
      type: list
      elements: str
    when:
      description: When the release was recorded, from the node's journal; null if that does not tell.
      type: str
    who:
      description: Who ran it.
      type: str
    before:
      description: The release before.
      type: str
    after:
      description: The release that it was brought to.
      type: str
seen:
  description: What is known of a node that has no plan. C(gpus) and C(found), in words; empty if nothing is.
  type: dict
  returned: failure
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""
