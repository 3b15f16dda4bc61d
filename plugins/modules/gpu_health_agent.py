#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin gpu_health_agent, which runs gpu_node_info and node_files on the node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_health_agent
short_description: Install the health gate on a node, so that it runs without Ansible
description:
  - Writes the command C(/usr/local/bin/instinct-gate), its data C(/usr/local/lib/instinct/gate-data.json), and the
    units it is given, as one change by M(instinct.fleet.node_files).
  - The command is one file made of this collection's own Python, and needs nothing but Python 3.9 or newer. The same
    sources give the same bytes.
  - The node is looked at first. Only what differs is sent to it.
  - Meant for the role gpu_health, which brings the units and starts the timer.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  state:
    description: Whether the files should be there.
    type: str
    choices: [present, absent]
    default: present
  python:
    description: Python on the node that runs the command.
    type: path
    default: /usr/bin/python3
  profile:
    description: Profile that the command uses unless it is told another.
    type: str
    default: running
  catalogue_dirs:
    description: Directories on the controller with profiles and faults of the site.
    type: list
    elements: path
    default: []
  wanted:
    description: What the node should have beside what the profile says.
    type: dict
    suboptions:
      gpus:
        description: Number of GPUs.
        type: int
      compute_partition:
        description: Compute partition of each GPU.
        type: str
      memory_partition:
        description: Memory partition of each GPU.
        type: str
  quarantine:
    description: Whether a node that fails is set aside. By default the profile says so.
    type: bool
  units:
    description: Units of systemd.
    type: list
    elements: dict
    default: []
    suboptions:
      path:
        description: Absolute path.
        type: str
        required: true
      content:
        description: The whole unit.
        type: str
        required: true
  lock_timeout:
    description: Seconds to wait for another run that acts on this node.
    type: int
    default: 30
attributes:
  check_mode:
    description: Can run in check mode and report what would change.
    support: full
  diff_mode:
    description: Shows each file before and after; of the command its digests.
    support: full
  idempotent:
    description: A second run changes nothing.
    support: full
  action:
    description: Has an action plugin on the controller.
    support: full
seealso:
  - module: instinct.fleet.gpu_health_gate
  - module: instinct.fleet.node_files
"""

EXAMPLES = r"""
- name: The gate as a command on the node
  instinct.fleet.gpu_health_agent:
    profile: running
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
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""
