# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fabricated /sys and /dev: what is in it, that links lead somewhere, and that it follows the state."""

from __future__ import annotations

import os
import typing as t
from pathlib import Path

import pytest
from instinct_sim import kfd, machine, product, tree
from instinct_sim.sync import sync

if t.TYPE_CHECKING:
    from instinct_sim.state import Store

    NewNode = t.Callable[..., Store]


def node(store: Store, tmp_path: Path, **keys: str) -> Path:
    """Bring the tree in step with changed keys; returns its root."""
    with store.change() as state:
        state["node.sysfs"] = str(tmp_path / "sys")
        state.update({key.replace("__", "."): value for key, value in keys.items()})
    sync(store)
    return tmp_path / "sys"


def text(root: Path, path: str) -> str:
    """A file without its last newline."""
    return (root / path).read_text(encoding="latin-1").rstrip("\n")


def names(root: Path, path: str) -> list[str]:
    """Names in a folder; none if it is not there."""
    return sorted(os.listdir(root / path)) if (root / path).exists() else []


DEVICE = "bus/pci/devices/0000:05:00.0"
TEXTS = [
    (f"{DEVICE}/vendor", "0x1002"),
    (f"{DEVICE}/device", "0x74a1"),
    (f"{DEVICE}/class", "0x120000"),
    (f"{DEVICE}/numa_node", "0"),
    ("bus/pci/devices/0000:e5:00.0/numa_node", "1"),
    (f"{DEVICE}/current_link_speed", "32.0 GT/s PCIe"),
    (f"{DEVICE}/current_link_width", "16"),
    (f"{DEVICE}/current_compute_partition", "SPX"),
    (f"{DEVICE}/available_compute_partition", "SPX, DPX, QPX, CPX"),
    (f"{DEVICE}/current_memory_partition", "NPS1"),
    (f"{DEVICE}/available_memory_partition", "NPS1, NPS2, NPS4"),
    (f"{DEVICE}/mem_info_vram_total", str(196592 << 20)),
    (f"{DEVICE}/unique_id", "51a05e210074a100"),
    (f"{DEVICE}/fw_version/smc_fw_version", "0x00557f00"),
    (f"{DEVICE}/ras/umc_err_count", "ue: 0\nce: 0\nde: 0"),
    (f"{DEVICE}/ras/xgmi_wafl_err_count", "ue: 0\nce: 0\nde: 0"),
    (f"{DEVICE}/ras/features", "feature mask: 0xef"),
    (f"{DEVICE}/pp_dpm_sclk", "S: 132Mhz *\n0: 500Mhz\n1: 2100Mhz"),
    (f"{DEVICE}/pp_dpm_mclk", "0: 900Mhz *\n1: 1300Mhz"),
    (f"{DEVICE}/pcie_replay_count", "0"),
    (f"{DEVICE}/modalias", "pci:v00001002d000074A1sv00001002sd000074A1bc12sc00i00"),
    (f"{DEVICE}/drm/renderD128/dev", "226:128"),
    ("class/drm/renderD136/device/device", "0x74a1"),
    ("class/hwmon/hwmon100/temp2_input", "44000"),
    ("module/amdgpu/version", "6.14.14"),
    ("module/amdgpu/initstate", "live"),
    ("class/kfd/kfd/topology/nodes/2/gpu_id", "10007"),
]


@pytest.mark.parametrize(("path", "wanted"), TEXTS, ids=[path for path, _ in TEXTS])
def test_file_says(path: str, wanted: str, new_node: NewNode, tmp_path: Path) -> None:
    assert text(node(new_node(), tmp_path), path) == wanted


def test_bad_pages_show_their_states(new_node: NewNode, tmp_path: Path) -> None:
    root = node(new_node(), tmp_path, gpu0__bad_pages="1", gpu0__bad_pages__pending="1")
    assert text(root, f"{DEVICE}/ras/gpu_vram_bad_pages") == (
        "0x0000000000001000 : 0x00001000 : R\n0x0000000000002000 : 0x00001000 : P"
    )


def test_a_clock_in_use_is_a_level(new_node: NewNode, tmp_path: Path) -> None:
    root = node(new_node(), tmp_path, gpu0__clock__gfx__now="1700")
    assert text(root, f"{DEVICE}/pp_dpm_sclk") == "0: 500Mhz\n1: 1700Mhz *\n2: 2100Mhz"


def test_links_lead_where_the_kernel_has_them(new_node: NewNode, tmp_path: Path) -> None:
    root = node(new_node(), tmp_path)
    assert (
        os.readlink(root / DEVICE) == "../../../devices/pci0000:02/0000:02:01.1/0000:03:00.0/0000:04:00.0/0000:05:00.0"
    )
    assert os.path.basename(os.path.realpath(root / DEVICE / "driver")) == "amdgpu"
    assert os.path.realpath(root / "bus/pci/drivers/amdgpu/0000:05:00.0") == os.path.realpath(root / DEVICE)
    broken = [path for path, entry in tree.render(new_node().read()).items() if isinstance(entry, tree.Link)
              and not os.path.exists(root / path)]  # fmt: skip
    assert broken == []


def test_configuration_space_reads_as_pci_ids(new_node: NewNode, tmp_path: Path) -> None:
    store = new_node()
    root = node(store, tmp_path)
    assert (root / DEVICE / "config").read_bytes()[:4] == b"\x02\x10\xa1\x74"
    node(store, tmp_path, gpu0__lost="1")
    assert (root / DEVICE / "config").read_bytes() == b"\xff" * 64
    assert text(root, f"{DEVICE}/current_link_width") == "63"


