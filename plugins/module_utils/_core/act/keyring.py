# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Whether a keyring holds the pinned signing key and nothing else."""

from __future__ import annotations

import posixpath

from ..errors import DataError, FleetError
from ..formats.pgp import armour, dearmor, fingerprints
from .fileset import Seen, Wanted


def checked_path(path: str, manager: str) -> str:
    """The path of the keyring.

    Raises:
        DataError: the path is not absolute, or apt would not read a binary keyring there.
    """
    if not path.startswith("/") or posixpath.normpath(path) != path:
        raise DataError(path, "is not an absolute path", "write it from the root, without .. in it")
    if manager == "apt" and not path.endswith(".gpg"):
        raise DataError(path, "does not end in .gpg", "apt wants that name for a binary keyring")
    return path


def held(seen: Seen, path: str) -> tuple[str, ...]:
    """Fingerprints of the primary keys in the keyring on the node; none if there is no readable keyring."""
    try:
        return fingerprints(seen.content, path) if seen.kind == "file" else ()
    except DataError:
        return ()


def accepted(data: bytes, where: str, fingerprint: str, manager: str = "apt") -> bytes:
    """The keyring to install: binary for apt, armoured for rpm.

    Raises:
        FleetError: the data holds another primary key, or one more than the wanted.
        DataError: the data is no keyring.
    """
    found = fingerprints(data, where)
    if found != (fingerprint,):
        what = f"holds {', '.join(found)}, not just the pinned key {fingerprint}"
        raise FleetError(where, what, "ask the publisher which key is right; nothing was installed")
    binary = dearmor(data, where)
    return binary if manager == "apt" else armour(binary)


def keyring_file(path: str, data: bytes) -> Wanted:
    """The keyring as a file: root's, and readable for everybody, apt's own user too."""
    return Wanted(path, data, owner="root", group="root", mode=0o644)
