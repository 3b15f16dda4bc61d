# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What containers need beside their GPUs, and when: a catalogue of arguments, those of sites over ours."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import DataError
from ..records import ID, Document, Layers, Placed, begun, sources
from ..release.products import NAME as PRODUCT
from ..release.provenance import CONFIDENCES
from ..strict import Contradiction, Reader
from ..tuning.setting import ENVIRONMENT, FORMS, Setting

KIND = "run_arguments"
DEVICE, LIMIT, SHARED, NETWORK, SECCOMP = "device", "limit", "shared_memory", "network", "seccomp"
# Kind of argument -> form of its value; an environment variable has a name besides.
VALUES = {
    DEVICE: r"/dev(?:/[A-Za-z0-9_.-]+)+",
    LIMIT: r"[a-z]+=(?:-1|[0-9]+):(?:-1|[0-9]+)",
    SHARED: r"[0-9]+[kmg]",
    NETWORK: r"host",
    SECCOMP: r"unconfined",
    ENVIRONMENT: FORMS[ENVIRONMENT][1],
}
ALWAYS, SEVERAL, RDMA = WHEN = ("always", "several", "rdma")


@dc.dataclass(frozen=True)
class Rule:
    """One argument.

    Attributes:
        kind: one of VALUES.
        name: of an environment variable; empty for others.
        when: always, with several devices, or with RDMA.
        products: of the node's GPUs, that it is for; empty: all.
    """

    id: str
    kind: str
    value: str
    name: str = ""
    when: str = ALWAYS
    products: tuple[str, ...] = ()

    @classmethod
    def read(cls, reader: Reader) -> Placed[Rule]:
        """One record of ``arguments``, with its place."""
        ident, kind = reader.text("id", pattern=ID), reader.choice("kind", tuple(VALUES))
        found = cls(ident, kind, reader.text("value", pattern=VALUES[kind]),
                    reader.text("name", "", f"(?:{FORMS[ENVIRONMENT][0]})?"), reader.choice("when", WHEN, ALWAYS),
                    reader.texts("products", (), PRODUCT))
        reader.text("why")
        sources(reader)
        reader.choice("confidence", CONFIDENCES)
        if (kind == ENVIRONMENT) != bool(found.name):
            raise Contradiction(f"{reader.path}.name", "goes with the kind environment, and with no other",
                                "correct one of them")
        return reader.path, found

    def fits(self, products: t.Collection[str] | None) -> bool | None:
        """Whether it is for one of the GPUs of a node; None: it depends on them, and they are not known."""
        if not self.products:
            return True
        return None if products is None else bool(set(self.products) & set(products))

    @classmethod
    def of(cls, setting: Setting, where: str) -> Rule:
        """A setting of hosts that programs follow of their own will, in containers as well.

        Raises:
            DataError: it is of another kind, or has no value.
        """
        if setting.kind != ENVIRONMENT or not setting.value:
            raise DataError(where, f"{setting.id} is no environment variable with a value", "take it out")
        return cls(setting.id, ENVIRONMENT, setting.value, setting.name, ALWAYS, setting.products)


@dc.dataclass(frozen=True)
class Rules:
    """All arguments, in the order in which they were named."""

    rules: tuple[Rule, ...]

    def due(self, several: bool, rdma: bool) -> tuple[Rule, ...]:
        """Those of a container with several devices, and with RDMA, whatever the GPUs are; see ``Rule.fits``."""
        when = {ALWAYS: True, SEVERAL: several, RDMA: rdma}
        return tuple(rule for rule in self.rules if when[rule.when])

    @classmethod
    def from_documents(cls, documents: t.Iterable[Document], settings: t.Mapping[str, Setting]) -> Rules:
        """From ``{path, data, layer}`` of each file, lowest layer first.

        Args:
            documents: of kind run_arguments.
            settings: of hosts, by id: those that a file names in ``host_tuning`` hold in containers.

        Raises:
            DataError: a file is not right; the message names file and path.
        """
        found: Layers[Rule] = Layers()
        for document in documents:
            reader, _kind = begun(document["data"], document["path"], (KIND,))
            placed = list(reader.records("arguments", Rule.read, []))
            where = f"{document['path']}: host_tuning"
            for ident in reader.texts("host_tuning", (), ID):
                if ident not in settings:
                    raise Contradiction(where, f"there is no setting {ident!r}", "correct the id")
                placed.append((where, Rule.of(settings[ident], where)))
            reader.done()
            found.add(document, placed)
        return cls(tuple(found.by_id.values()))
