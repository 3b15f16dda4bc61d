# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node for evictions: two GPUs of a tenant that serves, two of one that trains, and those who hold them."""

from __future__ import annotations

import dataclasses as dc
import typing as t
from pathlib import Path

import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.rules import read_rules
from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.shape import Holder, Request, Rules
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import (
    P0,
    P1,
    P2,
    Checkpoint,
    Device,
    Grant,
    Record,
    Tenant,
    Wish,
)

FILE = Path(__file__).resolve().parents[3] / "roles/gpu_reservation/files/eviction/rules.yml"
DATA: dict[str, t.Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
RULES: Rules = read_rules({"path": "rules.yml", "data": DATA})
GIB = 1024 ** 3
A, B, C, D = BDFS = ("0000:05:00.0", "0000:26:00.0", "0000:46:00.0", "0000:65:00.0")
DEVICES = tuple(Device(bdf, bdf, product="MI210", uuid=f"{number:02x}ff-0000", peers=tuple(one for one in BDFS if one != bdf))
                for number, bdf in enumerate(BDFS))
SERVE = Tenant("serve", users=("alice",))
TRAIN = Tenant("train", users=("bob",), checkpoint=Checkpoint(("/opt/save",), seconds=60))
DEV = Tenant("dev", users=("carol",), checkpoint=Checkpoint(signal="SIGUSR1", seconds=5))
MIXED = Tenant("mixed", users=("dora",), protected=True)


def grant(name: str, tenant: str, priority: str, *devices: Device) -> Grant:
    """What a tenant has reserved."""
    return Grant(Wish(name, tenant, priority, gpus=len(devices)), devices)


RECORD = Record((DEV, MIXED, SERVE, TRAIN), (
    grant("inference", "serve", P0, *DEVICES[:2]), grant("night", "train", P1, DEVICES[2]), grant("trials", "dev", P2, DEVICES[3]),
    grant("amp", "mixed", P1, DEVICES[2])))


def holder(pid: int, tenant: str | None = None, *devices: str, **fields: t.Any) -> Holder:
    """A process that holds devices, 12 GiB of each."""
    given = Holder(pid, 1000 + pid, "python3", "bob", None, tenant, devices=dict.fromkeys(devices, 12 * GIB), group=pid,
                   seconds=100)
    return dc.replace(given, **fields)


def request(*devices: str, **fields: t.Any) -> Request:
    """What is asked."""
    return Request(devices, **{"whom": "all", **fields})
