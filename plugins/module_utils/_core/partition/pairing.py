# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Whether a pair of modes holds for a GPU: the table, and the node's own lists over it."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from ..findings import Cause, Finding
from ..look.gpus import Gpu
from .capabilities import Pair, ProductModes
from .circumstances import Circumstances, NotReadyError
from .shape import DEFAULT_ACCEPT, GpuWanted, memory_parts
from .wording import counted

_MEANING = {
    "allowed": "the kernel takes it, and the vendor does not list it as supported",
    "experimental": "the vendor calls it a preview, or it depends on the firmware",
}
_CAUSE = "Firmware and driver decide which modes a GPU has; a table is of one release."
_REMEDY = "believe the node, and compare its firmware and driver with those that the table is for"


@dc.dataclass(frozen=True)
class Paired:
    """What is to be said of a pair that holds."""

    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


def refuse_pair(gpu: Gpu, product: ProductModes, before: GpuWanted, wanted: GpuWanted, circumstances: Circumstances,
                accept: t.Collection[str]) -> Paired:
    """What is to be said of the wanted pair. A GPU that is so already is never refused.

    Raises:
        FleetError: the product cannot be so, or the site does not accept how well it is known.
        NotReadyError: the node does not offer it, or its driver is too old for it.
    """
    pair = product.pair(wanted.compute, wanted.memory)
    if before == wanted:
        return Paired(_unaccepted(pair, product, wanted, circumstances, accept))
    where = f"gpu {gpu.bdf}"
    offer = _Offer(gpu, product, before, wanted)
    if pair is None:
        return _not_in_table(offer, accept)
    offer.refuse_missing()
    standing = pair.standing(circumstances.driver)
    if standing is None:
        raise NotReadyError(where, f"{product.name} can be {wanted.text} from amdgpu {pair.since} on, and "
                            f"{circumstances.driver_version} is loaded", "choose a release with a newer driver",
                            pair.sources[0])
    if not circumstances.driver and offer.untold:
        raise NotReadyError(where, f"whether {wanted.text} goes cannot be told: the driver has no version, and the "
                            "node does not say which modes it offers", "load a driver of a release")
    _refuse_young(where, pair, standing, circumstances, accept)
    _refuse_unaccepted(where, product, wanted, standing, accept)
    notes = (
        "" if circumstances.driver else "the driver has no version (the kernel's own has none): the node decides",
        "the node does not say which modes it offers: the table decides" if offer.untold else "",
        f"{pair.text} on {product.name}: {pair.note}" if pair.note else "")
    return Paired(tuple(filter(None, notes)))


def refuse_unlisted(gpu: Gpu, product: ProductModes, wanted: GpuWanted, accept: t.Collection[str]) -> None:
    """Refuse what no table lists and the site would not take if the node offers it: that needs no look at the GPU.

    Raises:
        FleetError: it is so.
    """
    same = (gpu.compute_partition, gpu.memory_partition) == (wanted.compute, wanted.memory)
    if product.pair(wanted.compute, wanted.memory) is None and "allowed" not in accept and not same:
        before = GpuWanted(gpu.bdf, gpu.compute_partition or "", gpu.memory_partition or "")
        _not_in_table(_Offer(gpu, product, before, wanted), accept)


class _Offer:
    """The node's own lists for one GPU. Compute modes are listed for the memory mode that is set now."""

    def __init__(self, gpu: Gpu, product: ProductModes, before: GpuWanted, wanted: GpuWanted) -> None:
        self.gpu, self.product, self.wanted = gpu, product, wanted
        self.same_memory = before.memory == wanted.memory

    @property
    def untold(self) -> bool:
        """The node says nothing about what is wanted."""
        return not (self.gpu.available_compute if self.same_memory else self.gpu.available_memory)

    @property
    def more(self) -> str:
        """What the node offers and no pair of the table has; empty: nothing."""
        if self.same_memory:
            return self.wanted.text if self.wanted.compute in self.gpu.available_compute else ""
        new = self.wanted.memory in self.gpu.available_memory and self.wanted.memory not in self.product.memories
        return self.wanted.memory if new else ""

    def refuse_missing(self) -> None:
        """Refuse what the table lists and the node does not offer.

        Raises:
            NotReadyError: in the words of the finding.
        """
        gpu, wanted = self.gpu, self.wanted
        kind, mode, offered = (("compute", wanted.compute, gpu.available_compute) if self.same_memory
                               else ("memory", wanted.memory, gpu.available_memory))
        if offered and mode not in offered:
            within = f" in {wanted.memory}" if self.same_memory else ""
            found = finding(gpu, self.product, "partition-not-offered", "warning",
                            f"the table of {self.product.name} lists {wanted.text}, and the node does not offer {mode}"
                            f"{within}: its {kind} modes are {', '.join(offered)}")
            raise NotReadyError(f"gpu {gpu.bdf}", found.summary, found.why.remedy)


