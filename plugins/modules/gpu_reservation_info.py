#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module gpu_reservation_info: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_reservation_info
short_description: Say who holds each GPU of the node, and whether they may
description:
  - Reads what the node was told of reservations (C(/var/lib/instinct/reservation.json)), which processes hold its
    GPUs, and whose they are, and judges each device. A node that was told of nothing is shown as it is.
  - A process is found in the list of KFD, with the memory and the queues that it has of each device; one that KFD does
    not list and the GPU library does, because it draws or decodes, is taken from there, unless it is root's. One that
    KFD lists and that has not opened the device may be another process, and whose it is is unknown. Seeing that takes
    root.
  - Its tenant is told by the label C(org.instinct.tenant) of its container (Podman, Docker), the namespace of its pod,
    the account of its Slurm job, its systemd unit, its login, and its user, in this order. What a user can make up
    is not believed, such as units and containers within a login or below a service, and users within a container.
  - With O(prove=true) it is tried who can open the devices, by real calls of C(open) under real credentials and device
    policies.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  prove:
    description:
      - Try to open C(/dev/kfd) and each device as root, as C(nobody), as every user of every tenant, and as a service
        in the slice of every tenant that has one; also as root in each slice that has a device policy, logins included.
        Needs root, and C(systemd-run) for slices.
      - A device is opened for reading and writing and closed at once. A GPU that sleeps wakes up.
    type: bool
    default: false
  timeout:
    description: Seconds after which what has not been read is unknown.
    type: int
    default: 120
attributes:
  check_mode:
    description: Can run in check mode. It does the same.
    support: full
  diff_mode:
    description: It changes nothing.
    support: none
  idempotent:
    description: It changes nothing.
    support: full
seealso:
  - module: instinct.fleet.fleet_reservation_report
  - module: instinct.fleet.gpu_evict
"""

EXAMPLES = r"""
- name: See who is on which GPU
  instinct.fleet.gpu_reservation_info:
  register: gpu_reservation_info

- name: Prove that nobody but its tenant can open a device
  instinct.fleet.gpu_reservation_info:
    prove: true
  register: gpu_reservation_info
  failed_when: gpu_reservation_info.proved != 'ok'
"""

RETURN = r"""
actions:
  description: Empty, for nothing is changed.
  type: list
  elements: str
  returned: success
verdict:
  description: The worst of the devices. V(ok), V(unreserved), V(unknown) or V(trespass), from best to worst.
  type: str
  returned: success
  sample: trespass
recorded:
  description: Whether the node was told of reservations.
  type: bool
  returned: success
devices:
  description: Every device of the node, and those of its record that it has no longer.
  type: list
  elements: dict
  returned: success
  contains:
    id:
      description: PCI address of a whole GPU, with the number of the partition for a part of one.
      type: str
      sample: "0000:05:00.0-3"
    gpu:
      description: PCI address of its GPU.
      type: str
    render_node:
      description: Its render node; null where it is not known.
      type: str
    uuid:
      description: Its UUID; null where it is not known.
      type: str
    product:
      description: Its product; null where it is not known.
      type: str
    state:
      description: V(reserved), V(spare), V(pool) for one that nobody has reserved now, V(unlisted) for one that is not
        in the record.
      type: str
    reservations:
      description: The reservations whose time it is.
      type: list
      elements: str
    tenants:
      description: Who may use it.
      type: list
      elements: str
    priority:
      description: The highest class of these reservations; null without one.
      type: str
    verdict:
      description: V(ok), also where nobody holds it; V(trespass), somebody holds it who may not; V(unreserved),
        somebody holds it and nobody has reserved it; V(unknown), that cannot be told.
      type: str
    why:
      description: What is wrong, in one sentence; null where nothing is.
      type: str
    holders:
      description: The processes that have memory or queues of it, or of which that is not known.
      type: list
      elements: dict
      contains:
        pid:
          description: Its number.
          type: int
        started:
          description: Clock ticks after boot at which it began. With the number it is this process and no other.
          type: int
        since:
          description: When that was, in UTC.
          type: str
        user:
          description: Whom it runs as.
          type: str
        login:
          description: The user whose login it belongs to; null for what the system started.
          type: str
        units:
          description: The systemd slices and the service or scope that it is in, outermost first.
          type: list
          elements: str
        engine:
          description: What runs its container; null outside of containers.
          type: str
        container:
          description: The id of its container.
          type: str
        namespace:
          description: The namespace of its pod.
          type: str
        slurm_job:
          description: The id of its Slurm job.
          type: str
        slurm_account:
          description: The account of that job.
          type: str
        command:
          description: Its name.
          type: str
        line:
          description: The first 200 letters of its command line, as every user of the node can see it.
          type: str
        vram_bytes:
          description: The memory of this device that it has; null where that is not known.
          type: int
        queues:
          description: How many queues it has there; null where that is not known.
          type: int
        tenant:
          description: Whose it is; null for nobody's.
          type: str
        by:
          description: What says so.
          type: str
        verdict:
          description: As of the device, of this process alone.
          type: str
        why:
          description: What is wrong with it, or what says whose it is.
          type: str
        unknown:
          description: Field to the reason why it could not be read.
          type: dict
findings:
  description: One for each device that others hold than those it is for, in the form of all findings of this
    collection.
  type: list
  elements: dict
  returned: success
proved:
  description: The worst of RV(proofs). V(ok), V(unknown), V(locked_out) or V(trespass), from best to worst; null
    without O(prove).
  type: str
  returned: success
proofs:
  description: Every attempt to open a device; null without O(prove).
  type: list
  elements: dict
  returned: success
  contains:
    who:
      description: Who tried.
      type: str
      sample: user alice of serving
    subject:
      description: The id of the device, or C(/dev/kfd).
      type: str
    path:
      description: What was opened. The card node of a device is tried by those who must not open it.
      type: str
    could:
      description: Whether it opened; null where that could not be told.
      type: bool
    must:
      description: Whether it must open; null where either is fine.
      type: bool
    verdict:
      description: V(ok); V(trespass), it opened and must not; V(locked_out), it must open and did not; V(unknown).
      type: str
    why:
      description: What the kernel said, in words. It tells permissions of the file from the policy of a control group.
      type: str
unknown:
  description: What could not be read, and why. With an entry C(processes) there may be more processes than are shown,
    with one C(library) those that draw or decode; one C(users.<name>) is a user of a tenant whom the node does not
    have, and as whom nothing is tried.
  type: dict
  returned: success
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act.outcome import finish
from ..module_utils._reservation import check

SPEC = {"prove": {"type": "bool", "default": False}, "timeout": {"type": "int", "default": 120}}


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    given = module.params
    finish(module, lambda: check.check(given["timeout"], given["prove"]))


if __name__ == "__main__":
    main()
