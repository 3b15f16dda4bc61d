# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The catalogue of families, stacks, mixtures and checks: those of sites over ours."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from ..near import hint
from ..records import Document, Layers, begun
from ..strict import Contradiction
from .family import Family, Text
from .stack import Mixture, Stack

FAMILY, STACKS, CHECKS = "rdma_family", "rdma_stacks", "rdma_checks"
KINDS = (FAMILY, STACKS, CHECKS)


@dc.dataclass(frozen=True)
class Catalogue:
    """All families and stacks by name, mixtures and texts by id."""

    families: t.Mapping[str, Family]
    stacks: t.Mapping[str, Stack]
    mixtures: t.Mapping[str, Mixture]
    texts: t.Mapping[str, Text]

    @classmethod
    def from_documents(cls, documents: t.Iterable[Document]) -> Catalogue:
        """From ``{path, data, layer}`` of each file, lowest layer first.

        Raises:
            DataError: a file is not right; the message names file and path.
        """
        families: Layers[Family] = Layers()
        stacks: Layers[Stack] = Layers()
        mixtures: Layers[Mixture] = Layers()
        texts: Layers[Text] = Layers()
        for document in documents:
            reader, kind = begun(document["data"], document["path"], KINDS)
            if kind == FAMILY:
                families.add(document, [(reader.path.rstrip(":"), Family.read(reader))])
            elif kind == STACKS:
                stacks.add(document, reader.records("stacks", Stack.read))
                mixtures.add(document, reader.records("mixtures", Mixture.read, []))
            else:
                texts.add(document, reader.records("checks", Text.read))
            reader.done()
        found = cls(families.by_id, stacks.by_id, mixtures.by_id, texts.by_id)
        found._refuse_two()
        found._refuse_strange()
        return found

    def _refuse_two(self) -> None:
        """A device is of one family."""
        owners: dict[str, str] = {}
        for family in self.families.values():
            for mark in (*family.drivers, *family.pci):
                if owners.setdefault(mark, family.name) != family.name:
                    raise Contradiction(f"rdma_family {family.name}", f"{mark} is also of {owners[mark]}",
                                        "name it in one of them")

    def _refuse_strange(self) -> None:
        """A stack serves families that there are."""
        for stack in self.stacks.values():
            for name in (one.family for one in stack.serves if one.family not in self.families):
                raise Contradiction(f"stack {stack.name}", f"serves {name!r}, which is no family",
                                    hint(name, self.families))

    def of_driver(self, driver: str | None) -> Family | None:
        """The family whose driver that is."""
        return next((family for family in self.families.values() if driver in family.drivers), None)

    def of_pci(self, vendor: str, device: str) -> Family | None:
        """The family of a PCI function, by four hexadecimal digits each."""
        return next((family for family in self.families.values() if f"{vendor}:{device}" in family.pci), None)

    def stack(self, name: str) -> Stack:
        """The stack of that name.

        Raises:
            FleetError: there is none.
        """
        return _named(self.stacks, name, "rdma_stack_stack")

    def serving(self, family: str, manager: str | None) -> tuple[str, ...]:
        """Stacks with packages for a manager that have a provider for a family, in words: ``pollara where ...``."""
        return tuple(one.told(stack.name) for stack in self.stacks.values() if stack.packages.get(manager or "")
                     for one in stack.serves if one.family == family)

    def family(self, name: str) -> Family:
        """The family of that name.

        Raises:
            FleetError: there is none.
        """
        return _named(self.families, name, "rdma_stack_families")

    def module(self, name: str) -> str:
        """The module of the kernel of that name.

        Raises:
            FleetError: no family has it.
        """
        return _named(dict.fromkeys(self.modules, name), name, "rdma_stack_drivers")

    @property
    def modules(self) -> tuple[str, ...]:
        """Modules of the kernel that any family needs."""
        return tuple(sorted({name for family in self.families.values() for name in family.modules}))

    @property
    def packages(self) -> tuple[str, ...]:
        """Names of all packages that anything here is about."""
        stacked = (names for stack in self.stacks.values() for of in stack.packages.values() for names in of.values())
        renamed = ((one.to,) for stack in self.stacks.values() for one in stack.renamed)
        mixed = (side.packages for mixture in self.mixtures.values() for side in (mixture.one, mixture.other))
        return tuple(sorted({name for names in (*stacked, *renamed, *mixed) for name in names}))

    @property
    def paths(self) -> tuple[str, ...]:
        """Patterns of all files that mixtures are about."""
        return tuple(sorted({path for mixture in self.mixtures.values() for side in (mixture.one, mixture.other)
                             for path in side.paths}))


T = t.TypeVar("T")


def _named(there: t.Mapping[str, T], name: str, variable: str) -> T:
    if name in there:
        return there[name]
    raise FleetError(variable, f"the catalogue of RDMA has no {name!r}", hint(name, there))
