# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How GPUs are named in sentences, and one sentence for all GPUs of which the same is to be said."""

from __future__ import annotations

import typing as t

from ..errors import FleetError
from ..look.gpus import Gpus
from ..plan import wording

T = t.TypeVar("T")
V = t.TypeVar("V")


def listed(bdfs: t.Iterable[str]) -> str:
    """gpu 0000:05:00.0; or gpus 0000:05:00.0, 0000:26:00.0."""
    named = sorted(bdfs)
    return f"gpu{'' if len(named) == 1 else 's'} {', '.join(named)}"


def subject(bdfs: t.Collection[str], gpus: Gpus) -> str:
    """The same; "all 8 GPUs" where it is all of several."""
    every = len(gpus.gpus)
    return f"all {every} GPUs" if len(bdfs) == every > 1 else listed(bdfs)


def counted(number: int, word: str = "GPU") -> str:
    """1 GPU; 8 GPUs."""
    return wording.counted(number, word)


def grouped(pairs: t.Iterable[tuple[T, V]]) -> dict[V, list[T]]:
    """By the second of each pair, in order of appearance."""
    groups: dict[V, list[T]] = {}
    for first, second in pairs:
        groups.setdefault(second, []).append(first)
    return groups


def attempt_each(items: t.Iterable[T], name: t.Callable[[T], str], do: t.Callable[[T], V], gpus: Gpus) -> list[V]:
    """What ``do`` makes of each.

    Raises:
        FleetError: the first refusal, in the name of all GPUs that are refused in the same words.
    """
    made = [(name(item), _attempt(item, do)) for item in items]
    refused = [(bdf, error) for bdf, error in made if isinstance(error, FleetError)]
    if refused:
        first = refused[0][1]
        same = [bdf for bdf, error in refused if (error.what, error.hint) == (first.what, first.hint)]
        raise type(first)(subject(same, gpus), first.what, first.hint, first.source)
    return [value for _bdf, value in made if not isinstance(value, FleetError)]


def _attempt(item: T, do: t.Callable[[T], V]) -> V | FleetError:
    try:
        return do(item)
    except FleetError as error:
        return error
