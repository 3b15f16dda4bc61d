#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin fleet_upgrade_turn, which runs on the controller first."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_upgrade_turn
short_description: Wait until a node may be upgraded, and tell how far it is
description:
  - Nodes of a play with C(strategy=host_pinned) do not wait for each other. This decides for each of them, over a log
    that all of them share, whether it may begin now. As many are under way as the roll-out allows, canaries go first,
    and none begins any more where too many failed or a window of time has closed.
  - Runs on the controller, and on the node M(instinct.fleet.node_progress) if O(note) is given. Part of
    C(instinct.fleet.upgrade); of little use elsewhere.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  log:
    description: The log of the run, as M(instinct.fleet.fleet_upgrade_plan) returned it.
    type: path
    required: true
  event:
    description:
      - What the node is about. V(begin) waits, and either says RV(word=go), and the node has a place, or
        RV(word=skip).
      - V(step) tells that a step begins, V(end) that its place is free.
    type: str
    choices: [begin, step, end]
    default: begin
  word:
    description: Name of the step that begins, or how the node ended.
    type: str
    default: ""
  reason:
    description: Why it did not end well.
    type: str
    default: ""
  note:
    description:
      - What M(instinct.fleet.node_progress) is told of the step or the end besides; without it it is told nothing.
      - The lock of the node is waited for as long as by the plan of the node (C(gpu_release_lock_timeout)), unless
        C(lock_timeout) is among it.
      - A step of which the node does not take note fails, as it does where another run has taken the node. With V(end)
        a node that does not answer is V(unreachable).
    type: dict
attributes:
  check_mode:
    description: Can run in check mode, in which the node takes no note. The log is written all the same.
    support: partial
  diff_mode:
    description: There is no difference to show.
    support: none
  idempotent:
    description: A log is only ever added to.
    support: none
  action:
    description: Has an action plugin on the controller.
    support: full
seealso:
  - module: instinct.fleet.node_progress
  - module: instinct.fleet.fleet_upgrade_plan
"""

EXAMPLES = r"""
- name: Wait for a place
  instinct.fleet.fleet_upgrade_turn:
    log: "{{ fleet_upgrade_plan.log }}"
  register: fleet_upgrade_turn
"""

RETURN = r"""
word:
  description: V(go) or V(skip) of a beginning; else the option.
  type: str
  returned: success
reason:
  description: Why the node must not begin; else the option.
  type: str
  returned: success
seconds:
  description: Seconds for which the node waited; of a step and of an end, since it began.
  type: int
  returned: success
line:
  description: How far the run is, in words.
  type: str
  returned: success
  sample: "rolling: 3 done, 1 failed, 2 under way, 12 left"
note:
  description: The note of the node as it is now, as M(instinct.fleet.node_progress) returns it.
  type: dict
  returned: if O(note) was given and the node answered
lost:
  description: Whether another run has taken the node since this one looked at it.
  type: bool
  returned: if the node did not take note of a step
"""
