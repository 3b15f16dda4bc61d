# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a node has of RDMA."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..act.fileset import Seen as SeenFile
from ..formats.dcb import Dcb
from ..formats.ibv_devinfo import Said
from .shape import VerbsDevice

_GIVEN = "vfio-pci"  # source: linux:Documentation/driver-api/vfio.rst


@dc.dataclass(frozen=True)
class Nic:
    """A PCI function that is a NIC of a known family.

    Attributes:
        driver: of the kernel; None: it has none.
        bond: that its interface is part of. A bond offers the RDMA of all its functions by the first of them.
            source: linux:drivers/infiniband/hw/mlx5/main.c, mlx5_ib_roce_probe and its lag
        virtual: whether it is a virtual function of one that is here.
    """

    bdf: str
    vendor: str
    device: str
    driver: str | None = None
    bond: str | None = None
    virtual: bool = False

    @property
    def given_away(self) -> bool:
        """Whether it is a virtual machine's, or a virtual function that nobody uses."""
        return self.driver == _GIVEN or (self.virtual and self.driver is None)


@dc.dataclass(frozen=True)
class Gid:
    """An entry of the GID table of a port. ``kind``: IB/RoCE v1, RoCE v2."""

    index: int
    value: str
    kind: str


@dc.dataclass(frozen=True)
class Port:
    """A port of a verbs device.

    Attributes:
        bdf: of the PCI function; None: it has none.
        link_layer: Ethernet, InfiniBand.
        state: ACTIVE, DOWN; None: not known.
        interface: of the network.
        mtu: of that interface.
    """

    device: str
    number: int
    bdf: str | None = None
    link_layer: str | None = None
    state: str | None = None
    gids: tuple[Gid, ...] = ()
    interface: str | None = None
    mtu: int | None = None

    @property
    def name(self) -> str:
        """As RCCL is told of it: mlx5_0:1."""
        return f"{self.device}:{self.number}"


@dc.dataclass(frozen=True)
class Seen:
    """A node.

    Attributes:
        system: of os-release, ubuntu 24.04; empty: not known.
        manager: apt, dnf, zypper; None: none is known.
        packages: installed, name -> version; None: not known.
        holds: names of packages that are held.
        modules: of the running kernel, loaded or built in.
        drivers: module of a family's NICs to its version; of one without, the release of the kernel that it is part of.
        nics: PCI functions of known families.
        devices, ports: of verbs.
        said: by ibv_devinfo; None: it could not be asked.
        dcb: interface -> what dcb says of it.
        peer: whether amdgpu has registered with the peer memory of the NIC's driver.
        options: of the kernel, that transfers between devices need: CONFIG_PCI_P2PDMA -> y; None: not known.
        memlock: daemon that starts jobs -> bytes that they may lock, -1 for no limit; None: not known.
        paths: files that mixtures are about and that are there.
        files: what is at the paths of our files.
        unknown: field -> why it is not known.
    """

    manager: str | None = None
    packages: t.Mapping[str, str] | None = None
    holds: t.Collection[str] = ()
    modules: t.Collection[str] = ()
    nics: tuple[Nic, ...] = ()
    devices: tuple[VerbsDevice, ...] = ()
    ports: tuple[Port, ...] = ()
    said: Said | None = None
    dcb: t.Mapping[str, Dcb] = dc.field(default_factory=dict)
    peer: bool = False
    options: t.Mapping[str, str] | None = None
    memlock: t.Mapping[str, int | None] = dc.field(default_factory=dict)
    paths: t.Collection[str] = ()
    files: t.Mapping[str, SeenFile] = dc.field(default_factory=dict)
    unknown: t.Mapping[str, str] = dc.field(default_factory=dict)
    system: str = ""
    drivers: t.Mapping[str, str] = dc.field(default_factory=dict)

    def without(self, ignored: t.Collection[str]) -> Seen:
        """Without NICs of these addresses, and those that are given away; their verbs devices go with them."""
        away = {*ignored, *(nic.bdf for nic in self.nics if nic.given_away)}
        gone = {port.device for port in self.ports if port.bdf in away}
        return dc.replace(self, nics=tuple(nic for nic in self.nics if nic.bdf not in away),
                          devices=tuple(device for device in self.devices if device.name not in gone),
                          ports=tuple(port for port in self.ports if port.device not in gone))
