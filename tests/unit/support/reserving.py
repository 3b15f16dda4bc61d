# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts that ask for reservations, as Ansible has their variables."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import Gpu, Gpus, Partition
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import HEALTH, QUARANTINE
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.record import PATH
from ansible_collections.instinct.fleet.tests.unit.support.reservations import BDFS

TENANTS = {"chat": {"users": ["ann"]}, "train": {}}
SERVING = {"name": "serving", "tenant": "chat", "priority": "P0", "gpus": 2, "link": "all_to_all"}
GPUS = Gpus(tuple(
    Gpu(at, bdf, "74a1", "MI300X", numa_node=at // 4, driver="amdgpu", compute_partition="SPX", memory_partition="NPS1",
        partitions=(Partition(0, f"/dev/dri/renderD{128 + 8 * at}", rocr_uuid=f"GPU-{at + 1:016x}"),),
        xgmi_peers=tuple(peer for peer in BDFS if peer != bdf))
    for at, bdf in enumerate(BDFS)))


def looked(before: t.Mapping[str, t.Any] | None = None, gpus: Gpus = GPUS, kept: t.Mapping[str, str] | None = None,
           **file: t.Any) -> dict[str, t.Any]:
    """What gpu_node_info says of the node; ``before``: what the node was told, ``file``: of the look at that, ``kept``:
    what the gate keeps on it, text by path."""
    text = json.dumps({"version": "v1", "kind": "reservation", **before}) if before is not None else None
    seen = {"path": PATH, "sha256": "x" if text else None, "text": text, **file}
    gate: t.Any = {HEALTH: None, QUARANTINE: None, **(kept or {})}
    others = [{"path": path, "sha256": None if said is None else "x", "text": said} for path, said in gate.items()]
    return {"gpus": json.loads(json.dumps(dc.asdict(gpus))), "files": {"files": [seen, *others]}}


def asking(*wishes: dict[str, t.Any], before: t.Mapping[str, t.Any] | None = None) -> dict[str, t.Any]:
    """Variables of a host that was looked at."""
    return {"gpu_reservation_tenants": TENANTS, "gpu_reservation_list": list(wishes), "gpu_reservation_look": {"look": looked(before)}}
