#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module fleet_image_report: see DOCUMENTATION. Its work is done by the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_image_report
short_description: Show which nodes have an image, and whether it works there
description:
  - Collects what M(instinct.fleet.rocm_container_check) returned on all hosts of the play, registered as
    C(fleet_image_labels) before the image was brought and as C(fleet_image_check) after, and what the role
    C(rocm_image) says in C(rocm_image_result). Shows one table, and what to do below it.
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
      - It holds C(version) (V(v1)), C(kind) (V(images)), C(when), and RV(complete), RV(answered), RV(good),
        RV(counts) and RV(nodes) as they are returned. Within a version keys are only ever added.
    type: path
seealso:
  - module: instinct.fleet.rocm_container_check
"""

EXAMPLES = r"""
- name: Say what became of the image
  instinct.fleet.fleet_image_report:
    path: reports/images.json
  run_once: true
"""

RETURN = r"""
nodes:
  description: Every host by its name, in the order of the inventory.
  type: dict
  returned: success
  contains:
    status:
      description:
        - V(has), the image is there; V(left_out), its labels do not fit the node and nothing was brought; V(waits), in
          check mode; V(failed) or V(unreachable).
      type: str
    verdict:
      description: V(fail), V(unknown), V(warn) or V(pass); of a node without one its status.
      type: str
    reason:
      description: Why there is no verdict, in one sentence; null if there is one.
      type: str
    image:
      description: What the node calls the image; null without it.
      type: str
    digest:
      description: Digest of its manifest, in archive and registry; null without it.
      type: str
    findings:
      description: What is wrong with it there, as M(instinct.fleet.rocm_container_check) returned it.
      type: list
      elements: dict
    unknown:
      description: What could not be told.
      type: dict
complete:
  description: Whether every node was looked at.
  type: bool
  returned: success
answered:
  description: Whether every node was looked at, and none is unknown.
  type: bool
  returned: success
good:
  description: Whether the image works on every node.
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
