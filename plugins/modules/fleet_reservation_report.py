#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin fleet_reservation_report, which runs on the controller alone."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_reservation_report
short_description: Show who is on which GPU of the fleet, and whether they may
description:
  - Collects what M(instinct.fleet.gpu_reservation_info) returned on all hosts of the play, registered as
    C(gpu_reservation_info), and shows one table; below it one line for each device that others hold than those it is
    for, and what a proof met that is not as it must be.
  - Processes of one tenant, by one thing that says so and of one command, stand in one row.
  - Meant for the end of a play, with C(run_once). Runs on the controller and touches no host.
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
      - It holds C(version) (V(v1)), C(kind) (V(reservations)), C(when), and RV(complete), RV(answered), RV(proved),
        RV(good), RV(counts) and RV(nodes) as they are returned. Within a version keys are only ever added.
    type: path
seealso:
  - module: instinct.fleet.gpu_reservation_info
"""

EXAMPLES = r"""
- name: Say who is on which GPU
  instinct.fleet.fleet_reservation_report:
    path: reports/jobs.json
  run_once: true
"""

RETURN = r"""
nodes:
  description: Every host by its name, in the order of the inventory.
  type: dict
  returned: success
  contains:
    status:
      description: V(seen), or why there is no verdict. V(failed) or V(unreachable).
      type: str
    verdict:
      description: The worst of its devices and of its proof. V(trespass), V(locked_out), V(unknown), V(unreserved) or
        V(ok); of a node without one its status.
      type: str
    reason:
      description: Why there is no verdict, in one sentence; null if there is one.
      type: str
    recorded:
      description: As M(instinct.fleet.gpu_reservation_info) returned it, as all that follow; null without a verdict.
      type: bool
    devices:
      description: Every device with its holders.
      type: list
      elements: dict
    findings:
      description: One for each device that others hold.
      type: list
      elements: dict
    proved:
      description: The worst of the proofs; null where nothing was tried.
      type: str
    proofs:
      description: Every attempt.
      type: list
      elements: dict
    unknown:
      description: What could not be read.
      type: dict
complete:
  description: Whether every node was looked at.
  type: bool
  returned: success
answered:
  description: Whether every node was looked at, and none is unknown.
  type: bool
  returned: success
proved:
  description: Whether every attempt to open a device ended as it must. Also true where nothing was tried.
  type: bool
  returned: success
good:
  description: Whether on every node nobody holds, or could open, what is not theirs, and every tenant can open theirs.
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
  sample: "3 nodes: 1 trespass, 2 ok"
table:
  description: The table as shown.
  type: str
  returned: success
"""
