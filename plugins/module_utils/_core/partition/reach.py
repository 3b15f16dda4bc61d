# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Whether one GPU, as it is seen, can become what is wanted of it."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from ..findings import Finding
from ..look.gpus import OFF_THE_BUS, Gpu, Unknown
from .capabilities import Capabilities, ProductModes
from .circumstances import Circumstances, NotReadyError
from .pairing import refuse_pair, refuse_unlisted
from .shape import GpuWanted

DRIVER = "amdgpu"
WHOLE = ("SPX", "NPS1")  # what a GPU is that cannot be partitioned


@dc.dataclass(frozen=True)
class Reached:
    """One GPU that can become what is wanted of it; ``before`` is what it is."""

    gpu: Gpu
    product: ProductModes
    before: GpuWanted
    wanted: GpuWanted
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def memory_changes(self) -> bool:
        """It needs another memory mode."""
        return self.before.memory != self.wanted.memory


def reach(gpu: Gpu, wanted: GpuWanted, unknown: Unknown, capabilities: Capabilities, circumstances: Circumstances,
          accept: t.Collection[str]) -> Reached:
    """The GPU, its product and its modes, if it can become so.

    Args:
        gpu: as seen.
        wanted: of it.
        unknown: of the section gpus: path -> reason.
        capabilities: the catalogue.
        circumstances: of its node.
        accept: standings that the site accepts; documented always is.

    Raises:
        FleetError: it cannot, and why.
        NotReadyError: it cannot be told now.
    """
    known = capabilities.products.get(gpu.product or "")
    if known and not known.pairs:
        return _whole(gpu, wanted, known)
    if known and not gpu.virtual_function:
        refuse_unlisted(gpu, known, wanted, accept)
    refuse_absent(gpu, unknown)
    product = product_of(gpu, capabilities)
    before = GpuWanted(gpu.bdf, *seen_modes(gpu, unknown))
    where = f"gpu {gpu.bdf}"
    if before != wanted and gpu.virtual_function:
        raise _virtual(where, product, before, wanted)
    paired = refuse_pair(gpu, product, before, wanted, circumstances, accept)
    if before.memory != wanted.memory and product.memory_change != "reload":
        raise _fixed(where, product, before, wanted)
    return Reached(gpu, product, before, wanted, paired.notes, paired.findings)


def refuse_absent(gpu: Gpu, unknown: Unknown) -> None:
    """Refuse a GPU that the driver does not drive.

    Raises:
        NotReadyError: it is lost, or another driver or none is bound to it.
    """
    where = f"gpu {gpu.bdf}"
    if unknown.get(f"{gpu.bdf}.pcie.width") == OFF_THE_BUS:
        raise NotReadyError(where, "no answer on the bus",
                            "reboot the node; if it stays so, look at the hardware")
    if gpu.driver != DRIVER:
        raise NotReadyError(where, f"not bound to {DRIVER} (driver {gpu.driver or 'none'})",
                            f"load {DRIVER}, or leave this GPU out")


def product_of(gpu: Gpu, capabilities: Capabilities) -> ProductModes:
    """What the table says of its product.

    Raises:
        FleetError: the product cannot be told, or the table does not have it.
    """
    where = f"gpu {gpu.bdf}"
    if gpu.product is None:
        raise FleetError(where, f"PCI device id 1002:{gpu.device_id} is that of no product, or of several, and the "
                         "driver gives it no name", "load a driver that names it, or add the id to products.yml in a "
                         "directory of gpu_release_catalogue_dirs")
    if gpu.product not in capabilities.products:
        raise FleetError(where, f"no table says what {gpu.product} can be",
                         "add it to a file of products in a directory of gpu_partition_catalogue_dirs")
    return capabilities.products[gpu.product]


def _whole(gpu: Gpu, wanted: GpuWanted, product: ProductModes) -> Reached:
    """A GPU that cannot be partitioned is SPX/NPS1, whatever reports no mode."""
    if (wanted.compute, wanted.memory) != WHOLE:
        raise FleetError(f"gpu {gpu.bdf}", f"{product.name} cannot be partitioned, so not be {wanted.text}",
                         f"{product.alternative}, or leave this GPU out", product.sources[0])
    return Reached(gpu, product, wanted, wanted, (f"{product.name} cannot be partitioned and is SPX/NPS1 as it is",))


def seen_modes(gpu: Gpu, unknown: Unknown) -> tuple[str, str]:
    """Its compute and its memory mode.

    Raises:
        NotReadyError: one of them is not known.
    """
    for name, mode in (("compute", gpu.compute_partition), ("memory", gpu.memory_partition)):
        if mode is None:
            reason = unknown.get(f"{gpu.bdf}.{name}_partition", "the driver does not tell it")
            what = f"{name} partition unknown: {reason}"
            raise NotReadyError(f"gpu {gpu.bdf}", what, "mend that on the node")
    return str(gpu.compute_partition), str(gpu.memory_partition)


def _virtual(where: str, product: ProductModes, before: GpuWanted, wanted: GpuWanted) -> FleetError:
    counts = [count for count, *modes in product.virtual if modes == [wanted.compute, wanted.memory]]
    hint = "set them on the host"
    if counts:
        hint += f", which can give a guest {wanted.text} with {' or '.join(map(str, counts))} of them for each GPU"
    return FleetError(where, f"a virtual function, here in {before.text}, has the modes of its host", hint)


def _fixed(where: str, product: ProductModes, before: GpuWanted, wanted: GpuWanted) -> FleetError:
    what = f"in {before.memory}, and the memory mode of {product.name}"
    if product.memory_change == "bios":
        return FleetError(where, f"{what} is a setting of the BIOS", f"set {wanted.memory} there and reboot, or want "
                          f"{wanted.compute}/{before.memory}", product.sources[0])
    return FleetError(where, f"{what} cannot be changed", f"want {wanted.compute}/{before.memory}", product.sources[0])
