# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tenants, devices and records of reservations, and processes that hold devices."""

from __future__ import annotations

import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import (
    Device,
    Grant,
    Record,
    Tenant,
    Wish,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_holder import Hold, Holder

DEVICES = tuple(Device(f"0000:{bus:02x}:00.0", f"0000:{bus:02x}:00.0", render_node=f"/dev/dri/renderD{128 + number}", product="MI210")
                for number, bus in enumerate((0x05, 0x26, 0x46, 0x65)))
A, B, C, D = DEVICES
INFERENCE = Tenant("inference", users=("alice",), units=("vllm.service",), namespaces=("serving",))
TRAINING = Tenant("training", users=("bob", "carol"), slurm_accounts=("train",), container_label="train-team")
# Two devices for inference, one for training, one spare.
RECORD = Record(
    (INFERENCE, TRAINING),
    (Grant(Wish("serve", "inference", "P0", devices=(A.id, B.id)), (A, B)), Grant(Wish("night", "training", "P1", gpus=1), (C,))), (D,))


def holder(pid: int = 7, *devices: Device, **known: t.Any) -> Holder:
    """A process that holds memory of devices."""
    return Holder(pid, holds=tuple(Hold(device.id, 1 << 30, 1) for device in devices), **{"command": "python3", **known})
