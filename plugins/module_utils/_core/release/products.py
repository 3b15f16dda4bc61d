# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From a PCI device id to the product, as far as the id tells."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import FleetError
from ..strict import Reader
from .provenance import Provenance
from .versions import DriverRelease, RocmVersion

PCI_ID = r"[0-9a-f]{4}"
NAME = r"MI\d+[A-Z]?"


@dc.dataclass(frozen=True)
class DeviceIds:
    """The PCI device ids of one product: ``pci_ids`` are physical functions, ``vf_ids`` virtual ones."""

    name: str
    pci_ids: tuple[str, ...]
    vf_ids: tuple[str, ...]


P = t.TypeVar("P", bound=DeviceIds)


@dc.dataclass(frozen=True)
class Product(DeviceIds):
    """One GPU model. ``first_rocm`` and ``first_driver`` are None where AMD names none."""

    llvm_target: str
    arch: str
    series: str
    first_rocm: RocmVersion | None
    first_driver: DriverRelease | None
    provenance: Provenance

    @classmethod
    def read(cls, reader: Reader, sources: t.Mapping[str, str]) -> Product:
        """One record of ``products``."""
        return cls(
            name=reader.text("name", pattern=NAME),
            llvm_target=reader.text("llvm_target", pattern=r"gfx[0-9a-f]+"),
            arch=reader.text("arch"),
            series=reader.text("series"),
            pci_ids=reader.texts("pci_ids", pattern=PCI_ID),
            vf_ids=reader.texts("vf_ids", pattern=PCI_ID),
            first_rocm=reader.read_optional("first_rocm", RocmVersion.parse),
            first_driver=reader.read_optional("first_driver", DriverRelease.parse),
            provenance=Provenance.read(reader, sources),
        )


@dc.dataclass(frozen=True)
class Identity:
    """A GPU of a node and the products that it can be: several where the device id does not tell."""

    bdf: str
    device_id: str
    products: tuple[Product, ...]
    virtual: bool

    @property
    def name(self) -> str:
        """MI300X; "MI250 or MI250X" where it is not known which."""
        return " or ".join(product.name for product in self.products)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the products."""
        return tuple(product.name for product in self.products)


def device_ids(reader: Reader) -> DeviceIds:
    """A product's ids alone, as a node is told them: ``{name, pci_ids, vf_ids}``."""
    return DeviceIds(reader.text("name", pattern=NAME), reader.texts("pci_ids", pattern=PCI_ID),
                     reader.texts("vf_ids", pattern=PCI_ID))


def candidates(products: t.Iterable[P], device_id: str, market_name: str | None = None) -> tuple[P, ...]:
    """The products with this device id; the market name decides between those that share it (740c)."""
    wanted = device_id.lower().removeprefix("0x")
    found = tuple(p for p in products if wanted in p.pci_ids + p.vf_ids)
    said = re.findall(rf"\b{NAME}\b", (market_name or "").upper())
    return tuple(p for p in found if p.name in said) or found


def identify(products: t.Sequence[Product], bdf: str, device_id: str, market_name: str | None = None) -> Identity:
    """The product with this device id; the market name decides between products that share it (740c).

    Raises:
        FleetError: no product has this id.
    """
    wanted = device_id.lower().removeprefix("0x")
    found = candidates(products, wanted, market_name)
    if not found:
        raise FleetError(f"gpu {bdf}", f"PCI device id 1002:{wanted} belongs to no product of the catalogue",
                         "add it to products.yml in a directory of gpu_release_catalogue_dirs")
    virtual = any(wanted in p.vf_ids for p in products)
    return Identity(bdf, wanted, found, virtual)
