# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From what the library tells of a GPU to what it is now, setting by setting."""

from __future__ import annotations

import typing as t

from ..look.shape import Gpu
from .shape import (
    BY_LIBRARY,
    CAP,
    DETERMINISM,
    ISOLATION,
    LEVEL,
    LINKS,
    MCLK_MAX,
    OFF,
    ON,
    SCLK_MAX,
    SCLK_MIN,
    SOC,
    Target,
    Value,
)

_CLOCKS = (("sclk", "min_clk", SCLK_MIN), ("sclk", "max_clk", SCLK_MAX), ("mclk", "max_clk", MCLK_MAX))
_OF = {"cap": (CAP,), "level": (LEVEL,), "sclk": (SCLK_MIN, SCLK_MAX), "mclk": (MCLK_MAX,), SOC: (SOC,),
       LINKS: (LINKS,), ISOLATION: (ISOLATION,)}
_CAP = ("min_power_cap", "max_power_cap", "default_power_cap", "power_cap")
_LEVEL = "AMDSMI_DEV_PERF_LEVEL_"
_POLICIES = {SOC: "policies", LINKS: "plpds"}
Item = t.Mapping[str, t.Any]


def target(gpu: Gpu, item: Item, lacking: tuple[str, ...], silent: str) -> Target:
    """A GPU as the library tells it.

    Args:
        gpu: as a look has it.
        item: what amdsmi_performance tells of it; empty: nothing.
        lacking: settings that the binding cannot set.
        silent: why nothing was told, where nothing was.
    """
    values: dict[str, Value] = {}
    unknown = {} if item else dict.fromkeys(BY_LIBRARY, silent)
    for name, why in item.get("unknown", {}).items():
        unknown.update(dict.fromkeys(_OF[name], why))
    cap = tuple(item["cap"].get(name) for name in _CAP) if "cap" in item else ()
    limits = _limits(cap)
    if limits:
        values[CAP] = cap[3]
    elif cap:
        unknown[CAP] = "the library tells no limits"
    for name, key, setting in _CLOCKS:
        _number(item, name, key, setting, values, unknown)
    _level(item, values, unknown)
    offers = {setting: _policies(item, setting, values) for setting in _POLICIES if setting in item}
    if ISOLATION in item:
        values[ISOLATION] = ON if item[ISOLATION] else OFF
    return Target(gpu.bdf, gpu.product, gpu.virtual_function, values, unknown, lacking, limits, offers, gpu.near_cpus)


def _limits(cap: t.Sequence[t.Any]) -> tuple[int, int, int] | None:
    """Least, highest and default; some versions of the library give zeros where they could not read."""
    if not cap or not all(isinstance(number, int) for number in cap) or not cap[1] or not cap[2] or not cap[3]:
        return None
    return cap[0], cap[1], cap[2]


def _number(item: Item, name: str, key: str, setting: str, values: dict[str, Value], unknown: dict[str, str]) -> None:
    if name not in item:
        return
    number = item[name].get(key)
    if isinstance(number, int):
        values[setting] = number
    else:
        unknown[setting] = f"the library says {number}"


def _level(item: Item, values: dict[str, Value], unknown: dict[str, str]) -> None:
    """The level; determinism comes with its clock, without which it could not be set again."""
    if "level" not in item:
        return
    level = str(item["level"]).removeprefix(_LEVEL).lower()
    if level != DETERMINISM:
        values[LEVEL] = level
    elif SCLK_MAX in values:
        values[LEVEL] = f"{DETERMINISM} {values[SCLK_MAX]}"
    else:
        unknown[LEVEL] = "it is determinism, and its clock is not told"


def _policies(item: Item, setting: str, values: dict[str, Value]) -> tuple[str, ...]:
    told = item[setting]
    names = {policy["policy_id"]: policy["policy_description"].strip("* ") for policy in told[_POLICIES[setting]]}
    if told["current_id"] in names:
        values[setting] = names[told["current_id"]]
    return tuple(names.values())
