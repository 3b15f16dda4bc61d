# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Whether a GPU takes what a profile asks of it: by its product, its board, the binding and what it offers."""

from __future__ import annotations

import typing as t

from ..errors import FleetError
from .products import REFUSED, Limits, Products
from .profile import DEFAULT, NEAR, Profile
from .shape import (
    CAP,
    CLOCKS,
    DETERMINISM,
    IRQ,
    LEVEL,
    MANUAL,
    MCLK_MAX,
    MICRO,
    NODE,
    OF_NODE,
    SCLK_MAX,
    SCLK_MIN,
    SETTINGS,
    Target,
    Unsupported,
    Value,
    label,
    shown,
)

PREFIXES = {"soc_pstate": "soc_pstate_", "xgmi_plpd": "plpd_"}  # of names that amdgpu lists
VIRTUAL = "a virtual function takes none of it: its host sets it"


def fitted(profile: Profile, target: Target, products: Products) -> tuple[dict[str, Value], list[Unsupported]]:
    """What is wanted of a target, as it reads back, and what of it cannot be had.

    Raises:
        FleetError: a value is beyond the limits of the board or the product: it is never set, whatever the policy.
    """
    asked = profile.of(target.product)
    values: dict[str, Value] = {}
    unsupported = []
    for setting in SETTINGS:
        if setting not in asked or (setting in OF_NODE) is not (target.name == NODE):
            continue
        value, why = _fit(profile, target, products.get(target.product or ""), setting, asked)
        if setting in CLOCKS and LEVEL not in values:
            why = f"the level cannot be {MANUAL}"
        if why:
            unsupported.append(Unsupported(target.name, setting, shown(setting, asked[setting]), why))
        else:
            values[setting] = value
    return values, unsupported


def _fit(profile: Profile, target: Target, limits: Limits | None, setting: str, asked: t.Mapping[str, Value],
         ) -> tuple[Value, str]:
    """The value as it reads back, and why it cannot be had; what is so already needs nothing."""
    value = asked[setting]
    why = _unreadable(target, setting)
    if why:
        return value, why
    if setting == CAP:
        value, why = _cap(profile, target, str(value))
    elif setting in PREFIXES:
        value = PREFIXES[setting] + str(value)
        offered = target.offers.get(setting, ())
        why = "" if value in offered else f"it offers {', '.join(offered) or 'none'}, and not {value}"
    elif setting == LEVEL:
        why = _level(target, limits, str(value))
    elif setting in CLOCKS:
        why = _clock(profile, target, limits, setting, asked)
    elif value == NEAR:
        value, why = (target.near_cpus or "", "" if target.near_cpus else "which CPUs are near it is unknown")
    if why or target.values[setting] == value:
        return value, why
    if target.virtual and setting != IRQ:
        return value, VIRTUAL
    return value, "nothing here can set it" if setting in target.lacking else ""


def _unreadable(target: Target, setting: str) -> str:
    """What cannot be read cannot be proved, and cannot be restored."""
    if setting in target.unknown:
        return f"cannot be read: {target.unknown[setting]}"
    if setting in target.values:
        return ""
    return VIRTUAL if target.virtual else "it has no such setting"


def _refuse(profile: Profile, target: Target, setting: str, value: str, what: str, hint: str) -> t.NoReturn:
    raise FleetError(target.where, f"{label(setting)} {value} of profile {profile.name} is beyond {what}", hint)


def _cap(profile: Profile, target: Target, value: str) -> tuple[int, str]:
    if target.cap is None:
        return 0, "the limits of the board are unknown"
    least, most, default = target.cap
    if value == DEFAULT:
        return default, ""
    number, unit = int(value.rstrip("W% ")), value[-1]
    wanted = number * MICRO if unit == "W" else default * number // 100 // MICRO * MICRO
    if not least <= wanted <= most:
        limits = f"the board, which takes {least // MICRO} to {most // MICRO} W"
        _refuse(profile, target, CAP, shown(CAP, wanted), limits, "give it a cap between them")
    return wanted, ""


def _level(target: Target, limits: Limits | None, value: str) -> str:
    if value == target.values[LEVEL]:
        return ""
    if limits is None:
        return f"nothing is known of what {target.product or 'this product'} takes"
    word, _blank, clock = value.partition(" ")
    if word != DETERMINISM:
        return "" if value in limits.levels else f"{limits.id} takes {', '.join(limits.levels)}"
    if limits.determinism == REFUSED:
        return f"{limits.id} has no determinism"
    return _too_high(target, int(clock), limits.sclk_max_mhz, limits.id)


def _too_high(target: Target, clock: int, most: int | None, product: str) -> str:
    if most is not None and clock > most:
        raise FleetError(target.where, f"{clock} MHz is beyond {product}, whose clock goes to {most} MHz",
                         "give it a lower clock")
    return ""


def _clock(profile: Profile, target: Target, limits: Limits | None, setting: str, asked: t.Mapping[str, Value]) -> str:
    most = None if limits is None else limits.mclk_max_mhz if setting == MCLK_MAX else limits.sclk_max_mhz
    if limits is None:
        return f"nothing is known of the clocks of {target.product or 'this product'}"
    if most is None:
        return f"this clock of {limits.id} takes no limit"
    value = int(asked[setting])
    if value > most:
        _refuse(profile, target, setting, f"{value} MHz", f"{limits.id}, whose clock goes to {most} MHz",
                "give it a lower clock")
    least = asked.get(SCLK_MIN)
    if setting == SCLK_MAX and least is not None and int(least) > value:
        _refuse(profile, target, setting, f"{value} MHz", f"{SCLK_MIN}, which is {least} MHz", "give it a higher clock")
    return ""