def _not_in_table(offer: _Offer, accept: t.Collection[str]) -> Paired:
    """A pair that no table lists: allowed where the node offers it, and memory has no more parts than compute."""
    product, wanted, where = offer.product, offer.wanted, f"gpu {offer.gpu.bdf}"
    hint = f"choose one of {', '.join(pair.text for pair in product.pairs)}"
    devices = product.devices_in(wanted.compute)
    if memory_parts(wanted.memory) > devices:
        raise FleetError(where, f"{wanted.text} would be {memory_parts(wanted.memory)} parts of memory for "
                         f"{counted(devices, 'device')}", hint, product.sources[0])
    if not offer.more:
        raise FleetError(where, f"{product.name} cannot be {wanted.text}", hint, product.sources[0])
    _refuse_unaccepted(where, product, wanted, "allowed", accept)
    found = finding(offer.gpu, product, "partition-not-in-table", "info",
                    f"the node offers {offer.more}, and the table of {product.name} does not list it")
    return Paired(findings=(found,))


def _refuse_young(where: str, pair: Pair, standing: str, circumstances: Circumstances,
                  accept: t.Collection[str]) -> None:
    """Refuse what is not accepted as it is with this driver, and would be with a newer one."""
    known = (*DEFAULT_ACCEPT, *accept)
    seen = circumstances.driver
    later = [period for period in pair.periods if period.standing in known and period.driver_from > seen]
    if standing not in known and seen and later:
        driver = ".".join(map(str, later[0].driver_from))
        raise NotReadyError(where, f"{pair.text} is {standing} with amdgpu {circumstances.driver_version}, and "
                            f"{later[0].standing} from {driver} on", f"choose a release with a newer driver, or add "
                            f"{standing} to gpu_partition_accept", pair.sources[0])


def _refuse_unaccepted(where: str, product: ProductModes, wanted: GpuWanted, standing: str,
                       accept: t.Collection[str]) -> None:
    if standing not in (*DEFAULT_ACCEPT, *accept):
        what = f"{wanted.text} is {standing} on {product.name} and not documented: {_MEANING[standing]}"
        raise FleetError(where, what, f"add {standing} to gpu_partition_accept, or choose another")


def _unaccepted(pair: Pair | None, product: ProductModes, wanted: GpuWanted, circumstances: Circumstances,
                accept: t.Collection[str]) -> tuple[str, ...]:
    """What stays as it is and would be refused if it had to be set."""
    standing = pair.standing(circumstances.driver) if pair else None
    if standing in (*DEFAULT_ACCEPT, *accept):
        return ()
    known = f"is {standing}" if standing else "is not in the table"
    return (f"{wanted.text} {known} on {product.name}: it stays, and could not be set again without acceptance",)


def finding(gpu: Gpu, product: ProductModes, ident: str, severity: str, summary: str) -> Finding:
    """Where the node and the table disagree about a GPU."""
    seen = tuple(f"available_{kind}: {', '.join(modes) or 'not told'}"
                 for kind, modes in (("compute", gpu.available_compute), ("memory", gpu.available_memory)))
    return Finding(ident, "partition", severity, "configuration", gpu.bdf, summary,
                   Cause(_CAUSE, _REMEDY, product.sources, "derived"), seen)
