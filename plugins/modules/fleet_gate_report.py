#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin fleet_gate_report, which runs on the controller alone."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_gate_report
short_description: Show which nodes of the play may take work
description:
  - Collects what the role gpu_health registered as C(gpu_health_verdict) on all hosts of the play and shows one table,
    with the nodes that could not be judged or reached, and why. Meant for the end of a play, with C(run_once).
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
      - File on the controller that the verdicts are written to, as JSON. Written in check mode too.
      - It holds C(version) (V(v1)), C(kind) (V(gates)), C(when), and RV(complete), RV(answered), RV(open), RV(counts)
        and RV(nodes) as they are returned. Within a version keys are only ever added.
    type: path
seealso:
  - module: instinct.fleet.gpu_health_gate
"""

EXAMPLES = r"""
- name: Say which nodes may take work
  instinct.fleet.fleet_gate_report:
    path: reports/gate.json
  run_once: true
"""

RETURN = r"""
nodes:
  description: Every host by its name, in the order of the inventory.
  type: dict
  returned: success
  contains:
    status:
      description: V(gated), or why there is no verdict. V(failed) or V(unreachable).
      type: str
    verdict:
      description: The verdict of M(instinct.fleet.gpu_health_gate); of a node without one its status.
      type: str
    reason:
      description: Why there is no verdict, in one sentence; null if there is one.
      type: str
    profile:
      description: As M(instinct.fleet.gpu_health_gate) returned it, as all that follow; null without a verdict.
      type: str
    gpus:
      description: PCI address of each GPU to its verdict.
      type: dict
    evidence:
      description: What is not as it should be, a line each.
      type: list
      elements: str
    next_action:
      description: What to do about the first of these.
      type: str
    quarantine:
      description: The quarantine of the node.
      type: dict
    baseline:
      description: The baseline.
      type: dict
    checks:
      description: All checks.
      type: list
      elements: dict
complete:
  description: Whether every node was judged.
  type: bool
  returned: success
answered:
  description: Whether every node was judged, and none is unknown.
  type: bool
  returned: success
open:
  description: Whether every node may take work.
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
