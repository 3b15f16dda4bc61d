#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin fleet_partition_report, which runs on the controller alone."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_partition_report
short_description: Show how far the partitions of all nodes are
description:
  - Collects what the playbook C(instinct.fleet.partition) learned of all hosts, and shows one table with what each was,
    should be, in which wave it is, and how it ended. With O(show=false) it only answers.
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
      - File on the controller that the report is written to, as JSON. Written in check mode too.
      - It holds C(version) (V(v1)), C(kind) (V(partitions)), C(when), and RV(complete), RV(due), RV(refusal),
        RV(stopped), RV(counts) and RV(nodes) as they are returned. Within a version keys are only ever added.
    type: path
  wave:
    description: How many nodes are worked on at a time, as C(serial) of a play has it.
    type: raw
    default: 1
  failures:
    description: How many nodes may fail before no further wave begins.
    type: int
    default: 0
  show:
    description: Whether the table is shown.
    type: bool
    default: true
seealso:
  - module: instinct.fleet.gpu_partition
"""

EXAMPLES = r"""
- name: Say how far the nodes are
  instinct.fleet.fleet_partition_report:
    path: reports/partitions.json
  run_once: true
"""

RETURN = r"""
nodes:
  description: Every host by its name, in the order of the inventory.
  type: dict
  returned: success
  contains:
    status:
      description: V(as wanted), V(due), V(partitioned), V(nothing asked), V(refused), V(failed) or V(unreachable).
      type: str
    verdict:
      description: The status, with the reason after a colon.
      type: str
    reason:
      description: Why it was refused or failed, in one sentence; null if it was not.
      type: str
    gpus:
      description: Of each GPU C(product), the modes it C(was) in, and the modes that are C(wanted).
      type: list
      elements: dict
    wanted:
      description: Modes that all GPUs should have, C(compute_partition) and C(memory_partition), where they are one.
      type: dict
    changes:
      description: Changes that are to be made, or were, in words.
      type: list
      elements: str
    standing:
      description: Who has the node out of work, V(open) for nobody, V(ours) or V(foreign); null if that is not known.
      type: str
    drained:
      description: Why it is out of work; null if it is not.
      type: str
    wave:
      description: Number of its wave; null if it is in none.
      type: int
complete:
  description: Whether every node that was asked is as wanted now.
  type: bool
  returned: success
due:
  description: Nodes that are to be changed, or given back.
  type: list
  elements: str
  returned: success
refusal:
  description: Why the roll-out must not begin, with every node that refuses; empty if it may.
  type: str
  returned: success
stopped:
  description: Why no further wave must begin; empty if one may.
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
  sample: "3 nodes: 2 partitioned, 1 failed"
table:
  description: The table as shown.
  type: str
  returned: success
"""
