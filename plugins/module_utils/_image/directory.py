# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The directory of images of a node: who works there, and when each image was last used, as far as we saw it.

The time of an image is that of an empty file of its own.
"""

from __future__ import annotations

import contextlib
import os
import typing as t

from .._act.lock import opened, taken
from .._core.errors import FleetError

_FOLDER = "used"


@contextlib.contextmanager
def held(directory: str, seconds: float, check: bool) -> t.Iterator[None]:
    """Hold the directory of images, which is made if it is not there: builds and transports come one after the other.
    In check mode nothing is held, for nothing changes.

    Raises:
        FleetError: another run holds it for longer.
    """
    if check:
        yield
        return
    os.makedirs(directory, mode=0o755, exist_ok=True)
    path = os.path.join(directory, "lock")
    handle = opened(path)
    try:
        if not taken(handle, seconds):
            raise FleetError(
                path, f"another run works with images here (waited {seconds:.0f} s)", "wait for it to end and run again"
            )
        yield
    finally:
        os.close(handle)


def use(directory: str, ident: str) -> None:
    """Say that an image is used now."""
    folder = os.path.join(directory, _FOLDER)
    os.makedirs(folder, mode=0o755, exist_ok=True)
    path = os.path.join(folder, ident)
    with open(path, "a", encoding="utf-8"):
        os.utime(path)


def used(directory: str, ident: str) -> float | None:
    """When, in seconds since 1970; None: not known."""
    try:
        return os.stat(os.path.join(directory, _FOLDER, ident)).st_mtime
    except OSError:
        return None


def forget(directory: str, idents: t.Iterable[str]) -> None:
    """They are gone."""
    for ident in idents:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(directory, _FOLDER, ident))
