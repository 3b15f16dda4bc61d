# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NICs that offer RDMA, one of a family: PCI function, modules, verbs device with the ABI that is told, and its port.

Nothing answers behind them: libibverbs finds them and judges their ABI, and cannot open them. Paths are relative
to /sys.
source: linux:Documentation/ABI/stable/sysfs-class-infiniband
"""

from __future__ import annotations

from .errors import SimError
from .machine import Gpu
from .setters import Arguments, Fault
from .state import State, under

# Family -> bus, vendor, device, driver, its RDMA half, name of the device.
FAMILIES = {
    "mlx5": ("c1", "0x15b3", "0x1021", "mlx5_core", "mlx5_ib", "mlx5_0"),
    "bnxt_re": ("c2", "0x14e4", "0x1750", "bnxt_en", "bnxt_re", "bnxt_re0"),
    "ionic": ("c3", "0x1dd8", "0x1002", "ionic", "ionic_rdma", "ionic_0"),
}
PREFIX = "node.nic."
MAJOR, MINOR = 231, 192  # source: linux:drivers/infiniband/core/uverbs_main.c
GUID = "0202:c9ff:fe00:0001"
GIDS = ("fe80:0000:0000:0000:0202:c9ff:fe00:0001", "0000:0000:0000:0000:0000:ffff:c000:0201")
TYPES = ("IB/RoCE v1", "RoCE v2")
Rendered = tuple[dict[str, str], dict[str, str]]  # path -> text; path -> target


def _nic(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    """A NIC of a family comes, whose driver has this ABI; none: the RDMA half of its driver is not loaded."""
    if arguments["family"] not in FAMILIES:
        raise SimError(f"nic: there is no family {arguments['family']!r}; there are {', '.join(FAMILIES)}")
    return {PREFIX + arguments["family"]: arguments["abi"]}


FAULTS: dict[str, Fault] = {
    "nic": (_nic, {"family": "mlx5", "abi": "1"}, "there is a NIC; abi=none: without the RDMA half of its driver"),
}


def device_nodes(state: State) -> dict[str, tuple[int, int, str]]:
    """Device nodes: path under /dev -> major, minor, group. libibverbs passes over a device that has none."""
    numbers = [number for number, (_family, abi) in enumerate(_nics(state)) if abi != "none"]
    return {f"infiniband/uverbs{number}": (MAJOR, MINOR + number, "root") for number in numbers}


def render(state: State) -> Rendered:
    """All NICs of a node."""
    files: dict[str, str] = {}
    links: dict[str, str] = {}
    for number, (family, abi) in enumerate(_nics(state)):
        bus, vendor, device, driver, half, name = FAMILIES[family]
        place = f"devices/pci0000:{bus}/0000:{bus}:00.0"
        _texts(files, place, vendor=vendor, device=device, **{"class": "0x020000", "numa_node": "0",
               "modalias": f"pci:v0000{vendor[2:].upper()}d0000{device[2:].upper()}sv00000000sd00000000bc02sc00i00"})
        _texts(files, f"module/{driver}", initstate="live")
        links |= {f"bus/pci/devices/0000:{bus}:00.0": place, f"{place}/driver": f"bus/pci/drivers/{driver}",
                  f"bus/pci/drivers/{driver}/module": f"module/{driver}"}
        if abi != "none":
            _texts(files, f"module/{half}", initstate="live")
            _texts(files, "module/ib_uverbs", initstate="live")
            _verbs(files, links, place, name, f"uverbs{number}", abi)
    return files, links


def _nics(state: State) -> list[tuple[str, str]]:
    return sorted(under(state, PREFIX).items())


def _verbs(files: dict[str, str], links: dict[str, str], place: str, name: str, verbs: str, abi: str) -> None:
    """A verbs device, its file, and its port."""
    one, other = f"{place}/infiniband/{name}", f"{place}/infiniband_verbs/{verbs}"
    _texts(files, "class/infiniband_verbs", abi_version="6")
    _texts(files, other, ibdev=name, abi_version=abi, dev=f"{MAJOR}:{MINOR + int(verbs[6:])}")
    _texts(files, one, node_type="1: CA", node_guid=GUID, sys_image_guid=GUID, fw_ver="1.0.0")
    port = f"{one}/ports/1"
    _texts(files, port, link_layer="Ethernet", state="4: ACTIVE", phys_state="5: LinkUp", rate="400 Gb/sec (4X NDR)")
    for index, (gid, kind) in enumerate((gid, kind) for gid in GIDS for kind in TYPES):
        _texts(files, f"{port}/gids", **{str(index): gid})
        _texts(files, f"{port}/gid_attrs/types", **{str(index): kind})
    links |= {f"{one}/device": place, f"{other}/device": place, f"class/infiniband/{name}": one,
              f"class/infiniband_verbs/{verbs}": other}


def _texts(files: dict[str, str], place: str, **texts: str) -> None:
    files.update({f"{place}/{name}": f"{text}\n" for name, text in texts.items()})
