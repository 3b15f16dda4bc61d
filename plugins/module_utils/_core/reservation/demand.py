# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What is asked of one node, held against what the node is: before anything is given to anybody."""

from __future__ import annotations

import dataclasses as dc
import functools
import typing as t

from ..errors import DataError, FleetError
from ..near import nearest
from ..plan.wording import counted
from .room import untouched
from .shape import Device, Record, Tenant, Wish


@dc.dataclass(frozen=True)
class Demand:
    """One node, and what is wanted of it.

    Attributes:
        node: its name in the inventory.
        devices: that it has.
        tenants: that the inventory knows.
        wishes: its reservations.
        spares: whole GPUs that are kept out of all work; None: the fleet's share of them.
        before: what it was told last; None if nothing.
        aside: PCI address of each GPU that takes nothing new -> why.
    """

    node: str
    devices: tuple[Device, ...]
    tenants: tuple[Tenant, ...] = ()
    wishes: tuple[Wish, ...] = ()
    spares: int | None = None
    before: Record | None = None
    aside: t.Mapping[str, str] = dc.field(default_factory=dict)

    @functools.cached_property
    def able(self) -> tuple[Device, ...]:
        """What may be a spare: devices that take something new."""
        return tuple(device for device in self.devices if device.gpu not in self.aside)

    @functools.cached_property
    def held(self) -> dict[str, frozenset[str]]:
        """Name of each reservation that stays -> ids of the devices that it has; of another tenant it is another."""
        stay = {(wish.name, wish.tenant) for wish in self.wishes}
        return {grant.wish.name: frozenset(device.id for device in grant.devices)
                for grant in (self.before.grants if self.before else ())
                if (grant.wish.name, grant.wish.tenant) in stay}

    @functools.cached_property
    def spared(self) -> frozenset[str]:
        """Ids of the devices that were kept out before."""
        return frozenset(device.id for device in (self.before.spares if self.before else ()))


def barred(demand: Demand, device: Device, wish: Wish) -> str:
    """Why a wish does not get a device that is set aside. What it has it keeps: then it is empty, too."""
    kept = device.id in demand.held.get(wish.name, ())
    return "" if kept else demand.aside.get(device.gpu, "")


def spares_of(demand: Demand) -> int:
    """How many GPUs must stay spare. Reservations that were there may have them: that is what spares are for.

    So where a GPU is lost a spare steps in, and it is one again when the GPU is back. New reservations get none. A node
    that was told nothing keeps as many as are asked for.
    """
    if demand.before is None:
        return demand.spares or 0
    wanted = {(wish.name, wish.tenant): wish.gpus for wish in demand.wishes}
    had = {gpu for grant in demand.before.grants
           if (grant.wish.name, grant.wish.tenant) in wanted
           for gpu in sorted({one.gpu for one in grant.devices})[:wanted[grant.wish.name, grant.wish.tenant]]}
    able = untouched(demand.able, {})
    return max(0, min(demand.spares or 0, len(able) - len(had - demand.aside.keys())))


def refuse_unknown(demand: Demand) -> None:
    """Refuse wishes that no node could fulfil.

    Raises:
        FleetError: a name is there twice, a tenant is unknown, or there are more spares than GPUs.
    """
    names = [wish.name for wish in demand.wishes]
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice:
        raise DataError(f"reservation {twice}", "is there twice", "give each a name of its own")
    known = [tenant.name for tenant in demand.tenants]
    for wish in demand.wishes:
        if wish.tenant not in known:
            near = nearest(wish.tenant, known)
            hint = f"did you mean {near}" if near else "add it to gpu_reservation_tenants"
            raise DataError(f"reservation {wish.name}", f"is for {wish.tenant}, and no such tenant is known", hint)
    gpus = {device.gpu for device in (*demand.devices, *_told(demand.before or Record()))}
    if (demand.spares or 0) > len(gpus):
        raise few_spares(demand, len(gpus), "has")


def few_spares(demand: Demand, gpus: int, verb: str) -> FleetError:
    """The refusal of more spares than the node has, or has free."""
    what = f"is {demand.spares}, and the node {verb} {counted(gpus, 'GPU')}"
    return FleetError("gpu_reservation_spares", what, f"ask for at most {gpus}")


def _told(record: Record) -> t.Iterator[Device]:
    yield from (*record.spares, *record.pool)
    for grant in record.grants:
        yield from grant.devices


def named(wish: Wish, devices: t.Sequence[Device]) -> tuple[Device, ...]:
    """The devices that a wish names: by id, by PCI address of a GPU, by UUID.

    Raises:
        FleetError: one is not on the node, or is named twice.
    """
    found: dict[str, Device] = {}
    for name in wish.devices:
        mine = [device for device in devices if name.lower() in _names(device)]
        if not mine:
            gpus = sorted({device.gpu for device in devices})
            what = f"names device {name}, which is not on the node: it has {', '.join(gpus) or 'none'}"
            raise FleetError(where(wish), what, "name one by PCI address, or by the UUID of this node's")
        twice = next((device.id for device in mine if device.id in found), None)
        if twice:
            raise FleetError(where(wish), f"names device {twice} twice", "remove one")
        found.update({device.id: device for device in mine})
    return tuple(found.values())


def _names(device: Device) -> tuple[str, ...]:
    names = (device.id, device.gpu, device.uuid, device.rocr_uuid)
    return tuple(name.lower() for name in names if name)


def where(wish: Wish) -> str:
    """What a refusal calls it."""
    return f"reservation {wish.name} of {wish.tenant}"
