# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which settings a node gets: those of its profile that are for its GPUs and CPUs, with the values of the site."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from .catalogue import Catalogue
from .setting import ARGUMENT, Setting


@dc.dataclass(frozen=True)
class Wish:
    """What the inventory says: a profile, settings besides, settings to leave out, and values by id."""

    profile: str
    also: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    values: t.Mapping[str, str] = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class Node:
    """What decides about a node. None: it is not known, and ``unknown`` says why."""

    products: tuple[str, ...] | None
    cpu: str | None
    unknown: str = ""


@dc.dataclass(frozen=True)
class Choice:
    """The settings of a node, and for each that it does not get why not: ``id -> words``."""

    settings: tuple[Setting, ...]
    left: dict[str, str]


def choose(catalogue: Catalogue, wish: Wish, node: Node) -> Choice:
    """The settings of a node, in the order of the profile, then of ``also``.

    Raises:
        FleetError: a name or id is none; a setting has no value, or two would set one thing to two values; what
            a setting depends on is not known of the node.
    """
    wanted = list(dict.fromkeys((*(catalogue.profile(wish.profile).settings if wish.profile else ()), *wish.also)))
    for variable, idents in (("skip", wish.skip), ("also", wish.also), ("values", tuple(wish.values))):
        for ident in idents:
            catalogue.setting(ident, f"host_tuning_{variable}")
    left: dict[str, str] = {}
    settings: list[Setting] = []
    for ident in wanted:
        setting = catalogue.settings[ident]
        why = "host_tuning_skip names it" if ident in wish.skip else _unfit(setting, node)
        if why:
            left[ident] = why
        else:
            settings.append(setting.valued(wish.values.get(ident, setting.value)))
    _refuse_two(settings)
    return Choice(tuple(settings), left)


def _unfit(setting: Setting, node: Node) -> str:
    """Why a setting is not for a node; empty if it is."""
    if setting.products or setting.except_products:
        names = set(_known(node.products, setting, "GPUs", node))
        if setting.products and not names & set(setting.products):
            return f"it is for {', '.join(setting.products)}"
        if names & set(setting.except_products):
            return f"it is not for {', '.join(sorted(names & set(setting.except_products)))}"
    if setting.cpu and _known(node.cpu, setting, "CPUs", node) != setting.cpu:
        return f"it is for CPUs of {setting.cpu}"
    return ""


T = t.TypeVar("T")


def _known(value: T | None, setting: Setting, what: str, node: Node) -> T:
    if value is None:
        raise FleetError(f"setting {setting.id}", f"depends on the {what} of the node, which are not known"
                         + (f": {node.unknown}" if node.unknown else ""), "name it in host_tuning_skip, or mend that")
    return value


def _refuse_two(settings: t.Sequence[Setting]) -> None:
    seen: dict[tuple[str, str], Setting] = {}
    for setting in settings:
        if setting.kind == ARGUMENT and setting.accumulates:
            continue
        other = seen.setdefault((setting.kind, setting.name), setting)
        if other.value != setting.value:
            raise FleetError(f"setting {setting.id}", f"sets {setting.name} to {setting.value!r}, and {other.id} to "
                             f"{other.value!r}", "name one of them in host_tuning_skip")
