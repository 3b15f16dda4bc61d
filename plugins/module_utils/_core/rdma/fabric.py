# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a node is, as far as RDMA goes: NICs of families, their state, and the GIDs of their ports."""

from __future__ import annotations

from .catalogue import Catalogue
from .family import Family
from .seen import Gid, Nic, Port, Seen
from .shape import VerbsDevice

HARDWARE, UNBOUND, SOFTWARE, NONE = "hardware", "unbound", "software", "none"
V2 = "RoCE v2"  # source: linux:Documentation/ABI/testing/sysfs-class-infiniband, gid_attrs/types
_IPV4, _LINK_LOCAL = "0000:0000:0000:0000:0000:ffff:", "fe80:"
ETHERNET = "Ethernet"
ACTIVE = "ACTIVE"
# RCCL asks for the same. source: ROCm/rccl:src/misc/rocmwrap.cc
_P2P = ("CONFIG_PCI_P2PDMA", "CONFIG_DMABUF_MOVE_NOTIFY")
# What the kernel's own amdgpu needs besides; that of DKMS brings it. source: linux:drivers/gpu/drm/amd/amdkfd/Kconfig
_IN_TREE, _DRIVER, _DKMS = "CONFIG_HSA_AMD_P2P", "amdgpu", "amdkcl"


def family_of(catalogue: Catalogue, device: VerbsDevice) -> Family | None:
    """The family of a verbs device; None: it is of none that is known."""
    return catalogue.of_driver(device.driver)


def nics(catalogue: Catalogue, seen: Seen) -> tuple[tuple[Nic, Family], ...]:
    """NICs of known families."""
    found = ((nic, catalogue.of_pci(nic.vendor, nic.device)) for nic in seen.nics)
    return tuple((nic, family) for nic, family in found if family)


def state(catalogue: Catalogue, seen: Seen) -> str:
    """HARDWARE; UNBOUND: there are NICs, and none offers verbs; SOFTWARE: Soft-RoCE alone; NONE."""
    families = [family_of(catalogue, device) for device in seen.devices]
    if any(family is None or family.pci for family in families):
        return HARDWARE
    return UNBOUND if nics(catalogue, seen) else SOFTWARE if families else NONE


def gid(port: Port) -> Gid | None:
    """The GID of RoCE v2 that traffic takes: of an IPv4 address, else of one that is routed, else of the link."""
    of_v2 = [one for one in port.gids if one.kind == V2 and port.link_layer == ETHERNET]
    return min(of_v2, key=lambda one: (not one.value.startswith(_IPV4), not routed(one), one.index), default=None)


def routed(found: Gid) -> bool:
    """Whether it is of an address that passes routers. source: RFC 4291, 2.5.6"""
    return not found.value.startswith(_LINK_LOCAL)


def lacking(seen: Seen) -> tuple[str, ...] | None:
    """What the kernel lacks so that devices meet by dma-buf; None: that is not known."""
    if seen.options is None:
        return None
    in_tree = (_IN_TREE,) if _DRIVER in seen.modules and _DKMS not in seen.modules else ()
    return tuple(name for name in (*_P2P, *in_tree) if seen.options.get(name) != "y")
