# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What profiles set of a node and its GPUs, and what is seen of it."""

from __future__ import annotations

import dataclasses as dc
import typing as t

# In the order in which they are set: a clock can be limited once the level is manual.
CAP, SOC, LINKS, ISOLATION, LEVEL = "power_cap", "soc_pstate", "xgmi_plpd", "process_isolation", "performance_level"
CLOCKS = SCLK_MIN, SCLK_MAX, MCLK_MAX = "sclk_min_mhz", "sclk_max_mhz", "mclk_max_mhz"
IRQ, NUMA = "irq_affinity", "numa_balancing"
BY_LIBRARY = (CAP, SOC, LINKS, ISOLATION, LEVEL, *CLOCKS)
SETTINGS = (*BY_LIBRARY, IRQ, NUMA)
OF_NODE = (NUMA,)
NODE = "node"
AUTO, MANUAL, DETERMINISM = "auto", "manual", "determinism"
# source: ROCm/rocm-systems:projects/amdsmi/docs/conceptual/perf-determinism.md
LEVELS = (AUTO, "low", "high", MANUAL, "stable_std", "stable_peak", "stable_min_mclk", "stable_min_sclk")
ON, OFF = "on", "off"
MICRO = 1_000_000
# How well a setting holds: the device or the kernel sees to it, or others may undo it (irqbalance moves interrupts).
ENFORCING, COOPERATIVE = "enforcing", "cooperative"

# power_cap is in microwatts, clocks are in MHz; all others are words. A level with its clock is "determinism 1900".
Value = t.Union[int, str]
Values = t.Mapping[str, Value]


@dc.dataclass(frozen=True)
class Target:
    """A GPU, or the node itself, as seen.

    Attributes:
        name: PCI address; NODE for the node.
        product: MI210.
        virtual: whether it is a virtual function; None: unknown.
        values: setting -> what it is now. A setting that is neither here nor in ``unknown`` does not exist here.
        unknown: setting -> why it could not be read.
        lacking: settings that nothing here can change.
        cap: least, highest and default power cap of the board, in microwatts; None: unknown.
        offers: setting -> names that it can be given.
        near_cpus: 0-15,64-79; None: unknown.
    """

    name: str
    product: str | None = None
    virtual: bool | None = None
    values: Values = dc.field(default_factory=dict)
    unknown: t.Mapping[str, str] = dc.field(default_factory=dict)
    lacking: tuple[str, ...] = ()
    cap: tuple[int, int, int] | None = None
    offers: t.Mapping[str, tuple[str, ...]] = dc.field(default_factory=dict)
    near_cpus: str | None = None

    @property
    def where(self) -> str:
        """What messages call it."""
        return NODE if self.name == NODE else f"gpu {self.name}"


@dc.dataclass(frozen=True)
class Step:
    """One thing to set."""

    target: str
    setting: str
    before: Value | None
    value: Value

    @property
    def words(self) -> str:
        """``set power cap of 0000:03:00.0 to 275 W (was 300 W)``."""
        was = "" if self.before is None else f" (was {shown(self.setting, self.before)})"
        of = "" if self.target == NODE else f" of {self.target}"
        return f"set {label(self.setting)}{of} to {shown(self.setting, self.value)}{was}"


@dc.dataclass(frozen=True)
class Unsupported:
    """A setting of the profile that cannot be had here, and why."""

    target: str
    setting: str
    wanted: str
    reason: str


def label(setting: str) -> str:
    """The name of a setting in a sentence."""
    return setting.removesuffix("_mhz").replace("_", " ")


def shown(setting: str, value: Value) -> str:
    """A value with its unit."""
    if setting == CAP and isinstance(value, int):
        return f"{value / MICRO:g} W"
    return f"{value} MHz" if setting in CLOCKS else str(value)
