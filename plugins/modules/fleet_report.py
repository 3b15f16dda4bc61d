#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin fleet_report, which runs on the controller alone."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_report
short_description: Show how every node of the play ended
description:
  - Collects C(gpu_release_plan.report) of all hosts of the play and shows one table, with those that failed or could
    not be reached and why. Meant for the end of a play, with C(run_once).
  - The reason of a failure is known when C(instinct.fleet.fleet) is the stdout callback; otherwise the table says only
    that the node failed or was not reached.
  - Runs on the controller and touches no host.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
extends_documentation_fragment:
  - instinct.fleet._attributes.action
  - instinct.fleet._report
options:
  path:
    description: File on the controller that the report is written to, as JSON. Written in check mode too.
    type: path
attributes:
  check_mode:
    description: Can run in check mode. It reports what the other tasks of the play would have changed.
seealso:
  - plugin: instinct.fleet.fleet
    plugin_type: callback
"""

EXAMPLES = r"""
- name: Say how every node ended
  instinct.fleet.fleet_report:
    path: reports/site.json
  run_once: true
"""

RETURN = r"""
report:
  description: One entry per host, in the order of the inventory.
  type: list
  elements: dict
  returned: success
  contains:
    node:
      description: The host.
      type: str
    gpus:
      description: Its GPUs in words.
      type: str
      sample: 8 x MI300X
    wanted:
      description: The release that the inventory asks for.
      type: str
    found:
      description: The release, or what else was found on the node.
      type: str
    changed:
      description:
        - What was changed, or would be in check mode, in words.
        - Of a host that failed on the way, only what was seen to be done when it was last looked at.
      type: list
      elements: str
    complete:
      description: Whether RV(report[].changed) is all that was changed. False for a host that failed on the way.
      type: bool
    verdict:
      description: How the node ended. What failed, was not reached or is wrong has its reason after a colon.
      type: str
    reboot_required:
      description: Whether the node must reboot to be as wanted.
      type: bool
    notes:
      description: What a person should know.
      type: list
      elements: str
counts:
  description: How many hosts ended how, by the words of the verdict before its colon.
  type: dict
  returned: success
table:
  description: The table as shown.
  type: str
  returned: success
"""
