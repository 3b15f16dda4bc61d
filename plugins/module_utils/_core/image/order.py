# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The order in which layers are built: from the one that stands on the base, each on the one that it names."""

from __future__ import annotations

import typing as t

from ..errors import DataError
from ..near import nearest
from .definition import Draft


def ordered(drafts: t.Sequence[Draft], where: str) -> tuple[Draft, ...]:
    """The layers from the lowest to the uppermost.

    Raises:
        DataError: a layer is there twice, names one that is not there, goes in a circle, or they are no single pile.
    """
    by_name = {draft.name: draft for draft in drafts}
    above: dict[str, Draft] = {}
    for index, draft in enumerate(drafts):
        if by_name[draft.name] is not draft:
            raise DataError(where, f"layer {draft.name} is there twice", "rename one")
        if draft.parent and draft.parent not in by_name:
            near = nearest(draft.parent, by_name) or drafts[index - 1].name
            raise DataError(where, f"layer {draft.name} stands on {draft.parent!r}, which is no layer",
                            f"did you mean {near}?")
        other = above.setdefault(draft.parent, draft)
        if other is not draft:
            on = f"on layer {draft.parent}" if draft.parent else "on the base, as they name no parent"
            raise DataError(where, f"layers {other.name} and {draft.name} both stand {on}",
                            "let one stand on the other, or make two images")
    found: list[Draft] = []
    name = ""
    while name in above:
        found.append(above[name])
        name = above[name].name
    if len(found) < len(drafts):
        circle = sorted(set(by_name) - {draft.name for draft in found})
        raise DataError(where, f"layers {', '.join(circle)} stand on each other in a circle",
                        "let the lowest layer name no parent")
    return tuple(found)
