# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""SHA-256 of files that memory need not hold."""

from __future__ import annotations

import hashlib
import os
import typing as t

PIECE = 1 << 20


def of(pieces: t.Iterable[bytes]) -> str:
    """Of what pieces are together, as 64 hexadecimal digits."""
    total = hashlib.sha256()
    for piece in pieces:
        total.update(piece)
    return total.hexdigest()


def sha256(path: str, copy: str = os.devnull) -> str:
    """Of a file. What was read is written to ``copy``.

    Raises:
        OSError: it cannot be read, or not be written.
    """
    with open(path, "rb") as stream, open(copy, "wb") as target:
        return of(_written(stream, target))


def _written(stream: t.BinaryIO, target: t.BinaryIO) -> t.Iterator[bytes]:
    for piece in iter(lambda: stream.read(PIECE), b""):
        target.write(piece)
        yield piece
