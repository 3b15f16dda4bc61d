# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""All that can be checked: by id, what it measures, in which unit, and what must be looked at for it."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from . import counters, heat, holders, links, node_state
from .sample import Sample, Seen


@dc.dataclass(frozen=True)
class Measure:
    """Attributes: take, unit, sections of the look that it needs, and whether it counts since the driver was loaded."""

    take: t.Callable[[Seen], t.Iterator[Sample]]
    unit: str
    sections: tuple[str, ...]
    counts: bool = False


_HEALTH = ("gpus", "smi", "health")
_ERRORS, _C = "errors", "C"

MEASURES: dict[str, Measure] = {
    "gpu-count": Measure(node_state.count, "GPUs", ("gpus", "files")),
    "gpu-on-bus": Measure(links.on_bus, "", ("gpus",)),
    "driver-bound": Measure(node_state.driver_bound, "", ("gpus",)),
    "library": Measure(node_state.library, "", ("smi",)),
    "firmware-agreement": Measure(node_state.firmware, "blocks that differ", ("gpus", "firmware")),
    "partition-compute": Measure(node_state.partition("compute_partition"), "", ("gpus",)),
    "partition-memory": Measure(node_state.partition("memory_partition"), "", ("gpus",)),
    "log-fail": Measure(node_state.logged("fail"), "faults", ("log", "gpus", "kernel", "driver", "os")),
    "log-warn": Measure(node_state.logged("warn"), "faults", ("log", "gpus", "kernel", "driver", "os")),
    "ecc-uncorrectable": Measure(counters.ecc("uncorrectable"), _ERRORS, _HEALTH, True),
    "ecc-deferred": Measure(counters.ecc("deferred"), _ERRORS, _HEALTH, True),
    "ecc-correctable": Measure(counters.ecc("correctable"), _ERRORS, _HEALTH, True),
    "ras-enabled": Measure(counters.ras, "blocks", _HEALTH),
    "pages-retired": Measure(counters.pages_retired, "pages", _HEALTH),
    "pages-pending": Measure(counters.field("pages.pending"), "pages", _HEALTH),
    "pages-unreservable": Measure(counters.field("pages.unreservable"), "pages", _HEALTH),
    "cper-fatal": Measure(counters.cper(counters.FATAL), "records", (*_HEALTH, "host")),
    "cper-uncorrected": Measure(counters.cper(counters.UNCORRECTED), "records", (*_HEALTH, "host")),
    "pcie-width": Measure(links.width, "lanes", ("gpus", "smi")),
    "pcie-speed": Measure(links.speed, "MT/s", _HEALTH),
    "pcie-replays": Measure(counters.field("pcie_replays"), "replays", _HEALTH, True),
    "pcie-aer": Measure(counters.aer, _ERRORS, ("gpus", "host"), True),
    "xgmi-links": Measure(links.xgmi_links, "links down", _HEALTH),
    "xgmi-errors": Measure(counters.xgmi_errors, _ERRORS, _HEALTH, True),
    "xgmi-status": Measure(counters.field("xgmi_error"), "", _HEALTH),
    "rdma-links": Measure(links.rdma, "ports not active", ("host",)),
    "temperature-edge": Measure(heat.temperature("edge"), _C, _HEALTH),
    "temperature-hotspot": Measure(heat.temperature("hotspot", "junction"), _C, _HEALTH),
    "temperature-memory": Measure(heat.temperature(*heat.MEMORY), _C, _HEALTH),
    "temperature-gradient": Measure(heat.gradient, _C, _HEALTH),
    "throttle-thermal": Measure(heat.throttled_by_heat, "causes active", _HEALTH),
    "throttle-power": Measure(heat.throttled_by_power, "% below the cap", _HEALTH),
    "power-draw": Measure(heat.power_draw, "% of the cap", _HEALTH),
    "power-cap": Measure(heat.power_cap, "% of the default", _HEALTH),
    "clock-stuck": Measure(heat.clock_stuck, "% use at the lowest clock", _HEALTH),
    "memory-held": Measure(holders.memory_held, "MiB", (*_HEALTH, "processes")),
    "processes-gone": Measure(holders.zombies, "processes", ("processes", "os")),
    "processes-unlisted": Measure(holders.unlisted, "processes", (*_HEALTH, "processes")),
}
