# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Building, installing and removing one version of the driver by DKMS: which commands, and whether it is done."""

from __future__ import annotations

import re
import typing as t

from ..errors import DataError, FleetError
from ..formats.dkms import is_built
from ..look.shape import DkmsModule

MODULE = "amdgpu"
_NAME = re.compile(r"^(?!\.)[A-Za-z0-9.+~_-]+$")


def checked(version: str, kernel: str | None) -> None:
    """Check what will be part of commands and paths.

    Raises:
        DataError: a name is not of the form it must have.
    """
    for name, value in (("version", version), ("kernel", kernel)):
        if value is not None and not _NAME.match(value):
            raise DataError(name, f"{value!r} is not one that DKMS knows", "give it as dkms status prints it")


def state(modules: t.Sequence[DkmsModule], version: str, kernel: str | None) -> str:
    """What DKMS says of the version, for one kernel or at all, in one line; empty if nothing."""
    lines = [f"{m.state}{''.join(f' ({flag})' for flag in m.flags)}" for m in _of(modules, version, kernel)]
    return ", ".join(dict.fromkeys(lines))


def _of(modules: t.Sequence[DkmsModule], version: str, kernel: str | None) -> list[DkmsModule]:
    return [m for m in modules if m.module == MODULE and m.version == version and kernel in (None, m.kernel)]


def broken(modules: t.Sequence[DkmsModule], version: str) -> bool:
    """Whether the tree of the version has no source: dkms does not even remove it."""
    return any(m.state == "broken" for m in _of(modules, version, None))


def right(modules: t.Sequence[DkmsModule], version: str, kernel: str) -> bool:
    """Whether the version is installed for the kernel as it was built."""
    return any(is_built(m) for m in _of(modules, version, kernel))


def commands(version: str, kernel: str, machine: str) -> list[list[str]]:
    """What to run, one after the other, once no earlier build is there: dkms 3.0 refuses half of one even with --force.

    The module on disk stays until its successor is built. Without --force DKMS does not install what it takes for older
    than the module that is there, or for installed.
    """
    options = ["-m", MODULE, "-v", version, "-k", kernel, "-a", machine]
    return [["dkms", "build", *options], ["dkms", "install", *options, "--force"]]


def refuse_unproved(modules: t.Sequence[DkmsModule], version: str, kernel: str) -> None:
    """Refuse to call it done when DKMS does not say so.

    Raises:
        FleetError: says what DKMS says.
    """
    if not right(modules, version, kernel):
        said = state(modules, version, kernel) or "nothing"
        raise FleetError(f"{MODULE} {version}", f"is not installed for {kernel} after all; DKMS says: {said}",
                         "read /var/lib/dkms/amdgpu")
