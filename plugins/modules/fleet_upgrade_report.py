#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin fleet_upgrade_report, which runs on the controller alone."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_upgrade_report
short_description: Show how every node of a roll-out ended
description:
  - Puts together what M(instinct.fleet.fleet_upgrade_plan) decided and what the log of the run tells, and shows one
    table with how each node ended, and why.
  - Runs on the controller and touches no host.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
extends_documentation_fragment:
  - instinct.fleet._attributes.action
options:
  nodes:
    description: The nodes, as M(instinct.fleet.fleet_upgrade_plan) returned them.
    type: dict
    required: true
  log:
    description: The log of the run; none where nothing began.
    type: path
  path:
    description:
      - File on the controller that the report is written to, as JSON.
      - It holds C(version) (V(v1)), C(kind), C(when), and RV(complete), RV(stopped), RV(counts) and RV(nodes) as they
        are returned. Within a version keys are only ever added.
    type: path
  kind:
    description: What the report says that it is.
    type: str
    choices: [upgrade, rollback]
    default: upgrade
  show:
    description: Whether the table is shown.
    type: bool
    default: true
seealso:
  - module: instinct.fleet.fleet_upgrade_plan
"""

EXAMPLES = r"""
- name: Say how every node ended
  instinct.fleet.fleet_upgrade_report:
    nodes: "{{ fleet_upgrade_plan.nodes }}"
    log: "{{ fleet_upgrade_plan.log }}"
    path: reports/upgrade.json
  run_once: true
"""

RETURN = r"""
nodes:
  description: Every node by its name.
  type: dict
  returned: success
  contains:
    node:
      description: Its name.
      type: str
    status:
      description:
        - V(done) or V(as wanted); V(failed), V(rolled back), V(stranded) or V(unreachable).
        - V(cut off) of a node that began and nobody tells how it ended. Of one that did not begin, what
          M(instinct.fleet.fleet_upgrade_plan) said.
      type: str
    verdict:
      description: The status, with the reason after a colon.
      type: str
    reason:
      description: Why it is not at its release, in one sentence; null if it is.
      type: str
    release:
      description: Name of the release that was wanted.
      type: str
    step:
      description: The step that was begun last in this run; null if none was.
      type: str
    seconds:
      description: How long it took; null if it did not begin.
      type: int
    notes:
      description: What a person should know.
      type: list
      elements: str
complete:
  description: Whether every node is at its release and was given back.
  type: bool
  returned: success
stopped:
  description: Why nodes that were due did not begin, and how many; empty if there is none.
  type: str
  returned: success
counts:
  description: How many nodes have which status.
  type: dict
  returned: success
summary:
  description: The same in one line.
  type: str
  returned: success
  sample: "3 nodes: 2 done, 1 rolled back"
table:
  description: The table as shown.
  type: str
  returned: success
"""
