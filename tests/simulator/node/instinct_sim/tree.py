# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of /sys that the simulated GPUs are, as a pure function of the state.

Paths are relative to /sys. PCI devices are there whether or not a driver is; module, KFD and DRM come and go with it.
"""

from __future__ import annotations

import dataclasses as dc
import os
import typing as t

from . import kfd, nics, pci
from .machine import Gpu, gpus, loaded, partitions, processes, users
from .pci import home
from .state import State, under

VENDOR = "0x1002"
CLASS = "0x120000"
FIRMWARE_FILES = {
    "PM": "smc",
    "PSP_SOSDRV": "sos",
    "RLC": "rlc",
    "CP_MEC1": "mec",
    "SDMA0": "sdma",
    "VCN": "vcn",
    "TA_XGMI": "ta_xgmi",
    "TA_RAS": "ta_ras",
}
CLOCK_FILES = {"pp_dpm_sclk": "gfx", "pp_dpm_mclk": "memory", "pp_dpm_socclk": "soc"}
# source: linux:drivers/gpu/drm/amd/amdgpu/amdgpu_ras.h
RAS_BITS = {"umc": 0, "sdma": 1, "gfx": 2, "mmhub": 3, "pcie_bif": 5, "hdp": 6, "xgmi_wafl": 7}
PARAMETERS = {
    "vm_fragment_size": "-1",
    "noretry": "-1",
    "gpu_recovery": "-1",
    "ras_enable": "-1",
    "runpm": "-1",
    "lockup_timeout": "",
}


class Entry:
    """Something of the tree."""


@dc.dataclass(frozen=True)
class File(Entry):
    """A file of the tree. Bytes that are no text are written as Latin-1 has them."""

    text: str
    mode: int = 0o444


@dc.dataclass(frozen=True)
class Link(Entry):
    """A symbolic link of the tree."""

    target: str


@dc.dataclass(frozen=True)
class Folder(Entry):
    """A folder that is there even if nothing is in it."""


Tree = dict[str, Entry]


def render(state: State) -> Tree:
    """The whole tree."""
    tree: Tree = {}
    for files, links in (pci.render(state), nics.render(state)):
        tree.update({path: File(text, 0o644 if path.endswith("/config") else 0o444) for path, text in files.items()})
        for path, target in links.items():
            _link(tree, path, target)
    tree["kernel/security/lockdown"] = File("[none] integrity confidentiality\n")
    if state.get("node.ast") == "1":
        _ast(tree)
    for gpu in gpus(state):
        _pci(tree, gpu)
        if loaded(state) and gpu.bound:
            _bound(tree, gpu)
            _drm(tree, gpu)
    if loaded(state):
        _module(tree, state)
        _texts(tree, kfd.PLACE, kfd.render(state))
        tree[f"{kfd.PLACE}/proc"] = Folder()
        for process in processes(state):
            tree[f"{kfd.PLACE}/proc/{process.pid}/queues"] = Folder()
        _link(tree, "class/kfd/kfd", "devices/virtual/kfd/kfd")
    return tree


def modalias(gpu: Gpu) -> str:
    """What modules are matched with."""
    ids = f"v00001002d0000{gpu.device_id.upper()}sv00001002sd0000{gpu['subsystem_id'][2:].upper()}"
    return f"pci:{ids}bc12sc00i00"


def _link(tree: Tree, path: str, target: str) -> None:
    """A link as sysfs writes it: its last part is the name of what it leads to, also where that is above it."""
    folder, name = os.path.split(target)
    tree[path] = Link(os.path.join(os.path.relpath(folder, os.path.dirname(path)), name))


def _texts(tree: Tree, place: str, texts: t.Mapping[str, str | int], mode: int = 0o444) -> None:
    for name, text in texts.items():
        tree[f"{place}/{name}"] = File(f"{text}\n" if text != "" else "", mode)


def _pci(tree: Tree, gpu: Gpu) -> None:
    """What the PCI core knows."""
    lost, near = gpu["lost"] == "1", gpu.number("numa_node") * kfd.CORES
    speed = "Unknown" if lost else f"{gpu.number('pcie.speed_mts') / 1000:.1f} GT/s PCIe"
    _texts(
        tree,
        home(gpu),
        {
            "vendor": VENDOR,
            "device": f"0x{gpu.device_id}",
            "class": CLASS,
            "subsystem_vendor": VENDOR,
            "subsystem_device": gpu["subsystem_id"],
            "revision": gpu["revision_id"],
            "numa_node": gpu["numa_node"],
            "local_cpulist": f"{near}-{near + kfd.CORES - 1}",
            "modalias": modalias(gpu),
            "enable": int(gpu.bound),
            "current_link_speed": speed,
            "current_link_width": 63 if lost else gpu["pcie.width"],  # what reads as all ones
            "max_link_speed": f"{gpu.number('pcie.max_speed_mts') / 1000:.1f} GT/s PCIe",
            "max_link_width": gpu["pcie.max_width"],
            "power_state": "unknown" if lost else "D0",
            "power/runtime_status": "active",
            "power/control": "on",
            "uevent": "\n".join(
                [
                    *(["DRIVER=amdgpu"] if gpu.bound else []),
                    "PCI_CLASS=120000",
                    f"PCI_ID=1002:{gpu.device_id.upper()}",
                    f"PCI_SUBSYS_ID=1002:{gpu['subsystem_id'][2:].upper()}",
                    f"PCI_SLOT_NAME={gpu.bdf}",
                    f"MODALIAS={modalias(gpu)}",
                ]
            ),
        },
    )
    _link(tree, f"{home(gpu)}/subsystem", "bus/pci")
    _link(tree, f"bus/pci/devices/{gpu.bdf}", home(gpu))


def _bound(tree: Tree, gpu: Gpu) -> None:
    """What the driver adds to its device."""
    vram = gpu.number("vram_mib") << 20
    _texts(
        tree,
        home(gpu),
        {
            "mem_info_vram_total": vram,
            "mem_info_vis_vram_total": vram,
            "mem_info_vram_used": gpu.number("vram_used_mib") << 20,
            "unique_id": gpu["serial"][2:].lower(),
            "vbios_version": gpu["vbios.part_number"],
            "product_name": gpu["market_name"],
            "gpu_busy_percent": gpu["activity.gfx"],
            "mem_busy_percent": gpu["activity.memory"],
            "pcie_replay_count": gpu["pcie.replays"],
            **{file: _levels(gpu, clock) for file, clock in CLOCK_FILES.items()},
            "power_dpm_force_performance_level": gpu.data.get("level") or "auto",
            "xgmi_hive_info/xgmi_hive_id": gpu["hive"],
            **_ras(gpu),
            **{
                f"fw_version/{name}_fw_version": f"0x{gpu.number(f'firmware.{block}'):08x}"
                for block, name in FIRMWARE_FILES.items()
            },
        },
    )
    tree[f"{home(gpu)}/ras/gpu_vram_bad_pages"] = File(_pages(gpu), 0o400)
    if gpu.modes:
        _texts(
            tree,
            home(gpu),
            {"current_compute_partition": gpu["compute"], "current_memory_partition": gpu["memory"]},
            0o644,
        )
        _texts(
            tree,
            home(gpu),
            {
                "available_compute_partition": ", ".join(gpu.available),
                "available_memory_partition": ", ".join(gpu["memory_modes"].split(",")),
            },
        )
    _hwmon(tree, gpu)
    _link(tree, f"{home(gpu)}/driver", "bus/pci/drivers/amdgpu")
    _link(tree, f"bus/pci/drivers/amdgpu/{gpu.bdf}", home(gpu))


def _ras(gpu: Gpu) -> dict[str, str]:
    """Counters of each block, and the mask of the blocks that count."""
    blocks = gpu["ras_blocks"].split(",")
    return {
        "ras/features": f"feature mask: 0x{sum(1 << RAS_BITS[block] for block in blocks):x}",
        **{
            f"ras/{block}_err_count": "\n".join(
                f"{kind[0]}e: {gpu[f'ecc.{block}.{kind}']}" for kind in ("uncorrectable", "correctable", "deferred")
            )
            for block in blocks
        },
    }


def _pages(gpu: Gpu) -> str:
    """Bad pages: retired, waiting for a reset, and those that could not be reserved."""
    states = "".join(
        letter * gpu.number(key)
        for letter, key in (("R", "bad_pages"), ("P", "bad_pages.pending"), ("F", "bad_pages.unreservable"))
    )
    return "".join(f"{(page + 1) * 4096:#018x} : 0x00001000 : {state}\n" for page, state in enumerate(states))


def _levels(gpu: Gpu, clock: str) -> str:
    """Clock levels as the driver lists them: a star marks the one in use, which is "S" in deep sleep."""
    least, most = (int(gpu.data.get(f"limit.{clock}.{key}") or gpu[f"clock.{clock}.{key}"]) for key in ("min", "max"))
    now = min(gpu.number(f"clock.{clock}.now"), most)
    lines = [f"S: {now}Mhz *"] if now < least else []
    clocks = sorted({least, most, max(now, least)})
    return "\n".join(
        [*lines, *(f"{level}: {value}Mhz{' *' if value == now else ''}" for level, value in enumerate(clocks))]
    )


def _hwmon(tree: Tree, gpu: Gpu) -> None:
    """Temperatures in thousandths of a degree, power in microwatts."""
    place = f"{home(gpu)}/hwmon/hwmon{100 + gpu.index}"
    _texts(
        tree,
        place,
        {
            "name": "amdgpu",
            "temp2_label": "junction",
            "temp2_input": gpu.number("temperature.hotspot") * 1000,
            "temp2_crit": 100 * 1000,
            "temp3_label": "mem",
            "temp3_input": gpu.number("temperature.memory") * 1000,
            "temp3_crit": 105 * 1000,
            "power1_cap": gpu["power.cap_uw"],
            "power1_cap_default": gpu["power.default_uw"],
            "power1_cap_max": gpu["power.default_uw"],
            "power1_average": gpu.number("power.draw_w") * 1_000_000,
        },
    )
    _link(tree, f"{place}/device", home(gpu))
    _link(tree, f"class/hwmon/hwmon{100 + gpu.index}", place)


def _drm(tree: Tree, gpu: Gpu) -> None:
    """DRM devices. The driver makes them for as many partitions as there could be, in every mode."""
    for part in range(gpu.number("minors")):
        parent = (
            home(gpu)
            if part == 0
            else f"devices/platform/amdgpu_xcp_{gpu.index * (gpu.number('minors') - 1) + part - 1}"
        )
        for name, minor in (
            (f"card{gpu.number('card') + part}", gpu.number("card") + part),
            (f"renderD{gpu.number('minor') + part}", gpu.number("minor") + part),
        ):
            place = f"{parent}/drm/{name}"
            _texts(
                tree,
                place,
                {"dev": f"226:{minor}", "uevent": f"MAJOR=226\nMINOR={minor}\nDEVNAME=dri/{name}\nDEVTYPE=drm_minor"},
            )
            _link(tree, f"{place}/device", parent)
            _link(tree, f"class/drm/{name}", place)


def _ast(tree: Tree) -> None:
    """The display of a baseboard controller, which takes a minor of the cards."""
    place = "devices/pci0001:00/0001:00:01.0"
    _texts(tree, place, {"vendor": "0x1a03", "device": "0x2000", "class": "0x030000"})
    _texts(tree, f"{place}/drm/card0", {"dev": "226:0"})
    _texts(tree, "module/ast", {"initstate": "live"})
    for path, target in (
        ("bus/pci/devices/0001:00:01.0", place),
        (f"{place}/driver", "bus/pci/drivers/ast"),
        (f"{place}/drm/card0/device", place),
        ("bus/pci/drivers/ast/module", "module/ast"),
        ("class/drm/card0", f"{place}/drm/card0"),
    ):
        _link(tree, path, target)


def _module(tree: Tree, state: State) -> None:
    """The loaded module. The distribution's own driver has no version."""
    place = "module/amdgpu"
    _texts(
        tree,
        place,
        {
            "initstate": "live",
            "refcnt": users(state),
            "srcversion": state["driver.srcversion"],
            "taint": "OE" if state["driver.version"] else "",
            **({"version": state["driver.version"]} if state["driver.version"] else {}),
        },
    )
    _texts(tree, f"{place}/parameters", {**PARAMETERS, **under(state, "driver.parameter.")})
    _link(tree, f"{place}/drivers/pci:amdgpu", "bus/pci/drivers/amdgpu")
    _link(tree, "bus/pci/drivers/amdgpu/module", place)


def device_nodes(state: State) -> dict[str, tuple[int, int, str]]:
    """Device nodes: path under /dev -> major, minor, group."""
    nodes = nics.device_nodes(state)
    if not loaded(state):
        return nodes
    nodes["kfd"] = (235, 0, "render")
    for gpu in (gpu for gpu in gpus(state) if gpu.bound):
        for part in range(gpu.number("minors")):
            card, minor = gpu.number("card") + part, gpu.number("minor") + part
            nodes[f"dri/card{card}"] = (226, card, "video")
            nodes[f"dri/renderD{minor}"] = (226, minor, "render")
    return nodes


def device_links(state: State) -> dict[str, str]:
    """Links of udev: path under /dev -> target."""
    first = [part for part in partitions(state) if part.id == 0] if loaded(state) else []
    bdfs = {gpu.index: gpu.bdf for gpu in gpus(state)}
    return {
        f"dri/by-path/pci-{bdfs[part.gpu]}-{kind}": f"../{name}"
        for part in first
        for kind, name in (("card", f"card{part.card}"), ("render", f"renderD{part.minor}"))
    }
