#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module gpu_evict: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: gpu_evict
short_description: Free devices of the processes that hold them, with their state saved, and prove it
description:
  - Frees devices, those of a reservation, or all that a tenant has reserved. Strangers go first, then class P2, then
    P1. P0 is never evicted.
  - Each tenant's programs are told to save their state, then get SIGTERM (and SIGCONT, for one that is stopped would
    not see it), and have the time of their class, or less once none of them holds a device. Who holds one still is
    killed only if O(kill_allowed); who gave it back lives on. If processes of one class stay, those of the next are
    not told to go.
  - Proves that the driver has given back memory and queues. A GPU is reset only if O(reset_allowed), nobody lives on
    any GPU of its hive, and it is still held or in use.
  - A signal reaches the process that was seen, or nobody. Processes are pinned by a file descriptor (pidfd, Linux
    5.3), and one that began at another time is another. Threads of the kernel, process 1 and all that this run comes
    from are never signalled, and nothing that does not hold one of the devices, or has not opened it.
  - Leaves mixed precision jobs alone for 1800 s x (1 + GPUs / 8) from their start. Those are the jobs of tenants that
    are flagged as protected, and of devices whose O(samples) or O(sample_seconds) show the pattern.
  - Each step is a line of C(/var/lib/instinct/journal.jsonl) on the node at the time when it is done.
  - An action plugin on the controller reads the rules, and gives them to the module.
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  devices:
    description: Devices by id (V(0000:05:00.0), or V(0000:05:00.0-3) for a partition), GPUs by PCI address (all of
      their devices), or UUIDs. Exactly one of this, O(reservation) and O(tenant) must be given.
    type: list
    elements: str
    default: []
  reservation:
    description: Name of a reservation of the node.
    type: str
    default: ""
  tenant:
    description: Name of a tenant. All devices that are reserved for it are freed.
    type: str
    default: ""
  whom:
    description:
      - V(trespassers) evicts those who hold a device that is reserved for others.
      - V(all) evicts everybody from the devices, the tenant itself too.
    type: str
    choices: [trespassers, all]
    default: trespassers
  classes:
    description: Classes that may be evicted, V(P2) and V(P1). A process of nobody who has reserved anything counts as
      P2.
    type: list
    elements: str
    default: [P2, P1]
  checkpoint:
    description:
      - How the checkpoint command or signal of a tenant is taken.
      - With V(required) its processes stay if the command fails, or one of them has no handler for the signal; with
        V(attempted) they go all the same; with V(skipped) it is not run. Who has no handler is never sent that signal.
    type: str
    choices: [required, attempted, skipped]
    default: required
  grace:
    description: Seconds between SIGTERM and the end, by class, where they are not those of the rules (15 for P2, 30
      for P1).
    type: dict
    default: {}
  kill_allowed:
    description: Whether those that stay may be killed. What they have not saved is lost, and so may be memory of the
      GPU.
    type: bool
    default: false
  reset_allowed:
    description: Whether a GPU may be reset that stays held by processes that ended, or in use by nobody.
    type: bool
    default: false
  protection:
    description: Whether mixed precision jobs are left alone for a while.
    type: bool
    default: true
  samples:
    description: What a monitor has seen of devices, oldest first. Without any, only the flag of a tenant protects its
      jobs.
    type: list
    elements: dict
    default: []
    suboptions:
      device:
        description: Id of the device.
        type: str
        required: true
      interval:
        description: Seconds between two samples.
        type: int
        required: true
      compute:
        description: Compute activity in per cent; null where a reading failed.
        type: list
        elements: raw
        required: true
      bandwidth:
        description: Bandwidth of its memory, in any unit, at the same moments.
        type: list
        elements: raw
        required: true
  sample_seconds:
    description:
      - Seconds for which the compute and the memory activity of the devices are read, once a second, before it is
        decided who goes, in check mode too. What is seen counts as O(samples) do.
      - The pattern takes a minute or more to show. Activity is that of the whole GPU, in per cent, so that a burst over
        a usual activity of more than a third is not recognised.
    type: int
    default: 0
  rules:
    description: File of the controller with grace times, protection and the pattern, instead of that of the
      collection.
    type: path
  lock_timeout:
    description: Seconds to wait for another run that acts on the node.
    type: int
    default: 30
  actor:
    description: Who asks, for the journal of the node. By default the user of the controller.
    type: str
  rules_data:
    description: The rules. The action plugin fills it in.
    type: dict
