# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From (profile, what is seen, what was before) to ordered steps; and what became of them."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from .fit import fitted
from .products import Products
from .profile import Profile
from .shape import (
    AUTO,
    CLOCKS,
    COOPERATIVE,
    ENFORCING,
    IRQ,
    LEVEL,
    MANUAL,
    NODE,
    SETTINGS,
    Step,
    Target,
    Unsupported,
    Value,
    label,
    shown,
)
from .state import State

UNCHANGED, APPLIED, WOULD_CHANGE, FAILED = "unchanged", "applied", "would_change", "failed"
UNSUPPORTED, DIFFERS = "unsupported", "differs"
RESTORED = ""  # the name of no profile
Values = dict[str, Value]


@dc.dataclass(frozen=True)
class Plan:
    """What a run does.

    Attributes:
        profile: its name; RESTORED: the state before profiles.
        wanted: target -> setting -> value as it reads back.
        seen: the same as it is now.
        steps: in order.
        unsupported: what of the profile cannot be had, and is left out.
        keep: what the node remembers from now on; None: nothing.
        undo: target -> what the steps change, as it is now.
    """

    profile: str
    wanted: t.Mapping[str, Values]
    seen: t.Mapping[str, t.Mapping[str, Value]]
    steps: tuple[Step, ...]
    unsupported: tuple[Unsupported, ...]
    keep: State | None
    undo: t.Mapping[str, Values]


@dc.dataclass(frozen=True)
class Row:
    """What became of one setting."""

    target: str
    setting: str
    wanted: str
    before: str
    after: str
    result: str
    mark: str
    reason: str = ""


def plan(profile: Profile | None, targets: t.Sequence[Target], products: Products, kept: State | None,
         chosen: t.Container[str], refuse: bool) -> Plan:
    """What brings the targets to a profile, or without one back to what they were.

    Args:
        profile: None: what was kept is restored.
        targets: the node and its GPUs as seen.
        products: what is known of them.
        kept: what the node remembers.
        chosen: names of targets that the profile is for; all others are restored.
        refuse: whether what cannot be had is refused, unless the profile calls it optional; else it is left out.

    Raises:
        FleetError: a value is beyond what a board takes, or cannot be had.
    """
    wanted: dict[str, Values] = {}
    steps: list[Step] = []
    unsupported: list[Unsupported] = []
    before: dict[str, Values] = {}
    applied: dict[str, Values] = {}
    undo: dict[str, Values] = {}
    for target in targets:
        values, without = fitted(profile, target, products) if profile and target.name in chosen else ({}, [])
        unsupported += without
        earlier = kept.before.get(target.name, {}) if kept else {}
        limits = products.get(target.product or "")
        clocks = limits.clocks if limits else ()
        back = {setting: value for setting, value in earlier.items() if not _covered(setting, values)}
        wanted[target.name] = {**back, **values}
        own = list(_steps(target, wanted[target.name], _dropped(target, kept, values)))
        steps += own
        before[target.name] = _remembered(target, values, earlier, clocks)
        applied[target.name] = values
        undo[target.name] = _as_seen(target, [step.setting for step in own], clocks)
    if profile and refuse:
        _refuse([one for one in unsupported if one.setting not in profile.optional], profile)
    keep = State(profile.name, _filled(before), _filled(applied)) if profile else None
    return Plan(profile.name if profile else RESTORED, wanted, {target.name: target.values for target in targets},
                tuple(steps), tuple(unsupported), keep, undo)


def _filled(values: t.Mapping[str, Values]) -> dict[str, Values]:
    return {name: of for name, of in values.items() if of}


def _covered(setting: str, values: t.Mapping[str, Value]) -> bool:
    """Whether the profile says what a setting is; a level says it of all clocks."""
    return setting in values or (setting in CLOCKS and LEVEL in values)


def _as_seen(target: Target, settings: t.Collection[str], clocks: t.Sequence[str]) -> Values:
    """What some settings are; of clocks what belongs to a manual level, for every other level frees them."""
    level = LEVEL in settings or any(clock in settings for clock in CLOCKS)
    found = {setting: target.values[setting] for setting in SETTINGS
             if setting in target.values and (setting in settings or (level and setting == LEVEL))
             and setting not in CLOCKS}
    if found.get(LEVEL) == MANUAL:
        found.update({clock: target.values[clock] for clock in clocks if clock in target.values})
    return found


