#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin gpu_partition_files, which runs gpu_node_info and node_files on the node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_partition_files
short_description: Write what boots a partitioned node, and what tells others of its devices, as one set
description:
  - Writes the command C(/usr/local/bin/instinct-partition), what it knows of products
    (C(/usr/local/lib/instinct/partition-data.json)), what the node should be (C(/etc/instinct/partition.json)) and the
    unit C(instinct-partition.service), which applies that at boot.
  - With O(devices) also what depends on them, as far as it is asked for. The specification for containers (CDI), and
    C(gres.conf) and the node definition of Slurm. Labels and resources of Kubernetes are returned.
  - All of it is one change by M(instinct.fleet.node_files). The node is looked at first, and only what differs is sent.
  - Meant for the role gpu_partition, which changes the partitions, brings the unit and binds it to boot.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
extends_documentation_fragment:
  - instinct.fleet._partition
options:
  state:
    description: Whether command, data, intent and unit should be there. With V(absent) all else is left as it is.
    type: str
    choices: [present, absent]
    default: present
  boot:
    description: Whether command, data, intent and unit are among the files.
    type: bool
    default: true
  python:
    description: Python on the node that runs the command.
    type: path
    default: /usr/bin/python3
  unit:
    description: The whole unit. Required with O(boot).
    type: str
  profile:
    description: Name of the profile that the node should be in. Either this or O(gpus).
    type: str
    default: ""
  devices:
    description:
      - Logical devices of the node, as RV(instinct.fleet.gpu_partition#module:devices) has them. Without any nothing is
        written that depends on them.
    type: list
    elements: dict
    default: []
  cdi:
    description:
      - Who writes C(/etc/cdi/amd.json). V(own) is this module. V(toolkit) is AMD's C(amd-ctk), which the role runs.
        V(auto) is C(amd-ctk) where C(/usr/bin/amd-ctk) is there, and else this module.
    type: str
    choices: [auto, own, toolkit, none]
    default: none
  gres:
    description: Path of Slurm's C(gres.conf). Empty means that it is not written.
    type: str
    default: ""
  slurm_node:
    description: Path of a file with the line C(NodeName=), for C(slurm.conf) to include. Empty means no file.
    type: str
    default: ""
  slurm_name:
    description: Name of the node in Slurm. Required with O(slurm_node).
    type: str
    default: ""
  slurm_parameters:
    description: What else the line C(NodeName=) has.
    type: dict
    default: {}
  slurm_cores:
    description: Number of a NUMA node to the cores near it, as Slurm numbers them, for C(Cores=) in C(gres.conf).
    type: dict
    default: {}
  kubernetes:
    description: How AMD's device plugin for Kubernetes names its resources.
    type: str
    choices: [single, mixed]
    default: single
attributes:
  check_mode:
    description:
      - Can run in check mode and report what would change. Where the kernel gives out numbers of device nodes only when
        they come, RV(notes) says that the files are not known before the change.
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
  - module: instinct.fleet.gpu_partition
  - module: instinct.fleet.node_files
"""

EXAMPLES = r"""
- name: Bring the GPUs to their partitions
  instinct.fleet.gpu_partition:
    profile: cpx-nps4
  register: partitioned

- name: Tell Slurm and containers
  instinct.fleet.gpu_partition_files:
    boot: false
    devices: "{{ partitioned.devices }}"
    cdi: auto
    gres: /etc/slurm/gres.conf
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
restart:
  description: Units that read one of these files when they start.
  type: list
  elements: str
  returned: success
toolkit:
  description: Whether AMD's toolkit is to write C(/etc/cdi/amd.json).
  type: bool
  returned: success
slurm:
  description: C(gres), the lines of C(gres.conf); C(definition), the value of C(Gres=); C(node), the line C(NodeName=).
  type: dict
  returned: success
  sample: {"definition": "gpu:mi300x_cpx:64"}
kubernetes:
  description: C(arguments) of the device plugin, C(resources) that it offers, C(labels) of the node, and C(notes).
  type: dict
  returned: success
  sample: {"resources": {"amd.com/gpu": 64}}
notes:
  description: What a person should know and that changes nothing.
  type: list
  elements: str
  returned: success
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""
