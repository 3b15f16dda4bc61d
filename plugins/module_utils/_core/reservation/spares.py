# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How many GPUs of which node are kept out of all work, so that one can step in where another fails."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from .demand import Demand
from .shape import NODE


@dc.dataclass(frozen=True)
class Rule:
    """Options of fleet_reservation_plan, with their defaults.

    source: an operators' report of one fleet: 5 per cent are hot spares beside scheduling

    Attributes:
        share: per cent of the GPUs of a fleet.
        large: GPUs from which on a node keeps one itself.
    """

    share: int = 5
    large: int = 8


USUAL = Rule()


def rule(share: int, large: int) -> Rule:
    """The rule of options.

    Raises:
        FleetError: one is out of its range.
    """
    if not 0 <= share <= 100:
        raise FleetError("spare_share", f"is {share}", "write per cent of the GPUs of the fleet, from 0 to 100")
    if large < 1:
        raise FleetError("spare_node", f"is {large}", "write from how many GPUs on a node keeps one itself")
    return Rule(share, large)


def spread(demands: t.Sequence[Demand], by: Rule) -> tuple[Demand, ...]:
    """The demands with a number of spares each. Nodes that say one keep theirs, and the rest of the fleet its share.

    What large nodes keep counts. What is missing is kept where most GPUs are free, first where some were kept before.
    """
    sizes = {one.node: len({device.gpu for device in one.devices}) for one in demands if one.spares is None}
    kept = {node: int(size >= by.large) for node, size in sizes.items()}
    room = {one.node: len({device.gpu for device in one.able}) - kept[one.node] - _wanted(one)
            for one in demands if one.node in sizes}
    before = {one.node: bool(one.spared) for one in demands}
    for _turn in range(-(-sum(sizes.values()) * by.share // 100) - sum(kept.values())):
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
