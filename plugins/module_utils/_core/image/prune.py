# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which images of ours may go: those that were used longest ago, beyond the number that is kept."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import DataError


@dc.dataclass(frozen=True)
class Stored:
    """An image of ours in a store.

    Attributes:
        names: tags and digests by which it is known.
        key: of its uppermost layer.
        below: keys of the layers under that.
        used: when it was last used, in seconds; None: not known.
        running: a container is made of it.
    """

    id: str
    names: tuple[str, ...]
    key: str
    below: tuple[str, ...] = ()
    used: float | None = None
    running: bool = False


@dc.dataclass(frozen=True)
class Fate:
    """An image, and why it stays; an empty reason: it goes."""

    stored: Stored
    reason: str


def plan(stored: t.Sequence[Stored], keep: int, pinned: t.Collection[str]) -> tuple[Fate, ...]:
    """What becomes of each, in the order given. ``pinned``: names, ids or keys that stay whatever happens.

    Layers below another image take no room of their own and no place among those that are kept: they stay with it.

    Raises:
        DataError: ``keep`` is no number of images.
    """
    if keep < 0:
        raise DataError("rocm_image_keep", f"is {keep}, and cannot be less than 0", "write how many images stay")
    below = {key for one in stored for key in one.below}
    reasons = {one.id: _held(one, pinned, one.key not in below) for one in stored}
    tops = [one for one in stored if one.key not in below and not reasons[one.id]]
    for one in sorted(tops, key=lambda one: one.used or 0, reverse=True)[:keep]:
        reasons[one.id] = f"it is among the last {keep} by use"
    under = _under(stored, [key for one in stored if reasons[one.id] for key in one.below])
    return tuple(Fate(one, reasons[one.id] or ("an image that stays stands on it" if one.key in under else ""))
                 for one in stored)


def unknown(pinned: t.Iterable[str], known: t.Iterable[t.Iterable[str]]) -> tuple[str, ...]:
    """Pins that nothing in the store has: nothing stays for them. ``known``: id, names and key of each image."""
    there = {word for words in known for word in words}
    return tuple(dict.fromkeys(pin for pin in pinned if pin not in there))


def _under(stored: t.Sequence[Stored], left: list[str]) -> set[str]:
    """These keys, and those of all layers under them."""
    found: set[str] = set()
    while left:
        key = left.pop()
        if key not in found:
            found.add(key)
            left += [lower for one in stored if one.key == key for lower in one.below]
    return found


def _held(one: Stored, pinned: t.Collection[str], top: bool) -> str:
    """Why an image stays whenever it was used; empty: for no such reason."""
    if one.running:
        return "a container is made of it"
    if {one.id, one.key, *one.names} & set(pinned):
        return "it is pinned"
    return "its last use is not known" if top and one.used is None else ""
