# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What the inventory says of a roll-out, read strictly: one sentence for each value that is wrong."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from ..near import nearest
from ..plan import grid
from ..strict import Reader
from .shape import Policy, Window

PREFIX, BACK = "fleet_upgrade_", "fleet_rollback_"
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_COUNT = re.compile(r"[0-9]{1,6}", re.ASCII)
_SHARE = re.compile(r"([0-9]{1,3})%", re.ASCII)
_CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])", re.ASCII)
_ZONE = re.compile(r"([+-])([01][0-9]):([0-5][0-9])", re.ASCII)
_YES, _NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
Given = t.Mapping[str, t.Any]
# What an inventory may say, each with PREFIX.
VARIABLES = (
    "max_unavailable", "failures", "canary", "domain", "per_domain", "pause", "windows", "retry", "rollback",
    "typical_dirs", "path", "log", "detailed_exitcode",
)
WAYS_BACK = ("to", "waits")  # each with BACK


def refuse_misspelt(names: t.Iterable[str]) -> None:
    """Refuse variables that differ from one of a roll-out by a slip: where nobody reads a window, it is always open.

    Raises:
        DataError: names the variable and the one that it resembles.
    """
    for name in sorted(names):
        for prefix, known in ((PREFIX, VARIABLES), (BACK, WAYS_BACK)):
            word = name[len(prefix):] if name.startswith(prefix) else ""
            near = nearest(word, known, 0.8)
            if near and word not in known:
                what = "no roll-out has such a variable"
                raise DataError(f"variable {name}", what, f"did you mean {prefix}{near}?")


def refuse_tags(only: t.Sequence[str], without: t.Sequence[str]) -> None:
    """Refuse a run of a part of the tasks: a step that is left out is one that was not proved.

    Args:
        only: tags that were asked for; ``all`` where none was.
        without: tags that are left out.

    Raises:
        DataError: names the option and its tags.
    """
    asked = [f"--tags {','.join(only)}"] if list(only) != ["all"] else []
    asked += [f"--skip-tags {','.join(without)}"] if without else []
    if asked:
        what = "a roll-out takes every step or none, or it would note as done what was left out"
        how = "run it without tags; the playbook site knows those of the roles"
        raise DataError(grid.plain(" ".join(asked)), what, how)


def flag(given: object, name: str) -> bool:
    """A value that is true or false, as YAML or a command line says it.

    Raises:
        DataError: it is neither: who meant false must not get true. ``name``: that of the variable.
    """
    word = str(given).strip().lower() if isinstance(given, (bool, int, str)) else ""
    if word not in (*_YES, *_NO):
        raise DataError(name, f"is {_shown(given)}", "write true or false")
    return word in _YES


def at_once(given: Policy) -> Policy:
    """The policy of a way back that waits for nothing but places: damage is stopped now, and not at night."""
    return dc.replace(given, pause=0, windows=())


def policy(given: Given, many: int | None) -> Policy:
    """The policy.

    Args:
        given: max_unavailable, failures, per_domain, pause and windows, as far as the inventory says them.
        many: how many nodes there are, for shares of them, or None where there are no shares. They are rounded down,
            but one node may always be under way.

    Raises:
        DataError: a value is none.
    """
    return Policy(
        max(1, _number(given, "max_unavailable", 1, many, least=1)),
        _number(given, "failures", 0, many),
        _number(given, "per_domain", 0, None),
        _number(given, "pause", 0, None),
        windows(given.get("windows") or [], f"{PREFIX}windows"))


def _number(given: Given, name: str, default: int, many: int | None, least: int = 0) -> int:
    value = given.get(name, default)
    text = "" if isinstance(value, (bool, float)) else str(value).strip()
    share = _SHARE.fullmatch(text)
    if share and many is not None and least <= int(share[1]) <= 100:
        return int(share[1]) * many // 100
    if not _COUNT.fullmatch(text) or int(text) < least:
        hint = f"write a number from {least}" + ("" if many is None else ", or '10%' of the nodes")
        raise DataError(PREFIX + name, f"is {_shown(value)}", hint)
    return int(text)


def _shown(value: object) -> str:
    text = grid.plain(repr(value))
    return text if len(text) <= 60 else text[:57] + "..."


