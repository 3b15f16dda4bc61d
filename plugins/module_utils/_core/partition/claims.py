# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Whether what tenants have reserved still fits a layout: asked before the layout changes, not after."""

from __future__ import annotations

import collections
import dataclasses as dc
import typing as t

from ..errors import DataError, FleetError
from ..strict import Reader
from .shape import LogicalDevice
from .wording import counted, grouped

GPU, DEVICE = "gpu", "device"
_HINT = "change the reservation first, or choose another profile"
_WORDS = {GPU: "GPU", DEVICE: "device"}


@dc.dataclass(frozen=True)
class Claim:
    """What one tenant has reserved of a node.

    Attributes:
        tenant: name.
        devices: which, by name: of GPUs index ("0"), PCI address or UUID; of devices index of the node ("17"), GPU and
            partition ("0000:05:00.0/3"), UUID or render node, or all of a GPU by its address or UUID. Empty: any.
        count: how many of any; None where they are named.
        of: gpu (whole GPUs with all of their devices), device.
    """

    tenant: str
    devices: tuple[str, ...] = ()
    count: int | None = None
    of: str = DEVICE

    @classmethod
    def read(cls, data: object, where: str) -> Claim:
        """One item of ``reservations``. What is null or an empty list is not given: so Ansible fills options.

        Raises:
            DataError: it is not of the form.
        """
        if isinstance(data, dict):
            data = {key: value for key, value in data.items() if value not in (None, [])}
        reader = Reader(data, where)
        claim = cls(reader.text("tenant"), reader.texts("devices", ()), reader.count("count"),
                    reader.choice("of", (GPU, DEVICE), DEVICE))
        reader.done()
        if bool(claim.devices) == bool(claim.count):
            raise DataError(where, "has both or neither of devices and count", "say which, or how many")
        return claim


def read_claims(raw: t.Iterable[object], where: str) -> tuple[Claim, ...]:
    """All of them. Errors as of ``Claim.read``."""
    return tuple(Claim.read(item, f"{where}[{index}]") for index, item in enumerate(raw))


def refuse_unfit(claims: t.Iterable[Claim], layout: t.Sequence[LogicalDevice]) -> None:
    """Refuse a layout in which a reservation has no place.

    What is named is taken first, then GPUs, then devices.

    Raises:
        FleetError: names the first tenant that would lose something, and what.
    """
    free = {device.index: device for device in layout}
    owners: dict[int, str] = {}
    for claim in sorted(claims, key=lambda claim: (claim.count is not None, claim.of == DEVICE)):
        for device in _named(claim, layout) if claim.devices else _any(claim, list(free.values()), layout):
            if device.index in owners:
                what = f"gpu {device.gpu} partition {device.partition} is also reserved for {owners[device.index]}"
                raise FleetError(f"reservation of {claim.tenant}", what, "correct one of them")
            owners[device.index] = claim.tenant
            del free[device.index]


def _named(claim: Claim, layout: t.Sequence[LogicalDevice]) -> list[LogicalDevice]:
    found: list[LogicalDevice] = []
    for name in claim.devices:
        mine = ([device for device in layout if name.lower() in _names(device, claim.of)]
                or [device for device in layout if name.lower() in _names_of_gpu(device)])
        if not mine:
            what = f"{_WORDS[claim.of]} {name} would not exist: the layout has {_size(layout)}"
            raise FleetError(f"reservation of {claim.tenant}", what, _HINT)
        found += mine
    return found


def _names(device: LogicalDevice, of: str) -> tuple[str, ...]:
    if of == GPU:
        return str(device.gpu_index), *_names_of_gpu(device)
    return (str(device.index), f"{device.gpu}/{device.partition}", _lower(device.uuid), _lower(device.render_node))


def _names_of_gpu(device: LogicalDevice) -> tuple[str, ...]:
    return device.gpu, _lower(device.gpu_uuid)


def _lower(text: str | None) -> str:
    return (text or "").lower()


def _any(claim: Claim, free: t.Sequence[LogicalDevice], layout: t.Sequence[LogicalDevice]) -> list[LogicalDevice]:
    """The first that are free: devices, or GPUs of which no device is taken."""
    units = [[device] for device in free]
    if claim.of == GPU:
        sizes = collections.Counter(device.gpu for device in layout)
        units = [of_gpu for gpu, of_gpu in grouped((device, device.gpu) for device in free).items()
                 if len(of_gpu) == sizes[gpu]]
    count = claim.count or 0
    if len(units) < count:
        what = f"wants {counted(count, _WORDS[claim.of])}, and the layout leaves {len(units)}"
        raise FleetError(f"reservation of {claim.tenant}", what, _HINT)
    return [device for unit in units[:count] for device in unit]


def _size(layout: t.Sequence[LogicalDevice]) -> str:
    gpus = len({device.gpu for device in layout})
    return f"{counted(gpus)} with {counted(len(layout), 'device')}"
