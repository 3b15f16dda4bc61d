# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which packages dpkg must be told to hold or to let go."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError, FleetError

_NAME = re.compile(r"^[a-z0-9][a-z0-9+.-]+$")  # source: Debian Policy 5.6.1
_RPM_NAME = re.compile(r"^[A-Za-z0-9_][A-Za-z0-9+._-]*$")  # source: rpm, build/parsePreamble.c
_GONE = frozenset({"not-installed", "config-files"})
QUERY_FORMAT = "${Package} ${binary:Package} ${db:Status-Want} ${db:Status-Status}\\n"


@dc.dataclass(frozen=True)
class Selection:
    """One package of one architecture, as dpkg-query prints it with QUERY_FORMAT."""

    name: str
    qualified: str  # with the architecture where dpkg needs it
    want: str
    status: str


@dc.dataclass(frozen=True)
class Holds:
    """What to write, and how the holds of the named packages are before and after."""

    lines: tuple[str, ...]  # for dpkg --set-selections
    actions: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    missing: tuple[str, ...]  # to be held, but not installed


def checked_names(names: t.Sequence[str], manager: str = "apt") -> tuple[str, ...]:
    """The names, sorted and each once.

    Raises:
        DataError: not a package name; a pattern would hold more than was named.
    """
    form = _NAME if manager == "apt" else _RPM_NAME
    for name in names:
        if not form.match(name):
            raise DataError("names", f"{name!r} is not a package name", "name each package, without patterns")
    return tuple(sorted(set(names)))


def parse_selections(text: str) -> tuple[Selection, ...]:
    """Read what dpkg-query printed.

    Raises:
        DataError: a line of another form.
    """
    lines = [line.split() for line in text.splitlines() if line]
    for words in lines:
        if len(words) != 4:
            raise DataError("dpkg-query", f"line not understood: {' '.join(words)!r}")
    return tuple(Selection(*words) for words in lines)


def plan_holds(names: t.Sequence[str], selections: t.Sequence[Selection], held: bool) -> Holds:
    """What must change so that all named packages are held, or none is."""
    there = [s for s in selections if s.name in names and (s.status not in _GONE or s.want == "hold")]
    installed = {s.name for s in there if s.status not in _GONE}
    missing = tuple(n for n in names if n not in installed) if held else ()
    before = tuple(sorted({s.name for s in there if s.want == "hold"}))
    change = [s for s in there if (s.want == "hold") != held]
    verb = "hold" if held else "unhold"
    return Holds(
        lines=tuple(f"{s.qualified} {_selection(s, held)}" for s in change),
        actions=tuple(f"{verb} {name}" for name in sorted({s.name for s in change})),
        before=before,
        after=tuple(sorted(set(before) | installed)) if held else (),
        missing=tuple(n for n in missing if n not in before),
    )


def _selection(package: Selection, held: bool) -> str:
    if held:
        return "hold"
    return "deinstall" if package.status in _GONE else "install"


def refuse_missing(missing: t.Sequence[str]) -> None:
    """Say that packages could not be held.

    Raises:
        FleetError: if there are any.
    """
    if missing:
        what = f"cannot be held: {'it is' if len(missing) == 1 else 'they are'} not installed"
        raise FleetError(", ".join(missing), what, "install first; the other packages named are held")