def windows(given: object, where: str) -> tuple[Window, ...]:
    """Windows of time.

    Args:
        given: a list of mappings with days, begins, ends and zone.
        where: what the inventory calls it.

    Raises:
        DataError: it is none.
    """
    if not isinstance(given, list):
        how = "write [{days: [sat, sun], begins: '22:00', ends: '06:00'}]"
        raise DataError(where, f"is {_shown(given)}, and no list", how)
    return tuple(_window(Reader(one, f"{where}[{number}]")) for number, one in enumerate(given))


def _window(reader: Reader) -> Window:
    days = reader.texts("days", DAYS, "|".join(DAYS))
    if not days:
        raise DataError(f"{reader.path}.days", "is empty", "name days, or leave it out for every day")
    found = Window(
        tuple(map(DAYS.index, days)), reader.read("begins", _minute), reader.read("ends", _minute),
        reader.read("zone", _zone) if reader.has("zone") else None)
    reader.done()
    return found


def _minute(text: str) -> int:
    found = _CLOCK.fullmatch(text)
    if not found:
        raise DataError(_shown(text), "is no time of day", "write '22:00', in quotes")
    return int(found[1]) * 60 + int(found[2])


def _zone(text: str) -> int:
    found = _ZONE.fullmatch(text)
    if not found and text != "UTC":
        raise DataError(_shown(text), "is no distance from UTC", "write UTC, or '+02:00' in quotes")
    minutes = int(found[2]) * 60 + int(found[3]) if found else 0
    return -minutes if found and found[1] == "-" else minutes


def written(given: Policy) -> dict[str, t.Any]:
    """The policy as ``policy`` reads it."""
    return {**dc.asdict(given), "windows": list(map(window_words, given.windows))}


def window_words(window: Window) -> dict[str, t.Any]:
    """A window as ``windows`` reads it."""
    words: dict[str, t.Any] = {
        "days": [DAYS[day] for day in window.days], "begins": _clock(window.begins), "ends": _clock(window.ends)}
    if window.zone is not None:
        words["zone"] = ("-" if window.zone < 0 else "+") + _clock(abs(window.zone))
    return words


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def canaries(given: object, hosts: t.Sequence[str], groups: t.Mapping[str, t.Sequence[str]]) -> tuple[str, ...]:
    """Nodes that go first, as names of hosts and groups, in a list or with commas; empty where none is named.

    Those that are not among the ``hosts`` of this run are left out.

    Raises:
        DataError: one is neither a node of the inventory nor a group.
    """
    found: dict[str, None] = {}
    for name in _names(given, "canary"):
        single = name in hosts or name in groups.get("all", ())
        if not single and name not in groups:
            what = f"has {_shown(name)}, which is no node of the inventory and no group"
            raise DataError(f"{PREFIX}canary", what, "name nodes or a group")
        found.update((host, None) for host in ([name] if single else groups[name]) if host in hosts)
    return tuple(found)


def retried(given: object, hosts: t.Sequence[str]) -> frozenset[str]:
    """Nodes that are tried again though they failed: all with true, none with false, or those in a list.

    Raises:
        DataError: one is no node of this roll-out.
    """
    word = str(given).strip().lower()
    if word in ("true", "yes"):
        return frozenset(hosts)
    if word in ("false", "no"):
        return frozenset()
    names = _names(given, "retry")
    for name in names:
        if name not in hosts:
            what = f"has {_shown(name)}, which is no node of this roll-out"
            raise DataError(f"{PREFIX}retry", what, "write true, false, or names of nodes")
    return frozenset(names)


def named(given: object, node: str) -> bool:
    """Whether this node is named to be tried again. Who says true names none, and what is wrong ``retried`` refuses."""
    try:
        return node in _names(given, "retry")
    except DataError:
        return False


def _names(given: object, option: str) -> list[str]:
    values = given.split(",") if isinstance(given, str) else given
    if values is None:
        return []
    if not isinstance(values, (list, tuple)) or not all(isinstance(one, str) for one in values):
        raise DataError(PREFIX + option, f"is {_shown(given)}, and no list of names", "write [name, name]")
    return [one.strip() for one in values if one.strip()]
