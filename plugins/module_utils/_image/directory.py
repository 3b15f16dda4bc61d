# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The directory of images of a node: who works there, which images were brought, when each was last used, as we saw it.

What is known of an image is an empty file of its own, and its time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import typing as t

from .._act.lock import opened, taken
from .._core.errors import FleetError

_USED, _BROUGHT, _SIGNED = "used", "brought", "signed"  # folders


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


def identity(directory: str) -> str:
    """What tells this directory from others, on whatever store they work; made once. The caller holds the directory."""
    path = os.path.join(directory, "identity")
    with contextlib.suppress(FileNotFoundError), open(path, encoding="utf-8", errors="replace") as stream:
        found = stream.read().strip()
        if re.fullmatch("[0-9a-f]{16}", found):
            return found
    made = secrets.token_hex(8)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(f"{made}\n")
    return made


def use(directory: str, ident: str) -> None:
    """Say that an image is used now."""
    _mark(directory, _USED, ident)


def used(directory: str, ident: str) -> float | None:
    """When, in seconds since 1970; None: not known."""
    try:
        return os.stat(os.path.join(directory, _USED, ident)).st_mtime
    except OSError:
        return None


def came(directory: str, ident: str) -> None:
    """Say that an image came into the store by us."""
    _mark(directory, _BROUGHT, ident)


def brought(directory: str, ident: str) -> bool:
    """Whether it did."""
    return os.path.exists(os.path.join(directory, _BROUGHT, ident))


def sign(directory: str, *words: str) -> None:
    """Say that an image was signed. ``words``: where, which, by whom."""
    _mark(directory, _SIGNED, _name(words))


def signed(directory: str, *words: str) -> bool:
    """Whether it was, by us."""
    return os.path.exists(os.path.join(directory, _SIGNED, _name(words)))


def forget_others(directory: str, there: t.Collection[str]) -> None:
    """Forget images that the store has no more, whoever removed them. ``there``: ids of those that it has."""
    for folder in (os.path.join(directory, name) for name in (_USED, _BROUGHT)):
        for ident in os.listdir(folder) if os.path.isdir(folder) else ():
            if ident not in there:
                os.unlink(os.path.join(folder, ident))


def _mark(directory: str, name: str, ident: str) -> None:
    folder = os.path.join(directory, name)
    os.makedirs(folder, mode=0o755, exist_ok=True)
    path = os.path.join(folder, ident)
    with open(path, "a", encoding="utf-8"):
        os.utime(path)


def _name(words: t.Sequence[str]) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()
