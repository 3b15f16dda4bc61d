# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""RDMA of a node: its NICs, verbs devices and ports as /sys has them. Nothing is loaded to find out."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from .._core.formats import host_files
from .._core.rdma.seen import Gid, Nic, Port
from .._core.rdma.shape import VerbsDevice
from .apart import UnreadableError
from .machine import Machine
from .pci import DEVICES

# source: linux:Documentation/ABI/stable/sysfs-class-infiniband
_VERBS, CLASS, _NET = "/sys/class/infiniband_verbs", "/sys/class/infiniband", "/sys/class/net"
_BDF = re.compile(r"^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$")
_FILE = re.compile(r"^uverbs\d+$")
_NO_GID = "0000:0000:0000:0000:0000:0000:0000:0000"
_CLASSES = ("0x02",)  # network controllers. source: pci.ids
_SOFT = "rdma_rxe"
_PATIENCE = 10.0  # seconds; a NIC that hangs blocks who reads of it


def devices(machine: Machine) -> tuple[VerbsDevice, ...]:
    """Every device that the kernel offers to user space, in the order of its files.

    Raises:
        UnreadableError: a device does not answer.
    """
    return tuple(VerbsDevice(**one) for one in _apart(machine, _devices))


def _apart(machine: Machine, read: t.Callable[[Machine], t.Iterable[t.Any]]) -> list[dict[str, t.Any]]:
    """What is read, as plain data: in a child process."""
    reading = machine.apart(lambda: [dc.asdict(one) for one in read(machine)])
    return t.cast("list[dict[str, t.Any]]", reading.result(min(_PATIENCE, machine.left())))


def _devices(machine: Machine) -> t.Iterator[VerbsDevice]:
    for verbs in sorted((name for name in machine.names(_VERBS) if _FILE.match(name)), key=lambda name: int(name[6:])):
        name = machine.word(f"{_VERBS}/{verbs}/ibdev")
        if name:
            abi = host_files.number(machine.text(f"{_VERBS}/{verbs}/abi_version") or "")
            yield VerbsDevice(name, verbs, _driver(machine, name), abi)


def _driver(machine: Machine, name: str) -> str | None:
    """Driver of the PCI function, or of Soft-RoCE, which alone names its interface in ``parent``.

    source: linux:drivers/infiniband/sw/rxe/rxe_verbs.c, parent_show
    """
    soft = machine.exists(f"{CLASS}/{name}/parent")
    return _SOFT if soft else machine.link_name(f"{CLASS}/{name}/device/driver")


def nics(machine: Machine) -> tuple[Nic, ...]:
    """Network controllers on PCI, in the order of their addresses.

    Raises:
        UnreadableError: /sys cannot be read.
    """
    found = []
    for bdf in machine.names(DEVICES):
        if (machine.word(f"{DEVICES}/{bdf}/class") or "").startswith(_CLASSES):
            vendor, device = (machine.word(f"{DEVICES}/{bdf}/{name}") or "" for name in ("vendor", "device"))
            found.append(Nic(bdf, vendor[2:], device[2:], machine.link_name(f"{DEVICES}/{bdf}/driver"),
                             _bond(machine, bdf), machine.exists(f"{DEVICES}/{bdf}/physfn")))
    return tuple(found)


def _bond(machine: Machine, bdf: str) -> str | None:
    """The bond of a function's interface. source: linux:Documentation/ABI/testing/sysfs-class-net, bonding.rst"""
    masters = (machine.link_name(f"{_NET}/{name}/master") for name in machine.names(f"{DEVICES}/{bdf}/net"))
    return next((name for name in masters if name and machine.exists(f"{_NET}/{name}/bonding")), None)


def ports(machine: Machine) -> tuple[Port, ...]:
    """Every port of every verbs device, with its GIDs.

    Raises:
        UnreadableError: a device does not answer.
    """
    return tuple(Port(**{**one, "gids": tuple(Gid(**gid) for gid in one["gids"])}) for one in _apart(machine, _ports))


def _ports(machine: Machine) -> t.Iterator[Port]:
    return (_port(machine, device, number, path) for device, number, path in each_port(machine))


def each_port(machine: Machine) -> t.Iterator[tuple[str, str, str]]:
    """Device, number and folder of every port."""
    for device in machine.names(CLASS):
        for number in machine.names(f"{CLASS}/{device}/ports"):
            yield device, number, f"{CLASS}/{device}/ports/{number}"


def _port(machine: Machine, device: str, number: str, path: str) -> Port:
    bdf = machine.link_name(f"{CLASS}/{device}/device")
    interface = attribute(machine, f"{path}/gid_attrs/ndevs/0")
    return Port(
        device, int(number), bdf if bdf and _BDF.match(bdf) else None, machine.word(f"{path}/link_layer"),
        host_files.named(machine.text(f"{path}/state") or ""), tuple(_gids(machine, path)), interface,
        host_files.number(machine.text(f"{_NET}/{interface}/mtu") or "") if interface else None)


def _gids(machine: Machine, path: str) -> t.Iterator[Gid]:
    for index in sorted((name for name in machine.names(f"{path}/gids") if name.isdigit()), key=int):
        value = machine.word(f"{path}/gids/{index}")
        if value and value != _NO_GID:
            yield Gid(int(index), value, attribute(machine, f"{path}/gid_attrs/types/{index}") or "")


def attribute(machine: Machine, path: str) -> str | None:
    """An attribute of a GID: one that has none answers EINVAL. source: linux:drivers/infiniband/core/sysfs.c"""
    try:
        return machine.word(path)
    except UnreadableError:
        return None
