# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Temperatures, throttling, power and clocks."""

from __future__ import annotations

import typing as t

from ..look.shape import Gpu, GpuHealth
from .sample import Sample, Seen, reason_of, without

Take = t.Callable[[Seen], t.Iterator[Sample]]
MEMORY = ("memory", "hbm")  # sensors of the memory begin so
POWER = "ppt"  # throttled because power reached its cap; everything else is heat
_BUSY, _SLOW = "gfx", 1.1


def temperature(*beginnings: str) -> Take:
    """The sensors whose names begin so, each against the critical limit that the device names for it."""
    def take(seen: Seen) -> t.Iterator[Sample]:
        for gpu, health in seen.healths():
            if isinstance(health, str):
                yield Sample(gpu.bdf, reason=health)
                continue
            sensors = [name for name in sorted(health.temperatures_c) if name.startswith(beginnings)]
            for name in sensors:
                limit = health.limits_c.get(name, health.limits_c.get(beginnings[0]))
                yield Sample(gpu.bdf, health.temperatures_c[name], name, named=limit)
            if not sensors:
                yield without(gpu, f"temperatures_c.{beginnings[0]}", health)
    return take


def gradient(seen: Seen) -> t.Iterator[Sample]:
    """How much hotter the memory of a GPU is than that of the cooler of its neighbours on the bus."""
    hottest = [_hottest_memory(health) for _gpu, health in seen.healths()]
    for place, gpu in enumerate(seen.gpus):
        own = hottest[place]
        beside = [(seen.gpus[near].bdf, hottest[near]) for near in (place - 1, place + 1) if 0 <= near < len(hottest)]
        known = [(other, bdf) for bdf, other in beside if other is not None]
        if own is None:
            yield Sample(gpu.bdf, reason="the memory tells no temperature")
        elif not known:
            yield Sample(gpu.bdf, reason="no neighbour tells a temperature", supported=False)
        else:
            other, bdf = min(known)
            yield Sample(gpu.bdf, own - other, seen=f"{own} C, {bdf} beside it {other} C")


def _hottest_memory(health: GpuHealth | str) -> int | None:
    if isinstance(health, str):
        return None
    return max((value for name, value in health.temperatures_c.items() if name.startswith(MEMORY)), default=None)


def throttled_by_heat(seen: Seen) -> t.Iterator[Sample]:
    """What throttles the GPU now because something is too hot. Power at its cap under load is none of that."""
    for gpu, health in seen.healths():
        if isinstance(health, str):
            yield Sample(gpu.bdf, reason=health)
            continue
        causes = {name: active for name, active in health.throttled.items() if name != POWER}
        if not causes:
            yield without(gpu, "throttled", health)
            continue
        active = sorted(name for name, now in causes.items() if now)
        yield Sample(gpu.bdf, len(active), seen=", ".join(map(_share(health), active)) or "none active")


def _share(health: GpuHealth) -> t.Callable[[str], str]:
    def words(name: str) -> str:
        percent = health.throttled_percent.get(name)
        return f"{name} active" if percent is None else f"{name} active, {percent} % of the time"
    return words


def throttled_by_power(seen: Seen) -> t.Iterator[Sample]:
    """How far below its power cap a GPU is throttled for power, in percent: at the cap that is how a cap works."""
    for gpu, health in seen.healths():
        if isinstance(health, str):
            yield Sample(gpu.bdf, reason=health)
        elif POWER not in health.throttled:
            yield without(gpu, f"throttled.{POWER}", health)
        elif not health.throttled[POWER]:
            yield Sample(gpu.bdf, 0, seen="not throttled for power")
        elif not health.power_w or not health.power_cap_w:
            yield Sample(gpu.bdf, reason=f"throttled for power; {_missing_power(health)}")
        else:
            below = max(0, round(100 - 100 * health.power_w / health.power_cap_w))
            yield Sample(gpu.bdf, below, seen=f"throttled at {health.power_w} W of {health.power_cap_w} W")


def _missing_power(health: GpuHealth) -> str:
    reasons = (reason_of(health.unknown, "power_w"), reason_of(health.unknown, "power_cap_w"))
    return next(filter(None, reasons), "power or cap is not told")


def power_draw(seen: Seen) -> t.Iterator[Sample]:
    """Power in percent of the cap."""
    return _percent(seen, "power_w", "power_cap_w", " of")


def power_cap(seen: Seen) -> t.Iterator[Sample]:
    """The power cap in percent of what the product comes with."""
    return _percent(seen, "power_cap_w", "power_cap_default_w", ", by default")


def _percent(seen: Seen, part: str, whole: str, words: str) -> t.Iterator[Sample]:
    """One field in watts in percent of another; ``words`` stand between them."""
    for gpu, health in seen.healths():
        if isinstance(health, str):
            yield Sample(gpu.bdf, reason=health)
            continue
        watts, of = getattr(health, part), getattr(health, whole)
        if watts is None or not of:
            yield without(gpu, part if watts is None else whole, health)
        else:
            yield Sample(gpu.bdf, round(100 * watts / of), seen=f"{watts} W{words} {of} W")


def clock_stuck(seen: Seen) -> t.Iterator[Sample]:
    """Use of a GPU in percent whose clock stays at its lowest all the same; 0 if it does not."""
    for gpu, health in seen.healths():
        yield Sample(gpu.bdf, reason=health) if isinstance(health, str) else _clock(gpu, health)


def _clock(gpu: Gpu, health: GpuHealth) -> Sample:
    clock, use = health.clocks.get(_BUSY), health.gfx_activity_percent
    if clock is None or clock.current_mhz is None or clock.min_mhz is None:
        return without(gpu, "clocks", health)
    if use is None:
        return without(gpu, "gfx_activity_percent", health)
    words = f"{clock.current_mhz} MHz at {use} % use, performance level {health.performance_level or 'not told'}"
    slow = clock.max_mhz is not None and clock.current_mhz <= clock.min_mhz * _SLOW < clock.max_mhz
    return Sample(gpu.bdf, use if slow else 0, seen=words)
