# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GPUs on the PCI bus, and what is above them: configuration space, resources, error counters, IOMMU groups.

Paths are relative to /sys. Offsets and bits. source: linux:include/uapi/linux/pci_regs.h
"""

from __future__ import annotations

import dataclasses as dc
import struct
import typing as t

from .machine import Gpu, gpus
from .state import State

SPEEDS = {2500: 1, 5000: 2, 8000: 3, 16000: 4, 32000: 5, 64000: 6}
ROOT_PORT, UPSTREAM, DOWNSTREAM, ENDPOINT = 4, 5, 6, 0
AT_EXPRESS, AT_REBAR, AT_ACS = 0x64, 0x200, 0x2A0
ROUTES, COMPLETES = 0x40, 0x180  # atomics: routing; completion of 32 and 64 bits
GIB = 1 << 30
Trained = tuple[int, int]  # MT/s and lanes
EMPTY = "0x0000000000000000 0x0000000000000000 0x0000000000000000"


@dc.dataclass(frozen=True)
class Bridge:
    """A port above a GPU."""

    bdf: str
    vendor: int
    device: int
    port: int


def bridges(gpu: Gpu) -> list[Bridge]:
    """What is above a GPU, from the root complex down.

    Packages of CPU and GPU, and MI250X, hang at a root port; the others below a switch. Ids are of such parts; which of
    them a board has is made up.
    """
    bus = int(gpu.bdf[5:7], 16)
    if gpu["apu"] == "1" or gpu["product"] == "MI250X":
        return [Bridge(f"0000:{bus - 1:02x}:01.1", 0x1022, 0x14A5, ROOT_PORT)]
    return [
        Bridge(f"0000:{bus - 3:02x}:01.1", 0x1022, 0x14AB, ROOT_PORT),
        Bridge(f"0000:{bus - 2:02x}:00.0", 0x1000, 0xC030, UPSTREAM),
        Bridge(f"0000:{bus - 1:02x}:00.0", 0x1000, 0xC030, DOWNSTREAM),
    ]


def home(gpu: Gpu) -> str:
    """Where a GPU lies under devices/."""
    return f"{_place(gpu, len(bridges(gpu)))}/{gpu.bdf}"


def _place(gpu: Gpu, depth: int) -> str:
    """Folder of what is so deep below the root complex."""
    above = bridges(gpu)
    return "/".join([f"devices/pci{above[0].bdf[:7]}", *(bridge.bdf for bridge in above[:depth])])


def render(state: State) -> tuple[dict[str, str], dict[str, str]]:
    """Files and links of all GPUs and bridges: path -> text, path -> target."""
    files: dict[str, str] = {}
    links: dict[str, str] = {}
    group = 0
    for gpu in gpus(state):
        unplaced = str(gpu.index) in state.get("fault.probe_enomem.gpus", "").split(",")
        files.update({f"{home(gpu)}/{name}": text for name, text in _of_gpu(gpu, unplaced).items()})
        places = [(home(gpu), gpu.bdf)]
        for depth, bridge in enumerate(bridges(gpu)):
            place = f"{_place(gpu, depth)}/{bridge.bdf}"
            files.update({f"{place}/{name}": text for name, text in _of_bridge(gpu, bridge).items()})
            links.update({f"{place}/subsystem": "bus/pci", f"bus/pci/devices/{bridge.bdf}": place})
            places.append((place, bridge.bdf))
        for place, bdf in places if state.get("node.iommu", "identity") else []:
            folder = f"kernel/iommu_groups/{group}"
            files[f"{folder}/type"] = f"{state.get('node.iommu', 'identity')}\n"
            links.update({f"{folder}/devices/{bdf}": place, f"{place}/iommu_group": folder})
            group += 1
    return files, links


def _of_gpu(gpu: Gpu, unplaced: bool) -> dict[str, str]:
    if gpu["lost"] == "1":
        return {"config": "\xff" * 64, "resource": _resource(gpu, unplaced)}
    size = _bar(gpu)
    start = _address(gpu)
    bars = [0xC, 0 if unplaced else start >> 32, 0xC, (start + size) >> 32, 1, 0xF0000000 + (gpu.index << 20)]
    subsystem = int(gpu["subsystem_id"], 16)
    space = _space(0x1002, int(gpu.device_id, 16), 0x12, ENDPOINT, _now(gpu), _most(gpu), COMPLETES, gpu.bound)
    struct.pack_into("<HHBB", space, 4, 0x0406 if gpu.bound else 0, 0x0010, gpu.number("revision_id"), 0)
    struct.pack_into("<6I", space, 0x10, *bars)
    struct.pack_into("<HH", space, 0x2C, 0x1002, subsystem)
    # The resizable BAR, which stays as large as it was set wherever it lies.
    struct.pack_into("<III", space, AT_REBAR, 0x15 | 1 << 16, 0xFFFFF0, 1 << 5 | (size.bit_length() - 21) << 8)
    return {"config": space.decode("latin-1"), "resource": _resource(gpu, unplaced), **_errors(gpu)}


def _of_bridge(gpu: Gpu, bridge: Bridge) -> dict[str, str]:
    """Files of a bridge. The port right above a GPU has the GPU's link; every other link is as good as it can be."""
    last = bridge == bridges(gpu)[-1]
    now = _now(gpu) if last else _most(gpu)
    atomics = ROUTES | COMPLETES if bridge.port == ROOT_PORT else ROUTES
    space = _space(bridge.vendor, bridge.device, 0x06, bridge.port, now, _most(gpu), atomics, False)
    struct.pack_into("<HH", space, 4, 0x0407, 0x0010)
    space[0x0A], space[0x0B], space[0x0E] = 0x04, 0x06, 1
    bus = int(bridge.bdf[5:7], 16)
    space[0x18:0x1B] = bytes([bus, bus + 1, int(gpu.bdf[5:7], 16)])
    struct.pack_into("<I", space, 0x100, 0x01 | 1 << 16 | AT_ACS << 20)
    struct.pack_into("<IHH", space, AT_ACS, 0x0D | 1 << 16, 0x5F, int(gpu.data.get("acs", "0"), 0))
    return {
        "config": space.decode("latin-1"),
        "vendor": f"{bridge.vendor:#06x}\n",
        "device": f"{bridge.device:#06x}\n",
        "class": "0x060400\n",
        "resource": f"{EMPTY}\n" * 13,
        "numa_node": f"{gpu['numa_node']}\n",
        "current_link_speed": f"{now[0] / 1000:.1f} GT/s PCIe\n",
        "current_link_width": f"{now[1]}\n",
        "max_link_speed": f"{_most(gpu)[0] / 1000:.1f} GT/s PCIe\n",
        "max_link_width": f"{_most(gpu)[1]}\n",
        "power/runtime_status": "active\n",
        **_errors(gpu if last else None),
    }