def test_list_of_processes_is_there_while_it_is_empty(new_node: NewNode, tmp_path: Path) -> None:
    store = new_node()
    root = node(store, tmp_path)
    assert names(root, "class/kfd/kfd/proc") == []
    assert (root / "class/kfd/kfd/proc").is_dir()
    node(store, tmp_path, driver__state="unloaded", gpu0__bound="0")
    assert not (root / "devices/virtual/kfd").exists()


def test_without_driver_only_pci_is_left(new_node: NewNode, tmp_path: Path) -> None:
    store = new_node(gpus=2)
    root = node(store, tmp_path)
    node(store, tmp_path, driver__state="unloaded", gpu0__bound="0", gpu1__bound="0")
    on_bus = {name: text(root, f"bus/pci/devices/{name}/class") for name in names(root, "bus/pci/devices")}
    assert [name for name, kind in on_bus.items() if kind == "0x120000"] == ["0000:05:00.0", "0000:26:00.0"]
    assert len(on_bus) == 8
    assert [names(root, path) for path in ("class/kfd", "class/drm", "module", "bus/pci/drivers")] == [[], [], [], []]
    assert not (root / DEVICE / "driver").exists()
    assert not (root / DEVICE / "current_compute_partition").exists()


@pytest.mark.parametrize(
    ("name", "mode", "nodes", "minors"),
    [("mi300x", "SPX", 8, [128, 136]), ("mi300x", "CPX", 64, [128, 129]), ("mi300a", "TPX", 12, [128, 129]), ("mi210", "", 4, [128, 129])],
)  # fmt: skip
def test_partitions_are_nodes_of_the_topology(
    name: str, mode: str, nodes: int, minors: list[int], new_node: NewNode
) -> None:
    state = new_node(name).read()
    state.update({f"gpu{gpu}.compute": mode for gpu in range(int(state["node.gpus"]))})
    texts = kfd.render(state)
    ids = [value for path, value in texts.items() if path.endswith("/gpu_id") and value != 0]
    assert len(ids) == len(set(ids)) == nodes
    found = [dict(line.split() for line in str(value).splitlines()) for path, value in texts.items()
             if path.count("/") == 3 and path.endswith("/properties")]  # fmt: skip
    assert [int(one["drm_render_minor"]) for one in found if one["vendor_id"] == "4098"][:2] == minors


def test_partition_is_the_function_of_its_location(new_node: NewNode) -> None:
    state = {**new_node().read(), "gpu0.compute": "CPX"}
    properties = str(kfd.render(state)["topology/nodes/5/properties"]).splitlines()
    assert "location_id 1283" in properties
    assert "num_xcc 1" in properties


def test_process_is_in_the_list_of_kfd(new_node: NewNode, tmp_path: Path) -> None:
    root = node(new_node(proc__4242="python3:1024:1:fixed"), tmp_path)
    assert names(root, "class/kfd/kfd/proc") == ["4242"]
    assert [text(root, f"class/kfd/kfd/proc/4242/vram_{kfd_id}") for kfd_id in (10007, 14106)] == ["0", "1024"]


def test_dead_process_is_not_counted(new_node: NewNode) -> None:
    state = new_node(proc__4194999="python3:1024:1:live").read()
    assert machine.processes(state) == []


def test_tree_follows_every_change(new_node: NewNode, tmp_path: Path) -> None:
    store = new_node()
    root = node(store, tmp_path)
    for mode, nodes in (("CPX", 17), ("DPX", 11), ("SPX", 10)):
        node(store, tmp_path, gpu0__compute=mode)
        assert (
            text(root, f"{DEVICE}/current_compute_partition"),
            len(names(root, "class/kfd/kfd/topology/nodes")),
        ) == (mode, nodes)


def test_tree_leaves_what_is_not_ours(new_node: NewNode, tmp_path: Path) -> None:
    other = tmp_path / "sys" / "bus" / "pci" / "devices" / "0000:00:00.0"
    other.mkdir(parents=True)
    (tmp_path / "sys" / "class" / "drm").mkdir(parents=True)
    store = new_node()
    node(store, tmp_path)
    root = node(store, tmp_path, driver__state="unloaded", **{f"gpu{gpu}__bound": "0" for gpu in range(8)})
    assert other.is_dir()
    assert (root / "class" / "drm").is_dir()


def test_library_and_tree_count_alike(libraries: t.Any, new_node: NewNode) -> None:
    store = new_node(gpu1__compute="CPX", gpu3__lost="0")
    program = """
import json, amdsmi as a
a.amdsmi_init()
print(json.dumps([[a.amdsmi_get_gpu_kfd_info(h)[k] for k in ("node_id", "kfd_id", "current_partition_id")]
    + [a.amdsmi_get_gpu_enumeration_info(h)[k] for k in ("drm_render", "drm_card")] for h in a.amdsmi_get_processor_handles()]))
"""
    parts = machine.partitions(store.read())
    assert libraries("7.0.2").run(program, store) == [[p.node, p.kfd_id, p.id, p.minor, p.card] for p in parts]


@pytest.mark.parametrize(("name", "count"), [("mi300x", 1 + 2 * 64), ("mi210", 1 + 2 * 4)])
def test_device_nodes_are_as_many_as_the_driver_takes(name: str, count: int, new_node: NewNode) -> None:
    state = new_node(name).read()
    nodes = tree.device_nodes(state)
    assert len(nodes) == count
    assert nodes["kfd"][2] == "render"
    assert nodes["dri/renderD128"] == (226, 128, "render")
    assert tree.device_links(state)[f"dri/by-path/pci-{machine.gpus(state)[0].bdf}-render"] == "../renderD128"


def test_no_driver_no_device_nodes() -> None:
    assert tree.device_nodes(product.new_state("mi300x")) == {}
