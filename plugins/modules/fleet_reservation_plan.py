#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin fleet_reservation_plan, which runs on the controller alone."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_reservation_plan
short_description: Give the GPUs of a fleet to those who reserve them
description:
  - Reads of every host what is reserved (C(gpu_reservation_tenants), C(gpu_reservation_list) with every
    C(gpu_reservation_list_*), and C(gpu_reservation_spares)) and what was seen of it, and decides which devices each
    reservation has.
  - A node in quarantine, and a GPU that failed at the last gate of its node, give nothing new. What is reserved of them
    stays, and the notes say so.
  - A reservation keeps the devices that the record of the node gives it, where they still fit.
  - Fails where one node cannot fulfil its reservations, once the plan of all is shown. So nothing is written on any.
  - Fails too where a reservation of the whole fleet is asked for by hosts of the inventory that are not in the play.
  - A host that nobody looked at is left out. One that reserves nothing, and had nothing, has no record.
  - Runs on the controller and touches no host.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
extends_documentation_fragment:
  - instinct.fleet._attributes.action
  - instinct.fleet._report
options:
  look:
    description:
      - Variable of each host that holds what M(instinct.fleet.gpu_node_info) returned, with the sections C(gpus) and
        C(files).
    type: str
    default: gpu_reservation_look
  path:
    description:
      - File on the controller that the plan is written to, as JSON. Written in check mode and for a refusal too.
      - It holds C(version) (V(v1)), C(kind) (V(reservation_plan)), C(when), and RV(records), RV(nodes), RV(refusal) and
        RV(counts) as they are returned. Within a version keys are only ever added.
    type: path
  show:
    description: Whether the table is shown.
    type: bool
    default: true
  spare_node:
    description: From how many GPUs on a node that says no C(gpu_reservation_spares) keeps one out of all work.
    type: int
    default: 8
  spare_share:
    description:
      - Per cent of the GPUs of the fleet that are kept out of all work, rounded up. Nodes that say
        C(gpu_reservation_spares) are no part of that; what O(spare_node) keeps is.
      - The default is the share that one operator of a large fleet reported.
    type: int
    default: 5
seealso:
  - module: instinct.fleet.gpu_node_info
  - module: instinct.fleet.gpu_reservation_info
"""

EXAMPLES = r"""
- name: Look at what reservations are made of
  instinct.fleet.gpu_node_info:
    sections: [gpus, files]
  register: gpu_reservation_look

- name: Decide who has which GPU
  instinct.fleet.fleet_reservation_plan:
    path: reports/reservations.json
  run_once: true
  register: gpu_reservation_plan
"""

RETURN = r"""
records:
  description: Host to what it is to be told, for O(instinct.fleet.gpu_reservation#role:main:gpu_reservation_record).
  type: dict
  returned: always
  contains:
    tenants:
      description: Those of the reservations of the host, as the inventory has them, by name.
      type: list
      elements: dict
    grants:
      description: Each reservation as C(wish), and its C(devices).
      type: list
      elements: dict
    spares:
      description: Devices that are kept out of all work.
      type: list
      elements: dict
    pool:
      description: Devices that nobody reserves.
      type: list
      elements: dict
nodes:
  description: Every host by its name.
  type: dict
  returned: always
  contains:
    status:
      description: >-
        V(reserved) if it is to be told something new, else V(as reserved), V(refused), V(not seen) or V(unasked).
      type: str
    reason:
      description: Why it is refused or was not seen, in one sentence; empty if it is not.
      type: str
    changes:
      description: What changes for which reservation, in words.
      type: list
      elements: str
    notes:
      description: What a person should know, such as spares that stepped in.
      type: list
      elements: str
refusal:
  description: Why nothing may be written, with every host that refuses; empty if all fit.
  type: str
  returned: always
  sample: "g1: reservation training of vision: wants 4 GPUs, and free are none; ask for less, or of another node"
counts:
  description: How many hosts have which status.
  type: dict
  returned: always
summary:
  description: How it is with all hosts, in one line.
  type: str
  returned: always
  sample: "3 nodes: 2 reserved, 1 as reserved"
table:
  description: The table as shown.
  type: str
  returned: always
"""