attributes:
  check_mode:
    description: Says exactly who would be signalled, in which order and how.
    support: full
  diff_mode:
    description: Shows who holds the devices before and after, a line each.
    support: full
  idempotent:
    description: Devices that nobody holds are not touched.
    support: full
  action:
    description: Has an action plugin on the controller.
    support: full
seealso:
  - module: instinct.fleet.gpu_reservation_info
  - module: instinct.fleet.gpu_idle
"""

EXAMPLES = r"""
- name: Whoever is on the inference GPUs and does not belong there
  instinct.fleet.gpu_evict:
    reservation: inference
    whom: trespassers

- name: Empty one GPU of development work, by force if it must be
  instinct.fleet.gpu_evict:
    devices: ["0000:05:00.0"]
    whom: all
    classes: [P2]
    kill_allowed: true
"""

RETURN = r"""
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: always
  sample: ["send SIGTERM to pid 4711 (python3, bob, tenant train), class P2, on 0000:05:00.0 (12.0 GiB)"]
processes:
  description: Those that were told to go, with C(pid), C(start), C(command), C(user), C(unit), C(tenant), C(devices),
    C(priority), C(result) (V(gone), V(checkpoint), V(SIGTERM), V(let_go), V(SIGKILL), V(stays); V(would_go) in check
    mode) and C(seconds) until the end. V(let_go) gave the devices back and lives. Who did so before it was its turn is
    V(gone).
  type: list
  elements: dict
  returned: success, and on failure once there was a first signal
kept:
  description: Those that hold one of the devices and were not told to go, with the C(reason).
  type: list
  elements: dict
  returned: success, and on failure once there was a first signal
survivors:
  description: Pids of those that were told to go and stay.
  type: list
  elements: int
  returned: success, and on failure once there was a first signal
devices:
  description: Each device that was to be freed, with C(device), C(released), C(reason), C(vram_bytes_before),
    C(vram_bytes_after), C(driver_bytes_after), C(pids_before) and C(pids_after).
  type: list
  elements: dict
  returned: success, and on failure once there was a first signal
freed_bytes:
  description: Memory that was freed, as KFD counts it; null where that is unknown.
  type: int
  returned: success, and on failure once there was a first signal
seconds:
  description: How long it took.
  type: float
  returned: success, and on failure once there was a first signal
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act.outcome import finish
from ..module_utils._evict.evict import run
from ..module_utils._evict.options import asked

SPEC = {
    "devices": {"type": "list", "elements": "str", "default": []},
    "reservation": {"type": "str", "default": ""},
    "tenant": {"type": "str", "default": ""},
    "whom": {"type": "str", "choices": ["trespassers", "all"], "default": "trespassers"},
    "classes": {"type": "list", "elements": "str", "default": ["P2", "P1"]},
    "checkpoint": {"type": "str", "choices": ["required", "attempted", "skipped"], "default": "required"},
    "grace": {"type": "dict", "default": {}},
    "kill_allowed": {"type": "bool", "default": False},
    "reset_allowed": {"type": "bool", "default": False},
    "protection": {"type": "bool", "default": True},
    "samples": {"type": "list", "elements": "dict", "default": [], "options": {
        "device": {"type": "str", "required": True}, "interval": {"type": "int", "required": True},
        "compute": {"type": "list", "elements": "raw", "required": True},
        "bandwidth": {"type": "list", "elements": "raw", "required": True}}},
    "sample_seconds": {"type": "int", "default": 0},
    "rules": {"type": "path"},
    "lock_timeout": {"type": "int", "default": 30},
    "actor": {"type": "str"},
    "rules_data": {"type": "dict"},
}


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    finish(module, lambda: run(asked(module.params), module.check_mode))


if __name__ == "__main__":
    main()
