# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Packages, holds and half-finished package work."""

from __future__ import annotations

import typing as t

from .._core.formats.dpkg import QUERY_FORMAT, Database, parse_database
from .._core.look.shape import Packages
from . import apt_lists, rpm
from .apart import UnreadableError
from .machine import Machine
from .notes import Notes

_STATUS = "/var/lib/dpkg/status"
_UPDATES = "/var/lib/dpkg/updates"

# Everything that a release installs, removes or must not meet. source:
# ROCm/rocm-install-on-linux:docs/reference/package-manager-integration.rst,
# ROCm/TheRock:build_tools/packaging/linux/package.json,
# ROCm/amdgpu-docs:docs/install/detailed-install/prerequisites.rst
PATTERNS = (
    "amdgpu*", "amdrocm*", "amd-smi*", "amd-container-toolkit", "amd-gpu-firmware*", "comgr*", "composablekernel*",
    "dkms", "firmware-amd-graphics", "half", "half[0-9]*", "hip*", "hsa*", "kernel*", "libamd-smi*", "libdrm-amdgpu*",
    "libhsa*", "libroc*", "linux-firmware", "linux-generic*", "linux-headers-*", "linux-image-*", "linux-modules-*",
    "linux-virtual*", "miopen*", "migraphx*", "mivisionx*", "openmp-extras*", "python3-amdsmi",
    "python3-dnf-plugin-versionlock", "rccl*", "rdc*", "roc*", "rock-dkms*", "rpp*", "rvs", "unattended-upgrades",
)


def read(machine: Machine, extra: t.Sequence[str] = ()) -> Packages:
    """Read the packages section; ``extra`` are more name patterns."""
    if not machine.exists(_STATUS) and rpm.manager(machine):
        return rpm.packages(machine, (*PATTERNS, *extra))
    notes = Notes()
    database = notes.attempt("installed", None, _database, machine, (*PATTERNS, *extra))
    if database is None:
        for field in ("holds", "broken", "interrupted", "torn_lists"):
            notes[field] = notes["installed"]
        return Packages(unknown=notes)
    interrupted = notes.attempt("interrupted", None, _waiting, machine)
    torn = notes.attempt("torn_lists", (), apt_lists.torn, machine)
    return Packages("apt", database.installed, database.holds, database.broken, interrupted, torn, obeys_holds=True,
                    unknown=notes)


def _waiting(machine: Machine) -> bool:
    """Whether updates wait to be merged into the database: apt refuses to work then."""
    return any(name.isdigit() for name in machine.names(_UPDATES))


def _database(machine: Machine, patterns: t.Sequence[str]) -> Database:
    """Read the database file itself: as exact as dpkg-query, and no process is started.

    Only while updates wait to be merged into it is dpkg-query asked. source: lib/dpkg/dbmodify.c of dpkg
    """
    text = machine.text(_STATUS)
    if text is None:
        raise UnreadableError("neither a dpkg database nor dnf or zypper was found")
    if _waiting(machine):
        ran = machine.run("dpkg-query", "--show", f"--showformat={QUERY_FORMAT}")
        if ran.code:
            raise UnreadableError(f"dpkg-query failed: {ran.stderr.strip()}")
        text = ran.stdout
    return parse_database(text, patterns)
