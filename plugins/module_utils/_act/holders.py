# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Holding packages and letting them go: with dpkg, with dnf's versionlock plugin, with zypper."""

from __future__ import annotations

import typing as t

from .._core.act.fileset import Wanted, changes
from .._core.act.holds import Selection
from .._core.errors import FleetError
from .._core.formats import versionlock, zypplocks
from .._core.look.shape import Package
from .._node import rpm
from .._node.apart import UnreadableError
from .._node.machine import Machine
from . import dpkg, process
from .files import replace_all, see
from .lock import node_lock

_PATIENCE = 30  # seconds to wait for another run that acts on this node
_LIMIT = 300  # seconds for zypper to write locks, for which it loads nothing
_ZYPPER = ("zypper", "--non-interactive", "--quiet")
_NOTHING_FOUND = 104  # source: zypper(8), EXIT CODES


class Holder(t.Protocol):
    """What a package manager is asked and told about holds."""

    name: str
    audit: str  # where a person looks if it does not do as it was told

    def selections(self, names: t.Sequence[str], held: bool) -> tuple[Selection, ...]:
        """What it knows of these packages, when they should be held or not."""

    def tell(self, lines: t.Sequence[str], held: bool) -> None:
        """Write selections: each is a name and what it should be."""


class Dpkg:
    """Holds of dpkg, which apt obeys."""

    name = "dpkg"
    audit = "look at dpkg --audit"

    def __init__(self, run: dpkg.Runner) -> None:
        self._run = run

    def selections(self, names: t.Sequence[str], held: bool) -> tuple[Selection, ...]:
        """Ask dpkg-query."""
        return dpkg.selections(names, self._run)

    def tell(self, lines: t.Sequence[str], held: bool) -> None:
        """Tell dpkg."""
        dpkg.select(lines, self._run)


class _Rpm:
    """What both managers of rpm have in common. A package there has no state but to be installed."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def _installed(self, names: t.Sequence[str]) -> list[Package]:
        try:
            database = rpm.database(self._machine, ())
        except UnreadableError as error:
            raise FleetError("rpm", str(error), "repair its database first") from error
        return [p for p in database.all if p.name in names]

    @staticmethod
    def _selection(name: str, installed: t.Iterable[Package], held: t.Container[str]) -> Selection:
        there = any(p.name == name for p in installed)
        return Selection(name, name, "hold" if name in held else "install", "installed" if there else "not-installed")


class Dnf(_Rpm):
    """Locks of dnf's plugin: one for each installed version of a package. dnf itself need not be started for them."""

    name = "dnf"

    def _list(self) -> str:
        try:
            path = rpm.locklist(self._machine)
        except UnreadableError as error:
            raise FleetError("dnf", str(error)) from error
        if path is None:
            raise FleetError("dnf", "nothing can be held: its versionlock plugin is not installed, or is switched off",
                             "install python3-dnf-plugin-versionlock")
        return path

    @property
    def audit(self) -> str:
        """The list may have a pattern that covers the package."""
        return f"look at {self._list()}"

    def selections(self, names: t.Sequence[str], held: bool) -> tuple[Selection, ...]:
        """Read the list. A lock on another version than the installed one is none to keep, but one to lift."""
        installed = self._installed(names)
        lines = versionlock.parse_list(see(self._list()).content.decode("utf-8", "replace"))
        locks = versionlock.locks(lines, installed)
        gone = [n for n in names if n in {versionlock.name(line) for line in lines if not line.startswith("!")}
                and n not in {p.name for p in installed}]
        kept = set(locks.held) - (set(locks.elsewhere) if held else set())
        return tuple(self._selection(name, installed, {*kept, *gone}) for name in names)

    def tell(self, lines: t.Sequence[str], held: bool) -> None:
        """Write the list anew."""
        names, path = [line.split()[0] for line in lines], self._list()
        wanted = {n: [p for p in self._installed(names) if p.name == n] for n in names}
        with node_lock(_PATIENCE):
            seen = see(path)
            text = versionlock.rewritten(seen.content.decode("utf-8", "replace"), wanted, held)
            replace_all(changes((Wanted(path, text.encode(), owner="root", group="root"),), {path: seen}))


class Zypper(_Rpm):
    """Locks of zypper, by name, whatever the version."""

    name = "zypper"
    audit = f"look at {zypplocks.PATH}"

    def selections(self, names: t.Sequence[str], held: bool) -> tuple[Selection, ...]:
        """Read its file."""
        locks = zypplocks.parse(see(zypplocks.PATH).content.decode("utf-8", "replace"))
        installed, held_now = self._installed(names), zypplocks.held(locks, names)
        return tuple(self._selection(name, installed, held_now) for name in names)

    def tell(self, lines: t.Sequence[str], held: bool) -> None:
        """Tell zypper, which waits for another that works."""
        names = [line.split()[0] for line in lines]
        argv = [*_ZYPPER, "addlock" if held else "removelock", *names]
        done = process.run(argv, _LIMIT, ZYPP_LOCK_TIMEOUT=str(_PATIENCE))
        if done.timed_out:
            raise FleetError("zypper", f"did not end within {_LIMIT} s", "look at what it waits for, then run again")
        if done.code not in (0, _NOTHING_FOUND):
            said = " ".join((done.err or done.out).split())
            raise FleetError("zypper", f"ended with {done.code}: {said}", "run as root (become: true)")


def holder(manager: str, run: dpkg.Runner) -> Holder:
    """The one for a package manager."""
    if manager == "apt":
        return Dpkg(run)
    return (Dnf if manager == "dnf" else Zypper)(Machine())