def _remembered(target: Target, values: t.Mapping[str, Value], earlier: t.Mapping[str, Value],
                clocks: t.Sequence[str]) -> Values:
    """What each setting of the profile was before any profile."""
    seen = _as_seen(target, list(values), clocks)
    old = {setting: value for setting, value in earlier.items() if _covered(setting, values)}
    return {**{setting: value for setting, value in seen.items() if setting not in CLOCKS or LEVEL not in old}, **old}


def _dropped(target: Target, kept: State | None, values: t.Mapping[str, Value]) -> bool:
    """Whether a clock that the last profile limited is free again while the level stays manual."""
    last = kept.applied.get(target.name, {}) if kept else {}
    stays = MANUAL == values.get(LEVEL) == target.values.get(LEVEL)
    return stays and any(clock in last and clock not in values for clock in CLOCKS)


def _steps(target: Target, wanted: t.Mapping[str, Value], anew: bool) -> t.Iterator[Step]:
    """What differs, in the order of SETTINGS. A level that changes sets its clocks free, so they are set after it.

    source: linux:drivers/gpu/drm/amd/pm/swsmu/smu13/aldebaran_ppt.c, aldebaran_set_performance_level()
    """
    level = AUTO if anew else target.values.get(LEVEL)
    if anew:
        yield Step(target.name, LEVEL, MANUAL, AUTO)
    for setting in (setting for setting in SETTINGS if setting in wanted):
        seen = level if setting == LEVEL else target.values.get(setting)
        if seen != wanted[setting] or (setting in CLOCKS and LEVEL in wanted and wanted[LEVEL] != level):
            yield Step(target.name, setting, seen, wanted[setting])


def _refuse(refused: t.Sequence[Unsupported], profile: Profile) -> None:
    if not refused:
        return
    first = refused[0]
    same = len({one.target for one in refused if (one.setting, one.reason) == (first.setting, first.reason)})
    more = f" (and {same - 1} more)" if same > 1 else ""
    where = NODE if first.target == NODE else f"gpu {first.target}{more}"
    what = f"cannot have {label(first.setting)} {first.wanted} of profile {profile.name}: {first.reason}"
    raise FleetError(where, what, "choose another profile, or set gpu_qos_unsupported to say")


def rows(made: Plan, now: t.Sequence[Target], failed: t.Mapping[tuple[str, str], str], foreseen: str = "",
         ) -> tuple[Row, ...]:
    """What became of each setting of the plan, by what is read back; no return code counts.

    Args:
        made: the plan.
        now: the targets as they are seen now.
        failed: (target, setting) -> what was said when it was set.
        foreseen: the result of what differs where nothing was done; empty: it was.
    """
    values = {target.name: target.values for target in now}
    stepped = {(step.target, step.setting) for step in made.steps}
    found = []
    for target, wanted in made.wanted.items():
        for setting, value in wanted.items():
            after = values.get(target, {}).get(setting)
            result = APPLIED if (target, setting) in stepped else UNCHANGED
            why = ""
            if after != value:
                result = foreseen or FAILED
                why = failed.get((target, setting), "" if foreseen else "no call failed")
            found.append(Row(target, setting, shown(setting, value), _text(setting, made.seen[target].get(setting)),
                             _text(setting, after), result, mark(setting), why))
    return (*found, *(Row(one.target, one.setting, one.wanted, "", "", UNSUPPORTED, mark(one.setting), one.reason)
                      for one in made.unsupported))


def mark(setting: str) -> str:
    """Whether it holds against others."""
    return COOPERATIVE if setting == IRQ else ENFORCING


def _text(setting: str, value: Value | None) -> str:
    return "unknown" if value is None else shown(setting, value)


def back(made: Plan) -> tuple[Step, ...]:
    """The steps that undo a plan."""
    return tuple(Step(target, setting, None, values[setting]) for target, values in made.undo.items()
                 for setting in SETTINGS if setting in values)
