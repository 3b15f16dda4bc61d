# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The devices of one node for those who have reserved them."""

from __future__ import annotations

from ..errors import FleetError
from . import share
from .demand import Demand, few_spares, refuse_unknown, spares_of
from .room import Taken, given, untouched
from .search import Placed, Search, place_of
from .shape import Grant, Record
from .short import short


def allocate(demand: Demand) -> Record:
    """What the node is to be told. Errors as of ``allocated``."""
    return allocated(demand)[0]


def allocated(demand: Demand) -> tuple[Record, tuple[str, ...]]:
    """What the node is to be told, and what a person should know of how it was found.

    The same demand always gives the same; what it was told before stays where it fits.

    Raises:
        FleetError: the wishes are not right, or do not fit.
    """
    refuse_unknown(demand)
    spares = spares_of(demand)
    search = Search(demand, spares)
    placed = search.best()
    if placed is None:
        raise _unfit(demand, search, spares)
    cut = ("fewer devices might move: there are more ways than are tried",) if search.cut else ()
    return share.placed(_record(demand, search, placed, spares), demand.before), cut


def _unfit(demand: Demand, search: Search, spares: int) -> FleetError:
    """Why: in the words of the first wish that finds no place beside those before it."""
    taken: Taken = {}
    if not search.wishes:
        return few_spares(demand, len(untouched(demand.able, taken)), "has free")
    wishes = iter(search.wishes)
    wish = next(wishes)
    while (devices := search.first(wish, taken)) is not None:
        taken = given(taken, wish, devices)
        wish = next(wishes)
    return short(wish, search, taken, spares)


def _record(demand: Demand, search: Search, placed: Placed, spares: int) -> Record:
    taken: Taken = {}
    for wish in search.wishes:
        taken = given(taken, wish, placed[wish.name])
    devices = sorted(demand.devices, key=place_of)
    # Those that were spare stay so, then the last: programs that choose by number begin at the first.
    free = untouched((device for device in devices if device.gpu not in demand.aside), taken)
    before = {device.gpu for device in devices if device.id in demand.spared}
    kept = sorted(free, key=lambda gpu: (gpu in before, free.index(gpu)))[len(free) - spares:]
    closed = {*kept, *demand.aside}
    rest = [device for device in devices if device.id not in taken and device.render_node]
    known = {wish.tenant for wish in search.wishes}
    return Record(
        tuple(sorted((tenant for tenant in demand.tenants if tenant.name in known), key=lambda tenant: tenant.name)),
        tuple(sorted((Grant(wish, placed[wish.name]) for wish in search.wishes), key=lambda grant: grant.wish.name)),
        tuple(device for device in rest if device.gpu in closed),
        tuple(device for device in rest if device.gpu not in closed))
