# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Removing packages by name, and nothing with them."""

from __future__ import annotations

import typing as t

from .._core.act.removal import parse_simulation, refuse_more
from .._core.errors import FleetError
from .process import Done, run

_QUICK = 60
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


def rehearse(names: t.Sequence[str], manager: str) -> None:
    """Find out what removing them would do.

    Raises:
        FleetError: it cannot be done, or would take other packages with it.
    """
    if manager == "apt":
        done = run([*_APT, f"{_LOCK}=0", "--simulate", "remove", *names], _QUICK)
    else:
        done = run(["rpm", "--erase", "--test", *names], _QUICK)
    if done.code:
        raise FleetError(", ".join(names), f"cannot be removed: {_said(done)}",
                         "remove what needs them first, or set rocm_userspace_remove_others to false")
    refuse_more(names, parse_simulation(done.out))


def remove(names: t.Sequence[str], manager: str, lock_timeout: int, timeout: int) -> None:
    """Remove them.

    Raises:
        FleetError: the package manager failed, or they are still there.
    """
    argv = [*_APT, f"{_LOCK}={lock_timeout}", "remove", *names] if manager == "apt" else ["rpm", "--erase", *names]
    done = run(argv, timeout, DEBIAN_FRONTEND="noninteractive")
    left = present(names, manager)
    if done.code or left:
        what = f"{argv[0]} ended with {done.code}" + (f", {', '.join(left)} left" if left else "")
        raise FleetError("removal of packages", f"{what}: {_said(done)}", "see the log of the package manager")
