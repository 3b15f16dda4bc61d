#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin fleet_plan_report, which runs on the controller alone."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_plan_report
short_description: Show what would change on every node of the play
description:
  - Collects what M(instinct.fleet.fleet_plan) registered as C(gpu_release_plan) on all hosts of the play and shows one
    table, with the nodes that were refused, failed or could not be reached, and why. Meant for the end of a play that
    only plans, with C(run_once).
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
      - File on the controller that the plans are written to, as JSON. Written in check mode too.
      - It holds C(version) (V(v1)), C(kind) (V(plan)), C(when), C(against), and RV(complete), RV(due), RV(counts) and
        RV(nodes) as they are returned. Within a version keys are only ever added.
    type: path
  against:
    description: What M(instinct.fleet.fleet_plan) held the nodes against. Of the table the headings depend on it.
    type: str
    choices: [inventory, recorded]
    default: inventory
seealso:
  - module: instinct.fleet.fleet_plan
"""

EXAMPLES = r"""
- name: Say what would change
  instinct.fleet.fleet_plan_report:
    path: reports/plan.json
  run_once: true
  register: fleet_plan_outcome
"""

RETURN = r"""
nodes:
  description: Every host by its name, in the order of the inventory.
  type: dict
  returned: success
  contains:
    status:
      description:
        - V(planned), or why there is no plan. V(refused) by a rule, V(failed), V(unreachable), or V(unrecorded) when
          there is no record to hold the node against.
      type: str
    verdict:
      description: How it is with the node, in words. More follows a colon.
      type: str
    due:
      description: Whether something would change. A reboot that is needed and not allowed counts.
      type: bool
    reason:
      description: Why there is no plan, in one sentence; null if there is one.
      type: str
    failure:
      description: Parts of the refusal, C(where), C(what), C(hint) and C(source); null if there was none.
      type: dict
    gpus:
      description: Its GPUs in words.
      type: str
      sample: 8 x MI300X
    found:
      description: The release, or what else was found on the node.
      type: str
    wanted:
      description: The release that the node is held against.
      type: str
    steps:
      description: The steps of all roles in order, each with C(role), C(action), C(words), C(before) and C(after).
      type: list
      elements: dict
    reboot:
      description: C(needed) and C(why). It is done only where a step has the action C(reboot).
      type: dict
    reload:
      description: C(needed) and C(why), of a reload of the driver.
      type: dict
    restarts:
      description: Services that restart.
      type: list
      elements: str
    notes:
      description: What a person should know.
      type: list
      elements: str
    problems:
      description: What is wrong and no step mends.
      type: list
      elements: str
    drift:
      description: RV(instinct.fleet.fleet_plan#module:drift); null when O(against=inventory).
      type: dict
complete:
  description: Whether every node has a plan, and none a problem that no step mends.
  type: bool
  returned: success
due:
  description: Whether something would change on any node.
  type: bool
  returned: success
counts:
  description: How many nodes have which verdict, by its words before the colon.
  type: dict
  returned: success
summary:
  description: The same in one line.
  type: str
  returned: success
  sample: "3 nodes: 2 changes due, 1 refused"
table:
  description: The table as shown.
  type: str
  returned: success
"""
