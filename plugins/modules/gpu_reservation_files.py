#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin gpu_reservation_files, which runs gpu_node_info and node_files on the node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_reservation_files
short_description: Install the command that keeps reservations over boots and windows of time
description:
  - Writes the command C(/usr/local/bin/instinct-reservation). The unit that M(instinct.fleet.gpu_reservation) writes
    runs it at boot, and when a window opens or closes.
  - The node is looked at first, and the command is sent only if it differs.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  state:
    description: Whether the command should be there.
    type: str
    choices: [present, absent]
    default: present
  python:
    description: Python on the node that runs the command.
    type: path
    default: /usr/bin/python3
  lock_timeout:
    description: Seconds to wait for another run that acts on this node.
    type: int
    default: 30
attributes:
  check_mode:
    description: Can run in check mode and report what would change.
    support: full
  diff_mode:
    description: Shows the digests of the command before and after.
    support: full
  idempotent:
    description: A second run changes nothing.
    support: full
  action:
    description: Has an action plugin on the controller.
    support: full
seealso:
  - module: instinct.fleet.gpu_reservation
  - module: instinct.fleet.node_files
"""

EXAMPLES = r"""
- name: Keep reservations over boots
  instinct.fleet.gpu_reservation_files:
    python: /usr/bin/python3.11
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
files:
  description: The files that differed, as M(instinct.fleet.node_files) returns them.
  type: list
  elements: dict
  returned: success
"""