def _now(gpu: Gpu) -> Trained:
    return gpu.number("pcie.speed_mts"), gpu.number("pcie.width")


def _most(gpu: Gpu) -> Trained:
    return gpu.number("pcie.max_speed_mts"), gpu.number("pcie.max_width")


def _space(
    vendor: int, device: int, kind: int, port: int, now: Trained, most: Trained, atomics: int, asks: bool
) -> bytearray:
    """The 4096 bytes of a function: header, power management and PCI Express behind it, error reporting."""
    space = bytearray(4096)
    struct.pack_into("<HH", space, 0, vendor, device)
    space[0x0B], space[0x0C], space[0x34] = kind, 16, 0x50
    struct.pack_into("<BB", space, 0x50, 0x01, AT_EXPRESS)
    struct.pack_into("<BBH", space, AT_EXPRESS, 0x10, 0, port << 4 | 2)
    struct.pack_into("<I", space, AT_EXPRESS + 12, most[1] << 4 | SPEEDS[most[0]])
    struct.pack_into("<H", space, AT_EXPRESS + 18, now[1] << 4 | SPEEDS.get(now[0], 0))
    struct.pack_into("<IH", space, AT_EXPRESS + 36, atomics, 0x40 if asks else 0)
    struct.pack_into("<I", space, 0x100, 0x01 | 1 << 16 | AT_REBAR << 20)
    return space


def _bar(gpu: Gpu) -> int:
    """Size of the memory's BAR: the next power of two."""
    size = GIB
    while size < gpu.number("vram_mib") << 20:
        size *= 2
    return size


def _address(gpu: Gpu) -> int:
    return 0x200_0000_0000 + gpu.index * 0x100_0000_0000


def _resource(gpu: Gpu, unplaced: bool) -> str:
    """A line for each BAR, expansion ROM and the six BARs of virtual functions. One without a place is all zeros."""
    size, start = _bar(gpu), _address(gpu)
    registers = 0xF0000000 + (gpu.index << 20)
    lines = [
        EMPTY if unplaced else f"{start:#018x} {start + size - 1:#018x} 0x000000000014220c",
        EMPTY,
        f"{start + size:#018x} {start + size + 0x1FFFFF:#018x} 0x000000000014220c",
        EMPTY,
        EMPTY,
        f"{registers:#018x} {registers + 0x7FFFF:#018x} 0x0000000000040200",
    ]
    return "".join(f"{line}\n" for line in [*lines, *[EMPTY] * 7])


def _errors(gpu: Gpu | None) -> dict[str, str]:
    """Counters of advanced error reporting. source: linux:Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats"""
    bad = int(gpu.data.get("aer.bad_tlp", "0")) if gpu else 0
    correctable = {"RxErr": 0, "BadTLP": bad, "BadDLLP": 0, "Rollover": 0, "Timeout": 0, "TOTAL_ERR_COR": bad}
    fatal = {"DLP": 0, "TLP": 0, "CmpltTO": 0, "MalfTLP": 0}
    tables: dict[str, t.Mapping[str, int]] = {
        "aer_dev_correctable": correctable,
        "aer_dev_fatal": {**fatal, "TOTAL_ERR_FATAL": 0},
        "aer_dev_nonfatal": {**fatal, "TOTAL_ERR_NONFATAL": 0},
    }
    return {name: "".join(f"{key} {count}\n" for key, count in table.items()) for name, table in tables.items()}
