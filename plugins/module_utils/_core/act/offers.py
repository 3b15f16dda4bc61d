# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Whether the repositories have every package that a plan will ask for: what apt answered, in one sentence."""

from __future__ import annotations

import dataclasses as dc
import fnmatch
import re
import typing as t

from ..errors import DataError, FleetError
from .removal import parse_simulation

_DATES = re.compile(r"Release file for .* is (?:expired|not valid yet)")  # source: apt, debmetaindex.cc
_ASKED = re.compile(r"^(?P<name>[a-z0-9][a-z0-9+.-]+)(?:=(?P<version>[A-Za-z0-9*?][A-Za-z0-9.+~:*?-]*))?$")
_KERNEL = re.compile(r"^linux-(?:image|headers|modules)")
_LEFT = "nothing was changed"


@dc.dataclass(frozen=True)
class Asked:
    """A package to install. ``version`` may be a pattern; empty means any."""

    name: str
    version: str = ""

    @property
    def words(self) -> str:
        """As people write it."""
        return f"{self.name} {self.version}".strip()


def parse_asked(packages: t.Sequence[str]) -> tuple[Asked, ...]:
    """Read ``name`` or ``name=version``.

    Raises:
        DataError: another form.
    """
    found = []
    for text in packages:
        match = _ASKED.match(text)
        if match is None:
            raise DataError("packages", f"{text!r} is not a package name or name=version")
        found.append(Asked(match["name"], match["version"] or ""))
    return tuple(found)


def parse_madison(text: str) -> dict[str, tuple[str, ...]]:
    """Read ``apt-cache madison``: name -> the versions on offer, newest first, each once."""
    offered: dict[str, dict[str, None]] = {}
    for line in text.splitlines():
        fields = [field.strip() for field in line.split("|")]
        if len(fields) == 3 and not fields[2].endswith(" Sources"):
            offered.setdefault(fields[0], {})[fields[1]] = None
    return {name: tuple(versions) for name, versions in offered.items()}


def chosen(asked: Asked, offered: t.Mapping[str, t.Sequence[str]]) -> str | None:
    """The version on offer that was asked for; None if there is none."""
    return next((v for v in offered.get(asked.name, ()) if fnmatch.fnmatchcase(v, asked.version or "*")), None)


def refuse_missing(asked: t.Sequence[Asked], offered: t.Mapping[str, t.Sequence[str]], trouble: str) -> None:
    """Refuse a set of which the repositories lack a package. ``trouble``: the first error of refreshing them, if any.

    Raises:
        FleetError: names what is missing, and what is there instead.
    """
    missing = [a for a in asked if chosen(a, offered) is None]
    if not missing:
        return
    there = {a: ", ".join(offered.get(a.name, ())[:3]) for a in missing}
    named = [a.words + (f" (there is {there[a]})" if there[a] else "") for a in missing]
    kernel = any(_KERNEL.match(a.name) for a in missing)
    hint = "choose a kernel that they have, or add a repository that keeps this one" if kernel else \
        "complete the mirror, or choose another release"
    if trouble:
        hint = "compare the clock of this node with the dates of that repository" if _DATES.search(trouble) else \
            "see to it that the repository answers and is complete"
    what = "no repository of this node has " + ("it" if len(missing) == 1 else "them")
    raise FleetError(", ".join(named), what + (f" (refreshing them: {trouble})" if trouble else ""), f"{hint}; {_LEFT}")


def refuse_conflict(code: int, out: str, err: str) -> None:
    """Refuse a set that apt cannot install as a whole.

    Raises:
        FleetError: says why, in apt's words.
    """
    if not code:
        return
    _before, found, said = out.partition("unmet dependencies:\n")
    lines = [line for line in said.splitlines() if line.startswith(" ")] if found else []
    why = "; ".join(" ".join(line.split()) for line in lines[:3]) or first_error(err) or f"it ended with {code}"
    raise FleetError("apt", f"cannot install these packages together: {why}",
                     f"remove or hold back what stands in the way; {_LEFT}")


def refuse_loss(removals: t.Collection[str], out: str) -> None:
    """Refuse a set for which apt would remove what nobody named. ``out``: of the simulation.

    Raises:
        FleetError: names what would go.
    """
    lost = [name for name in parse_simulation(out) if name not in removals]
    if lost:
        raise FleetError(", ".join(lost), "apt would remove " + ("it" if len(lost) == 1 else "them") +
                         " to install the packages of this release",
                         f"remove what nobody needs by hand, or choose a release that goes with the rest; {_LEFT}")


def refuse_removal(removals: t.Collection[str], code: int, out: str, err: str) -> None:
    """Refuse a removal that apt cannot do, or that takes more than was named.

    Raises:
        FleetError: says why, or names what would go.
    """
    named = ", ".join(removals)
    if code:
        raise FleetError(named, f"cannot be removed: {first_error(err) or f'apt ended with {code}'}",
                         f"repair the package manager first; {_LEFT}")
    more = [name for name in parse_simulation(out) if name not in removals]
    if more:
        raise FleetError(", ".join(more), f"{'needs' if len(more) == 1 else 'need'} what should be removed, and would "
                         f"go with it: {named}", f"remove by hand what nobody needs, or keep what it needs; {_LEFT}")


def first_error(text: str) -> str:
    """The first error that apt printed, else its first warning; empty if there is neither."""
    for mark in ("E: ", "W: "):
        found = next((line[len(mark):] for line in text.splitlines() if line.startswith(mark)), "")
        if found:
            return found.split(". ")[0].strip().rstrip(".")  # what follows is what apt does about it
    return ""
