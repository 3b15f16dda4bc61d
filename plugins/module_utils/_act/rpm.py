# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""rpm's own keys, and packages that it was kept from erasing."""

from __future__ import annotations

import typing as t

from .._core.errors import DataError, FleetError
from .._core.look.shape import Package
from .._node import rpm
from .._node.apart import UnreadableError
from .._node.machine import Machine
from .process import run

_QUICK = 120
_REMOVAL = 600


def imported(machine: Machine) -> tuple[str, ...]:
    """Fingerprints of the keys that rpm trusts.

    Raises:
        FleetError: they cannot be read.
    """
    try:
        return rpm.imported(machine)
    except (UnreadableError, DataError) as error:
        raise FleetError("rpm", f"its keys cannot be read: {error}", "repair its database first") from error


def import_key(path: str, fingerprint: str, machine: Machine) -> None:
    """Let rpm trust the key in a file, and read back that it does.

    Raises:
        FleetError: it does not.
    """
    done = run(["rpm", "--import", path], _QUICK)
    if done.code:
        raise FleetError("rpm --import", f"ended with {done.code}: {' '.join((done.err or done.out).split())}",
                         "run as root (become: true)")
    if fingerprint not in imported(machine):
        raise FleetError("rpm --import", f"took {path} but does not list {fingerprint}", "look at rpm -q gpg-pubkey")


def duplicates(machine: Machine) -> tuple[Package, ...]:
    """Packages whose successor was installed before they were erased.

    Raises:
        FleetError: the database cannot be read.
    """
    try:
        return rpm.database(machine, ()).broken
    except UnreadableError as error:
        raise FleetError("rpm", str(error), "repair its database first") from error


def erase(packages: t.Sequence[Package]) -> str:
    """Erase them as the transaction that was cut off would have; return why rpm could not, empty if it could.

    Files that the successor has too stay. Dependencies were met by the successor already.
    """
    names = [f"{p.name}-{p.version}.{p.architecture}" for p in packages]
    done = run(["rpm", "--erase", "--nodeps", *names], _REMOVAL)
    if done.timed_out:
        return f"rpm --erase did not end within {_REMOVAL} s"
    return " ".join((done.err or done.out).split()) if done.code else ""
