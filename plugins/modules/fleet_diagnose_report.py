#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin fleet_diagnose_report, which runs on the controller alone."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_diagnose_report
short_description: Show what is the matter with every node of the play
description:
  - Collects what M(instinct.fleet.fleet_diagnose) registered as C(fleet_diagnosis) on all hosts of the play and shows
    one table, with the nodes that failed or could not be reached, and why; below it what is wrong, once for all nodes
    that have it. Meant for the end of a play that only diagnoses, with C(run_once).
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
      - Directory on the controller that C(summary.json) and C(summary.md) are written to, and files of the nodes that
        have no diagnosis. Written in check mode too. Those of the other nodes are written by
        M(instinct.fleet.fleet_diagnose), which is given the same directory.
      - C(summary.json) holds C(version) (V(v1)), C(kind) (V(diagnosis_summary)), C(when), and RV(counts), RV(groups)
        and RV(nodes) as they are returned, with all groups, and for each node C(file), its own file in that directory.
        Within a version keys are only ever added.
    type: path
  rows:
    description: So many nodes at most are in the table. If there are more, they are the worst, without healthy ones.
    type: int
    default: 100
  details:
    description:
      - Whether findings are shown with evidence, cause and consequences, and what could not be read. With C(-v) they
        are by default.
    type: bool
seealso:
  - module: instinct.fleet.fleet_diagnose
"""

EXAMPLES = r"""
- name: Say what is the matter
  instinct.fleet.fleet_diagnose_report:
    path: reports/diagnosis
  run_once: true
  register: fleet_diagnose_outcome
"""

RETURN = r"""
nodes:
  description: Every host by its name, in the order of the inventory. A bundle goes by its own name.
  type: dict
  returned: success
  contains:
    status:
      description: V(diagnosed), or why there is no diagnosis. V(failed) or V(unreachable).
      type: str
    verdict:
      description: V(pass), V(warn), V(unknown) or V(fail); the status of a node that has no diagnosis.
      type: str
    reason:
      description: Why there is no diagnosis, in one sentence; null if there is one.
      type: str
    root:
      description: The finding to begin with, as in RV(instinct.fleet.fleet_diagnose#module:diagnosis); null if nothing
        is wrong.
      type: dict
    summary:
      description: What is the matter, in one sentence.
      type: str
    next_action:
      description: What to do next, in one sentence; empty for a node that has no diagnosis.
      type: str
    findings:
      description: How many findings it has that nothing else explains.
      type: int
groups:
  description: What is wrong in the fleet by root cause, most severe first. At most 100; the file has all.
  type: list
  elements: dict
  returned: success
  contains:
    id:
      description: Of the finding; V(failed) or V(unreachable) for nodes that have no diagnosis.
      type: str
    severity:
      description: V(warning), V(error) or V(critical).
      type: str
    domain:
      description: Who has to act, for example V(driver) or V(hardware); empty for nodes that have no diagnosis.
      type: str
    words:
      description: What is wrong, in words. Where nodes differ stands C(*).
      type: str
    remedy:
      description: What to do next.
      type: str
    sources:
      description: Where that is documented.
      type: list
      elements: str
    nodes:
      description: Names of the nodes that have it.
      type: list
      elements: str
    subjects:
      description: By node, which of its GPUs, processes or files have it, where C(words) do not say so.
      type: dict
complete:
  description: Whether every node has a diagnosis.
  type: bool
  returned: success
answered:
  description: Whether every node has one, and none the verdict V(unknown).
  type: bool
  returned: success
healthy:
  description: Whether every node has the verdict V(pass).
  type: bool
  returned: success
counts:
  description: How many nodes have which verdict, worst first.
  type: dict
  returned: success
summary:
  description: The same in one line.
  type: str
  returned: success
  sample: "3 nodes: 1 fail, 2 pass"
table:
  description: The table as shown.
  type: str
  returned: success
"""
