# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A healthy node as a look, and ways to make it ill; the profiles as they are shipped."""

from __future__ import annotations

import dataclasses as dc
import functools
import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import Check
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.inherit import resolve
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.judge import Judgement, judge
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.profile import Profile
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.host import Clock, Host, PciDevice, RdmaPort
from ansible_collections.instinct.fleet.plugins.plugin_utils.diagnosis_files import read

A, B = "0000:05:00.0", "0000:26:00.0"
NOW, BOOTED = 1_800_000_000.0, 1_799_000_000.0
GIB = 1024**3


def gpu(bdf: str = A, index: int = 0, **changes: t.Any) -> lk.Gpu:
    """A GPU at rest."""
    return dc.replace(lk.Gpu(
        index, bdf, "74a1", product="MI300X", virtual_function=False, serial=f"{index:x}e", vram_bytes=192 * GIB,
        compute_partition="SPX", memory_partition="NPS1", driver="amdgpu", pcie=lk.Link(16, 16, 32000, 32000),
    ), **changes)


def health(bdf: str = A, **changes: t.Any) -> lk.GpuHealth:
    """What it says of itself."""
    return dc.replace(lk.GpuHealth(
        bdf, temperatures_c={"hotspot": 44, "memory": 40}, limits_c={"hotspot": 100, "memory": 105},
        power_w=140, power_cap_w=750, power_cap_default_w=750, clocks={"gfx": lk.ClockRange(132, 132, 2100)},
        performance_level="auto", throttled={"ppt": False, "socket_thermal": False, "hbm_thermal": False},
        blocks={"umc": lk.BlockErrors(0, 0, 0), "gfx": lk.BlockErrors(0, 0, 0), "xgmi_wafl": lk.BlockErrors(0, 0, 0)},
        ras_blocks=("umc", "gfx"), pages=lk.Pages(0, 0, 0, 128), pcie_replays=0, xgmi_links=("absent", "up", "up"),
        xgmi_error=0, vram_used_bytes=283 * 1024**2, vram_total_bytes=192 * GIB, gfx_activity_percent=0,
    ), **changes)


def look(gpus: tuple[lk.Gpu, ...] | None = None, healths: tuple[lk.GpuHealth, ...] | None = None,
         **changes: t.Any) -> lk.Look:
    """Two healthy GPUs of a node that recorded that it has two."""
    there = (gpu(A, 0), gpu(B, 1)) if gpus is None else gpus
    told = tuple(health(item.bdf) for item in there) if healths is None else healths
    record = lk.ManagedFile("/var/lib/instinct/release.json", "0" * 64, text='{"gpus": 2}')
    return dc.replace(lk.Look(
        os=lk.Os(id="debian", virtualization="none"), kernel=lk.Kernel(running="6.1.0-56-amd64", boot_id="boot-1"),
        driver=lk.Driver(loaded=True, srcversion="AAAA"), smi=lk.Smi(source="amdsmi", library_version="26.0.2"),
        gpus=lk.Gpus(there), health=lk.Health(told, "amdsmi", pids=()), processes=lk.Processes(()),
        firmware=lk.Firmware(tuple(lk.GpuFirmware(item.bdf, {"PM": "85.123"}, "amdsmi", "022.1") for item in there)),
        files=lk.Files((record,)), log=lk.Log(),
        host=Host(devices=tuple(PciDevice(item.bdf, "1002", "74a1", "gpu", aer_fatal=0) for item in there),
                  rdma=(RdmaPort("mlx5_0", 1, state="ACTIVE"),), clock=Clock(NOW, True, BOOTED)),
    ), **changes)


@functools.cache
def profile(name: str = "admission") -> Profile:
    """A shipped profile."""
    documents = [(document["path"], document["data"]) for document in read().profiles]
    return Profile.from_document(resolve(documents, name), name)


def judged(seen: lk.Look, name: str = "admission", **more: t.Any) -> Judgement:
    """The judgement by a shipped profile."""
    return judge(seen, profile(name), **{"now": NOW, **more})


def check(judgement: Judgement, ident: str, subject: str = A) -> Check:
    """One check of it."""
    return next(item for item in judgement.checks if (item.id, item.subject) == (ident, subject))


def notable(judgement: Judgement) -> list[tuple[str, str, str]]:
    """The checks that did not pass, but for those that the node has nothing for."""
    return [(item.id, item.subject, item.verdict) for item in judgement.checks
            if item.verdict in ("warn", "fail") or (item.id, item.subject) in judgement.blocking]
