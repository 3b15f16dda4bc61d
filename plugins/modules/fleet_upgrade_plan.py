#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin fleet_upgrade_plan, which runs on the controller alone."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_upgrade_plan
short_description: Show in which order nodes are upgraded, and how long that takes
description:
  - Collects what the playbook C(instinct.fleet.upgrade) saw of all hosts, decides which of them are due and when each
    begins, and refuses where one cannot be upgraded or too many failed before.
  - Fails on a variable C(fleet_upgrade_*) that is wrong or that nobody reads, and on tags, for a run of a part of the
    tasks would note as done what was left out.
  - With O(show) and outside of check mode a new log is begun, over which the nodes then wait for their turns.
  - Runs on the controller and touches no host.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
extends_documentation_fragment:
  - instinct.fleet._attributes.action
  - instinct.fleet._report
options:
  path:
    description:
      - File on the controller that the schedule is written to, as JSON. Written in check mode too.
      - It holds C(version) (V(v1)), C(kind) (V(upgrade_plan)), C(when), and RV(complete), RV(refusal), RV(due),
        RV(canaries), RV(seconds), RV(opens), RV(counts) and RV(nodes) as they are returned. Within a version keys are
        only ever added.
    type: path
  log:
    description: The log to begin, in place of one that is there. A new file below C(~/.ansible/instinct) by default.
    type: path
  show:
    description: Whether the table is shown, and a log begun.
    type: bool
    default: false
  max_unavailable:
    description: How many nodes may be under way at a time, as a number or as a share such as V(10%).
    type: raw
    default: 1
  failures:
    description:
      - How many nodes may fail before no other begins, as a number or as a share. Nodes count that failed in earlier
        runs or cannot be reached.
    type: raw
    default: 0
  canary:
    description: >-
      Hosts or groups that go first; the others wait until all of them are done. By default one node of a release that
      no node has reached yet.
    type: raw
    default: []
  domain:
    description: Name of the host variable that tells the failure domain of a node, such as its rack.
    type: str
    default: ""
  per_domain:
    description: How many nodes of one failure domain may be under way at a time; V(0) for any number.
    type: raw
    default: 0
  pause:
    description: Seconds for which the place of a node that ended stays empty.
    type: raw
    default: 0
  windows:
    description: >-
      Times in which a node may begin, as a list of mappings with C(days) (V(mon) to V(sun); every day by default),
      C(begins) and C(ends), such as V(22:00), and C(zone), V(UTC) or a distance from it such as V(+02:00); the clock of
      the controller by default. Any time without it.
    type: raw
    default: []
  retry:
    description: Nodes that failed before and are tried again; V(true) for all of them, or a list.
    type: raw
    default: false
  kind:
    description: Whether nodes are upgraded or go back.
    type: str
    choices: [upgrade, rollback]
    default: upgrade
  waits:
    description: >-
      Whether nodes that go back wait for O(canary), O(windows) and O(pause) as those that are upgraded do. By default
      they wait for a place alone.
    type: raw
    default: false
  rollback:
    description: >-
      Whether a node that fails goes back. Only read, so that a value that is neither true nor false is refused.
    type: raw
    default: true
  detailed_exitcode:
    description: Whether exit codes tell of what is due. Only read, as O(rollback).
    type: raw
    default: false
seealso:
  - module: instinct.fleet.fleet_upgrade_turn
  - module: instinct.fleet.fleet_upgrade_report
"""

EXAMPLES = r"""
- name: Say which nodes are due, and in which order
  instinct.fleet.fleet_upgrade_plan:
    max_unavailable: 10%
    failures: 2
    show: true
    path: reports/schedule.json
  run_once: true
  register: fleet_upgrade_plan
"""

RETURN = r"""
nodes:
  description: Every host by its name, in the order of the inventory.
  type: dict
  returned: success
  contains:
    status:
      description: V(due), V(as wanted), V(refused), V(failed before) or V(unreachable).
      type: str
    verdict:
      description: The status, with the reason after a colon.
      type: str
    reason:
      description: Why it is refused or failed, in one sentence; empty if it is not.
      type: str
    release:
      description: Name of the release that is wanted.
      type: str
    target:
      description: What the node is to become, as one text. Failures count as long as it is the same.
      type: str
    found:
      description: What runs now, in words.
      type: str
    steps:
      description: What is to be done, in words.
      type: list
      elements: str
    reboot:
      description: Whether a reboot is among it.
      type: bool
    standing:
      description: Who has the node out of work, V(open) for nobody, V(ours) or V(foreign).
      type: str
    halfway:
      description: Whether an earlier run was cut off on it.
      type: bool
    back:
      description: Why it was on its way back when an earlier run was cut off; empty if it was not.
      type: str
    proven:
      description: Whether a roll-out brought it to its target already.
      type: bool
    canary:
      description: Whether the others wait for it.
      type: bool
    domain:
      description: Its failure domain; empty where none is told.
      type: str
    noted:
      description: When its note was last written; empty without one.
      type: str
    snapshot:
      description: Id of the snapshot of an earlier run; empty for none.
      type: str
    seconds:
      description: How long it is expected to take, without waiting for jobs; 0 if nobody can tell.
      type: int
    turn:
      description: Its place in the order, from 1; null if it has none.
      type: int
    begins:
      description: When it is expected to begin, in seconds from now; null if it has no place.
      type: int
    ends:
      description: When it is expected to end.
      type: int
    left:
      description: Why it is left for another run; null if it is not.
      type: str
    notes:
      description: What a person should know.
      type: list
      elements: str
due:
  description: Nodes that are to be upgraded or given back, in the order in which they begin.
  type: list
  elements: str
  returned: success
canaries:
  description: Those of them that the others wait for.
  type: list
  elements: str
  returned: success
refusal:
  description: Why the roll-out must not begin, with every node that refuses; empty if it may.
  type: str
  returned: success
seconds:
  description: How long it is expected to take from the first node to the last.
  type: int
  returned: success
opens:
  description: Seconds until a window of time opens.
  type: int
  returned: success
complete:
  description: Whether every node is as wanted now.
  type: bool
  returned: success
counts:
  description: How many nodes have which status.
  type: dict
  returned: success
log:
  description: The log that was begun; empty if none was.
  type: str
  returned: success
summary:
  description: How it is with all nodes, in one line.
  type: str
  returned: success
  sample: "3 nodes: 2 due, 1 as wanted"
table:
  description: The table as shown.
  type: str
  returned: success
"""
