# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Products: data files that say what a GPU is, and the state of a new node made from one."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

from .errors import SimError
from .state import State

FOLDER = Path(__file__).resolve().parents[1] / "products"
FIRST_MINOR = 128  # of render nodes
KINDS = ("correctable", "uncorrectable", "deferred")
# What goes wrong when modes are set or the driver is loaded again; partition_faults.py says what each is.
MISHAPS = {"lacking": "", "set.resetting": "", "set.fails": "", "set.ignored": "", "set.lost": "", "reload.lost": ""}
# What can be set of power, clocks and links, and is lost with the driver; empty: as the product is.
SETTABLE = dict.fromkeys(
    ("level", "limit.gfx.min", "limit.gfx.max", "limit.memory.max", "policy.soc", "policy.plpd", "isolation"), ""
)
VIOLATIONS = ("prochot", "ppt", "socket_thermal", "vr_thermal", "hbm_thermal")  # what can hold a GPU back


def names() -> list[str]:
    """Names of the products there are."""
    return sorted(path.stem for path in FOLDER.glob("mi*.json"))


def load(name: str) -> dict[str, t.Any]:
    """One product.

    Raises:
        SimError: there is none of that name.
    """
    if name.lower() not in names():
        raise SimError(f"there is no product {name!r}; there are {', '.join(names())}")
    data: dict[str, t.Any] = json.loads((FOLDER / f"{name.lower()}.json").read_text(encoding="utf-8"))
    return data


def new_state(name: str, gpus: int | None = None) -> State:
    """The state of a node with GPUs of one product, driver not loaded.

    Raises:
        SimError: there is no such product, or it has no place for that many GPUs.
    """
    product = load(name)
    count = product["gpus"] if gpus is None else gpus
    if not 1 <= count <= len(product["bdfs"]):
        raise SimError(f"a node has 1 to {len(product['bdfs'])} {product['name']}, not {count}")
    state = {
        "node.product": product["name"],
        "node.gpus": str(count),
        "node.cpus": str(product["numa_nodes"]),
        "driver.state": "unloaded",
        "kfd.generation": "1",
        "kfd.busy_scope": "any",
    }
    for index in range(count):
        state.update({f"gpu{index}.{key}": value for key, value in _gpu(product, index, count).items()})
    return state


def _gpu(product: dict[str, t.Any], index: int, count: int) -> State:
    """State of one GPU, keys without their prefix."""
    minor = index * product["minor_spacing"]
    watt = product["power_cap_w"]
    pcie = product["pcie"]
    return {
        **_identity(product, index),
        "bdf": product["bdfs"][index],
        "numa_node": str(index * product["numa_nodes"] // count),
        "minor": str(FIRST_MINOR + minor),
        "card": str(minor),
        "minors": str(product["minor_spacing"]),
        "kfd_id": str(10007 + index * 4099),
        **_hive(product, index, count),
        "xgmi.down": "",
        "xgmi.error": "0",
        **_partitions(product),
        "vram_mib": str(product["vram_mib"]),
        "vram_type": product["vram_type"],
        "vram_used_mib": "284",
        **{f"temperature.{place}": str(degrees) for place, degrees in product["temperature_c"].items()},
        "power.cap_uw": str(watt * 1_000_000),
        "power.default_uw": str(watt * 1_000_000),
        "power.min_uw": "0",
        "power.draw_w": str(watt // 6),
        "pcie.width": str(pcie["width"]),
        "pcie.max_width": str(pcie["width"]),
        "pcie.generation": str(pcie["generation"]),
        "pcie.speed_mts": str(pcie["speed_gts"] * 1000),
        "pcie.max_speed_mts": str(pcie["speed_gts"] * 1000),
        "pcie.replays": "0",
        "pcie.recoveries": "0",
        "pcie.naks": "0",
        "ras_blocks": ",".join(product["ras_blocks"]),
        **{f"ecc.{block}.{kind}": "0" for block in product["ras_blocks"] for kind in KINDS},
        "bad_pages": "0",
        "bad_pages.pending": "0",
        "bad_pages.unreservable": "0",
        "bad_page_threshold": "256",
        "activity.gfx": "0",
        "activity.memory": "0",
        **_clocks(product),
        "violations": str(int(product["violations"])),
        **{f"violation.{what}": "0" for what in VIOLATIONS},
        **{f"firmware.{block}": str(number) for block, number in product["firmware_blocks"].items()},
        **{f"vbios.{key}": value for key, value in product["vbios"].items()},
        "firmware_file": product["firmware_file"],
        "virtual": "0",
        "acs": "0",
        "aer.bad_tlp": "0",
        "lost": "0",
        "bound": "0",
        **SETTABLE,
        "setting.refused": "0",
        "setting.ignored": "0",
        **MISHAPS,
    }


def _hive(product: dict[str, t.Any], index: int, count: int) -> State:
    """The hive of a GPU, whose GPUs are all linked: as many in a row as one has links for, itself among them."""
    size = product["xgmi_links"] + 1
    number = index // size
    others = min(size, count - number * size) - 1
    return {"hive": str(0x51A0_0000_0000_0001 + number) if others else "0", "xgmi.links": str(others)}


def _clocks(product: dict[str, t.Any]) -> State:
    """Clocks of an idle GPU, and their ranges."""
    return {
        f"clock.{name}.{key}": str(clock["idle" if key == "now" else key])
        for name, clock in product["clocks_mhz"].items()
        for key in ("now", "min", "max")
    }


def _identity(product: dict[str, t.Any], index: int) -> State:
    """What a GPU is called."""
    pci = product["pci"]
    return {
        "product": product["name"],
        "market_name": product["market_name"],
        "form_factor": product["form_factor"],
        "device_id": f"0x{pci['device']}",
        "vf_device_id": f"0x{pci['virtual_function']}" if pci["virtual_function"] else "",
        "subsystem_id": f"0x{pci['subsystem']}",
        "revision_id": f"0x{pci['revision']}",
        "gfx": product["gfx"][3:],
        "gfx_target_version": str(product["gfx_target_version"]),
        "xcc": str(product["xcc"]),
        "compute_units": str(product["compute_units"]),
        "apu": str(int(product["apu"])),
        "serial": f"0x{0x51A0_5E21_0000_0000 + int(pci['device'], 16) * 256 + index:016X}",
        "oam": str(index // product["gpus_per_package"]),
    }


def _partitions(product: dict[str, t.Any]) -> State:
    """Partition modes: what there is, what goes together, and the mode of a fresh GPU."""
    modes = product["modes"]
    first = product["memory_modes"][0] if modes else ""
    return {
        "compute": product["auto_mode"][first] if modes else "",
        "memory": first,
        "memory_modes": ",".join(product["memory_modes"]),
        "memory_switchable": str(int(product["memory_switchable"])),
        **{f"mode.{mode}": f"{data['partitions']}:{','.join(data['memory'])}" for mode, data in modes.items()},
        **{f"auto.{memory}": mode for memory, mode in product["auto_mode"].items()},
    }
