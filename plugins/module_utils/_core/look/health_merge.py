# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How what the library and sysfs say about health becomes one."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .health import GpuHealth, Health
from .readings import NOT_LISTED, choose

FIELDS = tuple(field.name for field in dc.fields(GpuHealth) if field.name not in ("bdf", "unknown"))
# What sysfs does not tell. source: linux:Documentation/gpu/amdgpu
_LIBRARY_ALONE = ("throttled", "throttled_percent", "pages.threshold", "cper", "pcie_recoveries", "pcie_naks",
                  "xgmi_links")
# What the library would tell no better: its memory calls held partition changes up until 7.12, and its XGMI call reads
# the same file as sysfs, which clears the state; a look changes nothing. source: ROCm/rocm-systems:projects/amdsmi/
# CHANGELOG.md (7.12); rocm_smi.cc, rsmi_dev_xgmi_error_reset; linux:amdgpu_xgmi.c, amdgpu_xgmi_show_error
_CLEARS = {"xgmi_error": "not read: reading it clears it"}

# source: ROCm/rocm-systems#2053
_UNSEEN = "all links are down, which is what a virtual function is told that may not see them"


def merge(library: Health, sysfs: Health, virtual: t.Container[str] = ()) -> Health:
    """Return the health of every GPU that sysfs knows: the library's answers first, sysfs where it has none.

    A reason stays only for a field that nobody answered.

    Args:
        library: where the library did not answer at all, ``unknown`` says why under ``gpus``; where it broke off, the
            GPUs that it did not come to are not in it.
        sysfs: one entry for each GPU on the bus.
        virtual: PCI addresses of virtual functions.
    """
    told = {gpu.bdf: gpu for gpu in library.gpus}
    problem = library.unknown.get("gpus")
    gpus = tuple(_gpu(_seen(told.get(gpu.bdf), gpu.bdf in virtual), gpu, problem or NOT_LISTED) for gpu in sysfs.gpus)
    unknown = {field: why for field, why in library.unknown.items() if field != "gpus"}
    if problem and library.pids is None:
        unknown.setdefault("pids", problem)
    read = any(_answered(gpu, field) for gpu in sysfs.gpus for field in FIELDS)
    source = "amdsmi" if told else "sysfs" if read else None
    return dc.replace(library, gpus=gpus, source=source, unknown=unknown)


def _seen(library: GpuHealth | None, virtual: bool) -> GpuHealth | None:
    """A virtual function that may not see its links is told that all of them are down."""
    if library is None or not virtual or set(library.xgmi_links) - {"absent"} != {"down"}:
        return library
    return dc.replace(library, xgmi_links=(), unknown={**library.unknown, "xgmi_links": _UNSEEN})


def _gpu(library: GpuHealth | None, sysfs: GpuHealth, problem: str) -> GpuHealth:
    alone = f"sysfs does not tell it, and amdsmi did not answer: {problem}"
    first = library or GpuHealth(sysfs.bdf, unknown=dict.fromkeys(_LIBRARY_ALONE, alone))
    values = {field: _choose(getattr(first, field), getattr(sysfs, field)) for field in FIELDS}
    merged = GpuHealth(bdf=sysfs.bdf, **values)
    unknown = {**sysfs.unknown, **first.unknown, **_CLEARS}
    return dc.replace(merged, unknown={field: why for field, why in unknown.items() if not _answered(merged, field)})


def _choose(first: t.Any, second: t.Any) -> t.Any:
    return {**second, **first} if isinstance(first, dict) else choose(first, second)


def _answered(gpu: GpuHealth, field: str) -> bool:
    value: t.Any = gpu
    for part in field.split("."):
        value = value.get(part) if isinstance(value, dict) else getattr(value, part)
    if dc.is_dataclass(value):
        return any(getattr(value, part.name) is not None for part in dc.fields(value))
    return value not in (None, (), {})
