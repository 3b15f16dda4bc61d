# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""KFD: its topology and its list of processes, as text by path under the class device."""

from __future__ import annotations

from .machine import Gpu, Partition, gpus, partitions, processes
from .state import State

PLACE = "devices/virtual/kfd/kfd"
PCIE, XGMI = 2, 11  # link types of KFD
CORES = 48  # of one simulated processor


def render(state: State) -> dict[str, str | int]:
    """Every file of KFD."""
    cpus = int(state["node.cpus"])
    parts = sorted(partitions(state), key=lambda part: part.node)
    devices = gpus(state)
    texts: dict[str, str | int] = {
        "dev": "235:0",
        "topology/generation_id": state["kfd.generation"],
        "topology/system_properties": _lines(
            {"platform_oem": 35498446626881, "platform_id": 13895193265792, "platform_rev": 2}
        ),
    }
    links = _links(state, parts, cpus)
    for node in range(cpus):
        texts.update(
            _node(
                node, 0, "", _cpu(node, len(links[node])), links[node], {"heap_type": 0, "size_in_bytes": 811748818944}
            )
        )
    for part in parts:
        gpu = devices[part.gpu]
        bank = {
            "heap_type": 1,
            "size_in_bytes": (gpu.number("vram_mib") << 20) // gpu.partitions,
            "flags": 0,
            "width": 8192,
            "mem_clk_max": 1300,
        }
        texts.update(
            _node(
                part.node,
                part.kfd_id,
                "ip discovery",
                _properties(gpu, part, len(links[part.node])),
                links[part.node],
                bank,
            )
        )
    texts.update(_processes(state, parts))
    return texts


def _lines(values: dict[str, int]) -> str:
    return "\n".join(f"{key} {value}" for key, value in values.items())


def _node(
    node: int, kfd_id: int, name: str, properties: dict[str, int], links: list[dict[str, int]], bank: dict[str, int]
) -> dict[str, str | int]:
    """The files of one node."""
    place = f"topology/nodes/{node}"
    return {
        f"{place}/gpu_id": kfd_id,
        f"{place}/name": name,
        f"{place}/properties": _lines(properties),
        f"{place}/mem_banks/0/properties": _lines(bank),
        **{f"{place}/io_links/{number}/properties": _lines(link) for number, link in enumerate(links)},
    }


def _cpu(node: int, links: int) -> dict[str, int]:
    """Properties of a processor."""
    return {
        "cpu_cores_count": CORES,
        "simd_count": 0,
        "mem_banks_count": 1,
        "caches_count": 0,
        "io_links_count": links,
        "cpu_core_id_base": node * CORES,
        "simd_id_base": 0,
        "gfx_target_version": 0,
        "vendor_id": 0,
        "device_id": 0,
        "location_id": 0,
        "domain": 0,
        "drm_render_minor": 0,
        "hive_id": 0,
        "max_engine_clk_ccompute": 3700,
    }


def _properties(gpu: Gpu, part: Partition, links: int) -> dict[str, int]:
    """Properties of a logical GPU. The partition is the function of its location, as mainline kernels do it."""
    domain, bus, rest = gpu.bdf.split(":")
    units = gpu.number("compute_units") // gpu.partitions
    return {
        "cpu_cores_count": 0,
        "simd_count": units * 4,
        "mem_banks_count": 1,
        "caches_count": 0,
        "io_links_count": links,
        "simd_id_base": 2147487744 + part.node * 1024,
        "max_waves_per_simd": 8,
        "lds_size_in_kb": 64,
        "wave_front_size": 64,
        "array_count": 4 * gpu.number("xcc") // gpu.partitions,
        "simd_arrays_per_engine": 1,
        "cu_per_simd_array": 10,
        "simd_per_cu": 4,
        "max_slots_scratch_cu": 32,
        "gfx_target_version": gpu.number("gfx_target_version"),
        "vendor_id": 0x1002,
        "device_id": int(gpu.device_id, 16),
        "location_id": int(bus, 16) << 8 | int(rest.split(".")[0], 16) << 3 | part.id,
        "domain": int(domain, 16),
        "drm_render_minor": part.minor,
        "hive_id": gpu.number("hive"),
        "num_sdma_engines": 2,
        "max_engine_clk_fcompute": 2100,
        "local_mem_size": 0,
        "fw_version": gpu.number("firmware.CP_MEC1"),
        "capability": 746037888,
        "debug_prop": 1511,
        "sdma_fw_version": gpu.number("firmware.SDMA0"),
        "unique_id": gpu.number("serial"),
        "num_xcc": max(1, gpu.number("xcc") // gpu.partitions),
        "max_engine_clk_ccompute": 3700,
    }


def _links(state: State, parts: list[Partition], cpus: int) -> dict[int, list[dict[str, int]]]:
    """Links of every node: each GPU to its processor, and to all others of its hive."""
    found: dict[int, list[dict[str, int]]] = {node: [] for node in range(cpus)}
    devices = gpus(state)
    for part in parts:
        home = devices[part.gpu].number("numa_node")
        found[home].append(_link(PCIE, home, part.node))
        found[part.node] = [_link(PCIE, part.node, home)]
        if devices[part.gpu]["hive"] != "0":
            hive = devices[part.gpu]["hive"]
            found[part.node] += [
                _link(XGMI, part.node, other.node)
                for other in parts
                if other.node != part.node and devices[other.gpu]["hive"] == hive
            ]
    return found


def _link(kind: int, source: int, target: int) -> dict[str, int]:
    return {
        "type": kind,
        "version_major": 0,
        "version_minor": 0,
        "node_from": source,
        "node_to": target,
        "weight": 20 if kind == PCIE else 15,
        "min_bandwidth": 312,
        "max_bandwidth": 64000,
        "recommended_transfer_size": 0,
        "flags": 1,
    }


def _processes(state: State, parts: list[Partition]) -> dict[str, str | int]:
    """A process is listed with every GPU of the node, whether it uses it or not: a ROCm process opens them all."""
    texts: dict[str, str | int] = {}
    for process in processes(state):
        texts[f"proc/{process.pid}/pasid"] = 32768 + process.pid % 1024
        for part in parts:
            used = process.vram if part.gpu in process.gpus and part.id == 0 else 0
            texts[f"proc/{process.pid}/vram_{part.kfd_id}"] = used
            texts[f"proc/{process.pid}/sdma_{part.kfd_id}"] = 0
            texts[f"proc/{process.pid}/stats_{part.kfd_id}/cu_occupancy"] = 0
    return texts
