# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node whose devices were given to tenants: two whole GPUs of one, one that both share, one in halves, a spare."""

from __future__ import annotations

import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import (
    Device,
    Grant,
    Record,
    Tenant,
    Wish,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.share import placed

GPUS = ("0000:05:00.0", "0000:26:00.0", "0000:46:00.0", "0000:65:00.0", "0000:85:00.0")


def device(number: int, partition: int = 0, of: int = 1, **changes: t.Any) -> Device:
    """One device, as a look of an MI300X tells of it."""
    gpu, minor = GPUS[number], 128 + 8 * number + partition
    return Device(**{
        "id": gpu if of == 1 else f"{gpu}-{partition}", "gpu": gpu, "partition": partition, "of": of, "product": "MI300X",
        "rocr_uuid": f"GPU-{number}" if of == 1 else None, "render_node": f"/dev/dri/renderD{minor}", "numa_node": number // 3,
        "near_cpus": ("0-47", "48-95")[number // 3], "compute_units": 304 // of, **changes})


def grant(name: str, tenant: str, *devices: Device, priority: str = "P1", **changes: t.Any) -> Grant:
    """What a tenant was given."""
    return Grant(Wish(name, tenant, priority, gpus=len(devices), **changes), devices)


FIRST, SECOND, SHARED, SPARE = (device(number) for number in (0, 1, 2, 4))
HALF, OTHER_HALF = device(3, 0, of=2), device(3, 1, of=2)
VISION = Tenant("vision", ("alice",), ("vllm.service",), namespaces=("inference",))
RESEARCH = Tenant("research", ("bob", "carol"), slurm_accounts=("physics",))
RECORD = placed(Record(
    (RESEARCH, VISION),
    (grant("half", "research", HALF), grant("much", "vision", SHARED, share=75), grant("rest", "research", SHARED, share=25),
     grant("serve", "vision", FIRST, SECOND, priority="P0", memory_bandwidth=80)),
    (SPARE,), (OTHER_HALF,)), None)
