# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The part of a look that is about the health of GPUs. Read through shape.py.

Every number carries its unit in its name. A number that the source does not give is None or not in the mapping.
"""

from __future__ import annotations

import dataclasses as dc

from .gpus import Unknown


@dc.dataclass(frozen=True)
class BlockErrors:
    """Error counters since the driver was loaded, of one RAS block."""

    correctable: int | None = None
    uncorrectable: int | None = None
    deferred: int | None = None


@dc.dataclass(frozen=True)
class Pages:
    """Pages of HBM that are out of use."""

    retired: int | None = None
    pending: int | None = None  # retired at the next reset
    unreservable: int | None = None
    threshold: int | None = None  # at which the driver asks for a replacement


@dc.dataclass(frozen=True)
class ClockRange:
    """One clock domain."""

    current_mhz: int | None = None
    min_mhz: int | None = None
    max_mhz: int | None = None


@dc.dataclass(frozen=True)
class Cper:
    """One common platform error record of the device."""

    severity: str  # fatal, non_fatal_uncorrected, non_fatal_corrected
    epoch: float | None = None  # seconds, None if the record has no time
    afids: tuple[int, ...] = ()  # AMD field ids


@dc.dataclass(frozen=True)
class GpuHealth:
    """What one physical GPU says of itself now."""

    bdf: str
    temperatures_c: dict[str, int] = dc.field(default_factory=dict)  # edge, hotspot, memory, hbm_0 ...
    limits_c: dict[str, int] = dc.field(default_factory=dict)  # critical limits that the device itself names, same keys
    power_w: int | None = None
    power_cap_w: int | None = None
    power_cap_default_w: int | None = None
    clocks: dict[str, ClockRange] = dc.field(default_factory=dict)  # gfx, memory, soc
    performance_level: str | None = None  # in the words of the kernel: auto, manual, perf_determinism ...
    # Active now, by what: prochot, ppt, socket_thermal, vr_thermal, hbm_thermal.
    throttled: dict[str, bool] = dc.field(default_factory=dict)
    throttled_percent: dict[str, int] = dc.field(default_factory=dict)  # the same, of the sampling window
    blocks: dict[str, BlockErrors] = dc.field(default_factory=dict)  # umc, gfx, sdma, xgmi_wafl, pcie_bif, ...
    ras_blocks: tuple[str, ...] = ()  # blocks whose RAS is enabled
    pages: Pages = dc.field(default_factory=Pages)
    cper: tuple[Cper, ...] = ()
    pcie_replays: int | None = None
    pcie_recoveries: int | None = None  # L0 to recovery
    pcie_naks: int | None = None
    xgmi_links: tuple[str, ...] = ()  # up, down, absent (to itself or no link)
    xgmi_error: int | None = None  # 0 none, 1 one, 2 several; a look never reads it, since that clears it
    vram_used_bytes: int | None = None
    vram_total_bytes: int | None = None
    gfx_activity_percent: int | None = None
    memory_activity_percent: int | None = None
    unknown: Unknown = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class Health:
    """Health of all GPUs, with where it was read."""

    gpus: tuple[GpuHealth, ...] = ()
    source: str | None = None  # amdsmi, sysfs
    pids: tuple[int, ...] | None = None  # processes that the library lists on any GPU; compare with KFD's own list
    driver_version: str | None = None  # as the library states it; None too for the kernel's own driver
    driver_in_tree: bool | None = None  # the library gives the text of /proc/version, as it does for the kernel's own
    unknown: Unknown = dc.field(default_factory=dict)
