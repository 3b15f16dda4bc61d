# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Families of RDMA NICs, and what is said where something of them is not as it should be."""

from __future__ import annotations

import dataclasses as dc

from ..findings import Cause
from ..near import hint
from ..records import ID, Placed, sources
from ..release.provenance import CONFIDENCES
from ..strict import Contradiction, Reader

NAME = r"[a-z0-9]+(?:_[a-z0-9]+)*"
PACKAGE = r"[A-Za-z0-9][A-Za-z0-9.+_-]*"
_MODULE = r"[a-z0-9_]+"
_VERDICTS = ("warn", "fail")
# Text, and what a node is asked for; see Variable.
_VALUE = r"(?:[A-Za-z0-9_.,:=@/+-]|\{(?:ports|gid|tc|control_tc|dmabuf)\})+"
# Every check that there is; the data says what each of them means.
IDS = ("rdma-abi", "rdma-direct", "rdma-driver", "rdma-dscp", "rdma-firmware", "rdma-gid", "rdma-memlock",
       "rdma-mixture", "rdma-module", "rdma-mtu", "rdma-name", "rdma-opens", "rdma-package", "rdma-pfc", "rdma-port",
       "rdma-verbs")


@dc.dataclass(frozen=True)
class Variable:
    """An environment variable for programs on NICs of a family.

    Attributes:
        value: text in which ``{ports}`` stands for the active ports, mlx5_0:1,mlx5_1:1, and ``{gid}`` for the index of
            the RoCE v2 GID that all of them share, ``{tc}`` and ``{control_tc}`` for the traffic classes of data and of
            control messages that follow from the DSCPs which the network asks for, and ``{dmabuf}`` for 1 where GPUs
            and NICs meet by dma-buf alone; where that is not so, or not known, the variable is left out.
    """

    name: str
    value: str
    why: str
    sources: tuple[str, ...]

    @classmethod
    def read(cls, reader: Reader) -> Variable:
        """One record of ``environment``."""
        return cls(reader.text("name", pattern=r"[A-Z][A-Z0-9_]*"),
                   reader.text("value", pattern=_VALUE),
                   reader.text("why"), sources(reader))


@dc.dataclass(frozen=True)
class Family:
    """A family of RDMA devices.

    Attributes:
        name: mlx5, bnxt_re, ionic, rxe.
        title: for people.
        provider: of libibverbs, as its messages call it.
        drivers: of the PCI function, and of the verbs device where that is no PCI function.
        modules: of the kernel, all of which a verbs device needs.
        pci: vendor and device, four hexadecimal digits each: 15b3:1021; empty: it is made of software.
        environment: for programs.
    """

    name: str
    title: str
    provider: str
    drivers: tuple[str, ...]
    modules: tuple[str, ...]
    pci: tuple[str, ...]
    environment: tuple[Variable, ...]
    sources: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Unique over all families."""
        return self.name

    @classmethod
    def read(cls, reader: Reader) -> Family:
        """What is in a file of kind rdma_family."""
        return cls(reader.text("name", pattern=NAME), reader.text("title"), reader.text("provider", pattern=NAME),
                   reader.texts("drivers", pattern=_MODULE), reader.texts("modules", pattern=_MODULE),
                   reader.texts("pci", (), r"[0-9a-f]{4}:[0-9a-f]{4}"),
                   reader.records("environment", Variable.read, []), sources(reader))


@dc.dataclass(frozen=True)
class Text:
    """What is said where something is not as it should be."""

    id: str
    verdict: str
    domain: str
    cause: Cause

    @classmethod
    def read(cls, reader: Reader) -> Placed[Text]:
        """One record of ``checks``, with its place."""
        ident = reader.text("id", pattern=ID)
        if ident not in IDS:
            raise Contradiction(f"{reader.path}.id", f"there is no check {ident!r}", hint(ident, IDS))
        return reader.path, cls(ident, reader.choice("verdict", _VERDICTS),
                                reader.choice("domain", ("fabric", "configuration", "packages")), cause(reader))


def cause(reader: Reader) -> Cause:
    """Why something matters and what to do."""
    return Cause(reader.text("why"), reader.text("remedy"), sources(reader), reader.choice("confidence", CONFIDENCES))
