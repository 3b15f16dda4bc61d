# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How many GPUs of which node are kept out of all work, so that one can step in where another fails."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .demand import Demand
from .shape import NODE

SHARE = 5  # per cent of the GPUs of a fleet
LARGE = 8  # GPUs from which on a node keeps one itself


def spread(demands: t.Sequence[Demand]) -> tuple[Demand, ...]:
    """The demands with a number of spares each. Nodes that say one keep theirs, and the rest of the fleet its share.

    What large nodes keep counts. What is missing is kept where most GPUs are free, first where some were kept before.
    """
    sizes = {one.node: len({device.gpu for device in one.devices}) for one in demands if one.spares is None}
    kept = {node: int(size >= LARGE) for node, size in sizes.items()}
    room = {one.node: len({device.gpu for device in one.able}) - kept[one.node] - _wanted(one)
            for one in demands if one.node in sizes}
    before = {one.node: bool(one.spared) for one in demands}
    for _turn in range(-(-sum(sizes.values()) * SHARE // 100) - sum(kept.values())):
        node = min(room, key=lambda name: (room[name] < 1, not before[name], -room[name], name))
        kept[node] += 1
        room[node] -= 1
        before[node] = False
    return tuple(dc.replace(one, spares=kept.get(one.node, one.spares)) for one in demands)


def _wanted(demand: Demand) -> int:
    """About how many GPUs the reservations of the node itself take."""
    of = max((device.of for device in demand.devices), default=1)
    return sum(wish.gpus or -(-(wish.partitions or len(wish.devices)) // of)
               for wish in demand.wishes if wish.scope == NODE)
