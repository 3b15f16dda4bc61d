# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Finishing what an interrupted run of dpkg or apt left behind."""

from __future__ import annotations

import contextlib
import os
import typing as t

from .._core.errors import FleetError
from .._core.formats.dpkg import QUERY_FORMAT, parse_database
from .clock import ticks
from .offers import torn_lists
from .process import Done, run

UPDATES = "/var/lib/dpkg/updates"
_PAUSE = 2.0  # seconds between two looks at the lock
_QUICK = 60
_REMOVAL = 600
_CONFIGURE = ("dpkg", "--force-confdef", "--force-confold", "--configure", "-a")


def interrupted() -> bool:
    """Whether updates wait to be merged into dpkg's database. source: apt, debsystem.cc, CheckUpdates"""
    with contextlib.suppress(FileNotFoundError):
        return any(name.isdigit() for name in os.listdir(UPDATES))
    return False


def forget_lists(check: bool) -> tuple[str, ...]:
    """Remove the lists that are not whole, so that apt fetches them anew; return their paths. ``check``: only that."""
    paths = torn_lists()
    for path in () if check else paths:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
    return paths


def half_done() -> tuple[str, ...]:
    """Packages between installed and removed: ``name (state)``.

    Raises:
        FleetError: dpkg-query is missing or broken.
    """
    done = run(["dpkg-query", "--show", f"--showformat={QUERY_FORMAT}"], _QUICK)
    if done.code:
        raise FleetError("dpkg-query", f"ended with {done.code}: {_said(done)}", "repair dpkg's database first")
    return tuple(f"{p.name} ({p.state})" for p in parse_database(done.out, ()).broken)


def _said(done: Done) -> str:
    return " ".join((done.err or done.out).split())


def configure(lock_timeout: float, timeout: float) -> str:
    """Let dpkg configure everything; return why it could not, empty if it could.

    Raises:
        FleetError: another process works on packages all the time, dpkg does not end, or its updates are not merged.
    """
    for _gone in ticks(lock_timeout, _PAUSE):
        done = run(_CONFIGURE, timeout, DEBIAN_FRONTEND="noninteractive")
        if not _locked(done):
            return _why_not(done, timeout)
    what = f"another process works on packages (waited {lock_timeout:.0f} s)"
    raise FleetError("dpkg", what, "wait for it to end and run again")


def _why_not(done: Done, timeout: float) -> str:
    if done.timed_out:
        raise FleetError("dpkg --configure -a", f"did not end within {timeout:.0f} s", "finish it by hand")
    if interrupted():
        raise FleetError("dpkg --configure -a", f"ended with {done.code}: {_said(done)}", "finish it by hand")
    return _said(done) if done.code else ""


def _locked(done: Done) -> bool:
    """dpkg ends with 2 if it does not get its lock."""
    return done.code == 2 and "lock" in done.err


def remove_unusable(names: t.Collection[str]) -> tuple[str, ...]:
    """Remove those of the packages that dpkg can only reinstall; return their names.

    apt would need the archive of the very version that was cut off, and takes "install NAME=VERSION" for done.
    Whatever depends on them waits for the transaction that follows. source: dpkg(1), --force-remove-reinstreq

    Raises:
        FleetError: dpkg did not remove them.
    """
    listed = run(["dpkg-query", "--show", "--showformat=${Package} ${db:Status-Eflag}\\n"], _QUICK).out
    flagged = (line.split() for line in listed.splitlines())
    found = sorted({words[0] for words in flagged if words[1:] == ["reinstreq"]} & set(names))
    if found:
        done = run(["dpkg", "--force-remove-reinstreq", "--force-depends", "--remove", *found], _REMOVAL)
        if done.code:
            raise FleetError(
                "dpkg --remove " + " ".join(found), f"ended with {done.code}: {_said(done)}", "remove it by hand"
            )
    return tuple(found)


def read_lists(timeout: float) -> None:
    """Refresh apt's lists: a package that must be installed again needs an archive that apt knows.

    The apt module cannot: it opens the cache first, and that fails as long as there is none.

    Raises:
        FleetError: apt cannot read its sources.
    """
    done = run(["apt-get", "-q", "-o", "DPkg::Lock::Timeout=300", "update"], timeout)
    if done.code:
        raise FleetError("apt-get update", f"ended with {done.code}: {_said(done)}", "repair its sources first")
