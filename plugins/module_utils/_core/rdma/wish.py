# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What the inventory says of RDMA on a node."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import FleetError
from ..strict import Reader
from .family import NAME, PACKAGE

# source: linux-rdma/rdma-core:kernel-boot/rdma-persistent-naming.rules
RULES = {"pci": "NAME_FALLBACK", "kernel": "NAME_KERNEL", "guid": "NAME_GUID"}
_MODEL = rf"{NAME}|[0-9a-f]{{4}}:[0-9a-f]{{4}}"
_BDF = r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"
_VERSION = r"[A-Za-z0-9][A-Za-z0-9.+~:_-]*"


@dc.dataclass(frozen=True)
class Roce:
    """What the network asks of ports on Ethernet; None: not asked.

    Attributes:
        mtu: of the interface.
        pfc: priorities with flow control.
        dscp: DSCP -> priority.
    """

    mtu: int | None = None
    pfc: tuple[int, ...] | None = None
    dscp: t.Mapping[int, int] | None = None


@dc.dataclass(frozen=True)
class Wish:
    """What a node should have.

    Attributes:
        stack: name of the user space.
        versions: name of a source to the one version of its packages; empty: packages are left as they are.
        families: whose NICs programs are told of; empty: all.
        names: rule for names of devices, one of RULES; empty: that of the distribution.
        environment: variables of the site, over those of the families.
        ignored: PCI addresses of NICs that offer no RDMA on purpose.
        firmware: vendor and device of a NIC (15b3:1021), or name of a family, to the version that it must have.
        drivers: module of the kernel to the version that it must have; of the kernel itself, the kernel's release.
    """

    stack: str
    versions: t.Mapping[str, str] = dc.field(default_factory=dict)
    families: tuple[str, ...] = ()
    names: str = ""
    environment: t.Mapping[str, str] = dc.field(default_factory=dict)
    roce: Roce = Roce()
    drivers: t.Mapping[str, str] = dc.field(default_factory=dict)
    firmware: t.Mapping[str, str] = dc.field(default_factory=dict)
    ignored: tuple[str, ...] = ()

    @classmethod
    def read(cls, raw: t.Mapping[str, t.Any]) -> Wish:
        """From the options of rdma_stack.

        Raises:
            FleetError: one is not of the form that it must have.
        """
        reader = Reader({name: value for name, value in raw.items() if value is not None}, "rdma_stack")
        return cls(
            reader.text("stack", pattern=NAME), _pairs("rdma_stack_versions", raw["versions"], PACKAGE, _VERSION),
            reader.texts("families", (), NAME), reader.text("names", ""),
            _pairs("rdma_stack_environment", raw["environment"], r"[A-Z][A-Z0-9_]*", r"[A-Za-z0-9_.,:=@/^+-]+"),
            _roce(raw.get("roce") or {}), _pairs("rdma_stack_drivers", raw["drivers"], r"[a-z0-9_]+", _VERSION),
            _pairs("rdma_stack_firmware", raw["firmware"], _MODEL, _VERSION), reader.texts("ignored", (), _BDF))


def _pairs(where: str, raw: t.Mapping[str, t.Any], name: str, value: str) -> dict[str, str]:
    for key, text in raw.items():
        if not re.fullmatch(name, str(key), re.ASCII):
            raise FleetError(where, f"{key!r} is no name that can stand there", "correct it")
        if not isinstance(text, str) or not re.fullmatch(value, text, re.ASCII):
            hint = "name one version" if value == _VERSION else "write it in quotes, without blanks"
            raise FleetError(f"{where}.{key}", f"{text!r} is not one exact value", hint)
        if text in ("latest", "present", "any"):
            raise FleetError(f"{where}.{key}", f"{text!r} is no version", "name the one that the node should have")
    return dict(raw)


def _roce(raw: t.Mapping[str, t.Any]) -> Roce:
    pfc, dscp = raw.get("pfc"), raw.get("dscp")
    priorities = [_number(number, 8, "priority", "priorities are 0 to 7") for number in pfc or ()]
    of_dscp = {_number(name, 64, "DSCP", "DSCPs are 0 to 63"): _number(number, 8, "priority", "priorities are 0 to 7")
               for name, number in (dscp or {}).items()}
    return Roce(raw.get("mtu"), None if pfc is None else tuple(sorted(priorities)), None if dscp is None else of_dscp)


def _number(value: t.Any, end: int, what: str, hint: str) -> int:
    if not re.fullmatch(r"\d+", str(value), re.ASCII):
        raise FleetError("rdma_stack_roce", f"{value!r} is no number", hint)
    if int(value) >= end:
        raise FleetError("rdma_stack_roce", f"{value} is no {what}", hint)
    return int(value)
