#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin gpu_qos_files, which runs gpu_node_info and node_files on the node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_qos_files
short_description: Write what brings a node to its profile at boot, and when a window begins or ends
description:
  - Writes the command C(/usr/local/bin/instinct-qos), what it knows of products
    (C(/usr/local/lib/instinct/qos-data.json)), which profiles hold when (C(/etc/instinct/qos.json)), the unit
    C(instinct-qos.service), the rule of udev that starts it when the driver is loaded anew, and with O(schedule) the
    timer C(instinct-qos.timer).
  - All of it is one change by M(instinct.fleet.node_files). The node is looked at first, and only what differs is sent.
  - Meant for the role gpu_qos, which sets the profile, brings the unit and binds it to boot.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
extends_documentation_fragment:
  - instinct.fleet._qos
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
  unit:
    description: The whole unit. Required with O(state=present).
    type: str
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
  - module: instinct.fleet.gpu_qos
  - module: instinct.fleet.node_files
"""

EXAMPLES = r"""
- name: The command, its unit and its timer
  instinct.fleet.gpu_qos_files:
    profile: serving
    schedule:
      - {profile: night_training, begins: "22:00", ends: "06:00"}
    unit: "{{ lookup('ansible.builtin.template', 'instinct-qos.service.j2') }}"
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
written:
  description: Paths of the files that were written or removed, or would be in check mode.
  type: list
  elements: str
  returned: success
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""
