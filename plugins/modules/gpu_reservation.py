#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module gpu_reservation: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_reservation
short_description: Give the GPUs of a node to tenants, and keep all others from them
description:
  - Brings a node to what its record says, without a reboot. Groups of tenants, udev rules and the permissions of the
    device nodes that are there, slices of systemd with device policies, limits, environments, readable intent, and what
    Slurm and container engines are told. The unit C(instinct-reservation.service) keeps that over boots and windows,
    by a command that M(instinct.fleet.gpu_reservation_files) installs.
  - All files are one set, which is written as a whole or not at all. Files of the last set that are not wanted any more
    are removed. A file that is there and was not written by this module is refused.
  - What is open stays open. M(instinct.fleet.gpu_reservation_info) says who holds what, M(instinct.fleet.gpu_evict)
    ends it.
  - Each setting of the result carries a mark. V(enforcing) is the kernel's work, V(cooperative) that of programs that
    obey, V(intent) does nothing on this node.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  state:
    description: Whether the node has reservations. V(absent) removes what this module brought, and opens the devices to
      the render group.
    type: str
    choices: [present, absent]
    default: present
  record:
    description: What the node is told, as RV(instinct.fleet.fleet_reservation_plan#module:records) has it.
      Required with O(state=present).
    type: dict
  render_gid:
    description: Number of the group C(render), the same on all nodes and in images. Without it the number stays.
    type: int
  intent_dir:
    description: Directory of C(device_filter.conf) and C(quality_of_service.conf), which no program reads.
    type: str
    default: /etc/instinct
  cdi:
    description: Whether C(/etc/cdi/instinct-tenants.json) has a device for each tenant.
    type: bool
    default: true
  devices_besides:
    description: Other devices that tenants may open, as C(DeviceAllow=) of systemd names them.
    type: list
    elements: str
    default: []
  bind:
    description: Whether slices, logins and units of a tenant are kept to the CPUs and the memory near its devices.
    type: bool
    default: true
  gres:
    description: Path of Slurm's C(gres.conf) with what Slurm may give. Empty means that it is not written.
    type: str
    default: ""
  cgroup:
    description: Path of Slurm's C(cgroup.conf), which keeps jobs from devices that they were not given. Empty means
      that it is not written.
    type: str
    default: ""
  slurm_parameters:
    description: What else C(cgroup.conf) says.
    type: dict
    default: {}
  slurm_cores:
    description: Number of a NUMA node to the cores near it, as Slurm numbers them.
    type: dict
    default: {}
  before:
    description: Units that start at boot after the devices were given.
    type: list
    elements: str
    default: []
  boot_wait:
    description: Seconds to wait at boot for all devices.
    type: int
    default: 300
  lock_timeout:
    description: Seconds to wait for another run that acts on this node.
    type: int
    default: 30
attributes:
  check_mode:
    description: Can run in check mode and report what would change.
    support: full
  diff_mode:
    description: Shows each file, and the permissions of each device node, before and after.
    support: full
  idempotent:
    description: A second run changes nothing until a window opens or closes.
    support: full
seealso:
  - module: instinct.fleet.fleet_reservation_plan
  - module: instinct.fleet.gpu_reservation_info
"""

EXAMPLES = r"""
- name: Give the GPUs to their tenants
  instinct.fleet.gpu_reservation:
    record: "{{ gpu_reservation_plan.records[inventory_hostname] }}"
    gres: /etc/slurm/gres.conf
    cgroup: /etc/slurm/cgroup.conf
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
settings:
  description: Each setting with C(tenant) (empty where it is of the node), C(what), C(mark) and C(how).
  type: list
  elements: dict
  returned: success
  sample: [{"tenant": "vision", "what": "slice", "mark": "enforcing", "how": "a device policy, for what runs in it"}]
holds:
  description: Names of the reservations that hold now.
  type: list
  elements: str
  returned: success
missing:
  description: Devices of the record that are not there. Always empty here, where such a record is refused.
  type: list
  elements: str
  returned: success
unknown_users:
  description: Users of tenants that the node does not know. Always empty here, where such a record is refused.
  type: list
  elements: str
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
pending:
  description: Services of tenants that have their new slice and environment once they are started anew. Their device
    policy holds at once.
  type: list
  elements: str
  returned: success
slurm:
  description: C(gres), the lines of C(gres.conf), and C(definition), the value of C(Gres=) of the node.
  type: dict
  returned: success
  sample: {"definition": "gpu:mi300x_vision:2"}
kubernetes:
  description: C(labels) of the node, tenants by C(namespaces), what AMD's C(plugin) offers, and C(notes).
  type: dict
  returned: success
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import functools
import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act.outcome import finish
from ..module_utils._reservation.apply import run
from ..module_utils._reservation.request import of_options

SPEC: dict[str, t.Any] = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "record": {"type": "dict"},
    "render_gid": {"type": "int"},
    "intent_dir": {"type": "str", "default": "/etc/instinct"},
    "cdi": {"type": "bool", "default": True},
    "devices_besides": {"type": "list", "elements": "str", "default": []},
    "bind": {"type": "bool", "default": True},
    "gres": {"type": "str", "default": ""},
    "cgroup": {"type": "str", "default": ""},
    "slurm_parameters": {"type": "dict", "default": {}},
    "slurm_cores": {"type": "dict", "default": {}},
    "before": {"type": "list", "elements": "str", "default": []},
    "boot_wait": {"type": "int", "default": 300},
    "lock_timeout": {"type": "int", "default": 30},
}


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec=SPEC, supports_check_mode=True, required_if=[("state", "present", ["record"])])
    finish(module, lambda: run(functools.partial(of_options, module.params, module.check_mode)))


if __name__ == "__main__":
    main()
