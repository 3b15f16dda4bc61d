# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Removing packages by name, and nothing with them."""

from __future__ import annotations

import typing as t

from .._core.act.removal import parse_simulation, refuse_more, remove_first
from .._core.errors import FleetError
from .process import Done, run

_QUICK = 60
_REFRESH = 600  # seconds; what is old of the package lists is fetched first
_NOTHING_FOUND = 104  # source: zypper(8), EXIT CODES
_LOCK = "DPkg::Lock::Timeout"
_APT = ("apt-get", "--yes", "--no-auto-remove", "--option")
_STATES = "${Package} ${db:Status-Status}\\n"


def _said(done: Done) -> str:
    return " ".join((done.err or done.out).split())


def present(names: t.Sequence[str], manager: str) -> tuple[str, ...]:
    """Those of the packages that are there, also in part."""
    if manager == "apt":
        found = run(["dpkg-query", "--show", f"--showformat={_STATES}", *names], _QUICK).out
        pairs = (line.split() for line in found.splitlines() if line)
        there = {name for name, state in pairs if state not in ("not-installed", "config-files")}
    else:
        there = set(run(["rpm", "--query", "--queryformat", "%{NAME}\\n", *names], _QUICK).out.splitlines())
    return tuple(name for name in names if name in there)


def refuse_without(successors: t.Sequence[str], repositories: t.Sequence[str], manager: str) -> None:
    """Refuse a removal whose successors no repository has. apt is asked before.

    Raises:
        FleetError: names those that are missing, or says why a repository does not answer.
    """
    missing = [] if manager == "apt" else [text for text in successors if not _offered(text, repositories, manager)]
    if missing:
        them = "it" if len(missing) == 1 else "them"
        raise FleetError(", ".join(missing), f"no repository of this node has {them}",
                         "complete the mirror, or choose another release; nothing was removed")


def _offered(text: str, repositories: t.Sequence[str], manager: str) -> bool:
    """Whether a repository has the package."""
    if manager == "dnf":
        done = run(["dnf", "--quiet", "repoquery", "--available", "--queryformat=%{name}", text], _REFRESH)
    else:
        # It also finds what is installed, unless it is told where to look.
        where = [f"--repo={name}" for name in repositories]
        done = run(["zypper", "--non-interactive", "--quiet", "search", "--match-exact", "--type=package", *where,
                    text.partition("=")[0]], _REFRESH)
    if done.code and not (manager == "zypper" and done.code == _NOTHING_FOUND):
        raise FleetError(manager, f"ended with {done.code} when asked for {text}: {_said(done)}",
                         "see to it that its repositories answer; nothing was removed")
    return not done.code and bool(done.out.strip())


def rehearse(names: t.Sequence[str], manager: str, way_out: str = "") -> None:
    """Find out what removing them would do. ``way_out``: what else can be done, for a refusal.

    Raises:
        FleetError: it cannot be done, or would take other packages with it.
    """
    if manager == "apt":
        done = run([*_APT, f"{_LOCK}=0", "--simulate", "remove", *names], _QUICK)
    else:
        done = run(["rpm", "--erase", "--test", *names], _QUICK)
    if done.code:
        raise FleetError(", ".join(names), f"cannot be removed: {_said(done)}",
                         remove_first("what needs them", way_out))
    refuse_more(names, parse_simulation(done.out), way_out)


def remove(names: t.Sequence[str], manager: str, purge: bool, lock_timeout: int, timeout: int) -> None:
    """Remove them. ``purge``: with apt, their settings too.

    Raises:
        FleetError: the package manager failed, or they are still there.
    """
    word = "purge" if purge else "remove"
    argv = [*_APT, f"{_LOCK}={lock_timeout}", word, *names] if manager == "apt" else ["rpm", "--erase", *names]
    done = run(argv, timeout, DEBIAN_FRONTEND="noninteractive")
    left = present(names, manager)
    if done.code or left:
        what = f"{argv[0]} ended with {done.code}" + (f", {', '.join(left)} left" if left else "")
        raise FleetError("removal of packages", f"{what}: {_said(done)}", "see the log of the package manager")
