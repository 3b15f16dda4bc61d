# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From facts to the sections of a look that are about GPUs and what is around them."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.bundle.facts import UNTOLD, Card, Facts
from ansible_collections.instinct.fleet.plugins.module_utils._core.bundle.hardware import (
    NO_SUPPORT,
    ONLY_TOOLS,
    UNREAD,
    GpuParts,
    parts,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.lspci import Device
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.rocminfo import Agent
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Gpus, Link, Partition

BDF = "0000:05:00.0"


def device(bdf: str = BDF, **more: object) -> Device:
    return Device(bdf, "Processing accelerators", "AMD [Instinct MI300X]", "1200", "1002", "74a1", **more)  # type: ignore[arg-type]


def gpus(facts: Facts) -> Gpus:
    found = parts(facts).gpus
    assert found is not None
    return found


def test_nothing_told_is_no_section() -> None:
    assert parts(Facts()) == GpuParts(None, None, None, None, None)


@pytest.mark.parametrize(("facts", "unknown"), [
    (Facts(pci_whole=True), {}), (Facts(loaded=False), {"gpus": ONLY_TOOLS}), (Facts(kfd_nodes={0: {"gpu_id": "0\n"}}), {"gpus": ONLY_TOOLS}),
])
def test_that_there_is_no_gpu_is_known_only_from_the_whole_bus(facts: Facts, unknown: dict[str, str]) -> None:
    assert gpus(facts) == Gpus((), unknown)


@pytest.mark.parametrize(("vendor", "code", "name", "count"), [
    ("1002", "1200", "x", 1), ("1002", "0380", "x", 1), ("1002", "0300", "x", 0), ("10de", "0302", "x", 0),
    (None, None, "Advanced Micro Devices, Inc. [AMD/ATI] Aldebaran/MI200 [Instinct MI210]", 1),
    (None, None, "Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [Radeon RX 7900]", 0), ("1002", None, "x", 1),
])
def test_what_is_an_accelerator(vendor: str | None, code: str | None, name: str, count: int) -> None:
    facts = Facts(pci=[Device(BDF, "x", name, code, vendor, "74a1")], pci_whole=True)
    assert len(gpus(facts).gpus) == count


def test_sources_of_one_gpu_are_put_together() -> None:
    facts = Facts(
        pci=[device(width=16, speed_mts=32000, numa_node=1, verbose=True, driver="amdgpu")], pci_whole=True,
        amdsmi={0: Card(BDF, reading={"power_cap_w": 750}), 1: Card("0000:05:00.1", partition=1)},
        rocmsmi={0: Card(BDF, reading={"vbios_part": "113-X", "power_cap_w": 1})},
        agents=[Agent("gfx942", "AMD Instinct MI300X OAM", "74a1", BDF, "GPU-1f", 2**37), Agent(None, None, None, "0000:05:00.1")],
        kfd_nodes={2: {"gpu_id": "9", "properties": "simd_count 4\nlocation_id 1280\ndrm_render_minor 128\nhive_id 255\n"
                       "unique_id 171\ndevice_id 29857\n", "mem_banks/0/properties": "heap_type 1\nsize_in_bytes 1024\n"}},
        firmware_blocks=[{"smc": "0x1"}])
    (gpu,) = gpus(facts).gpus
    assert (gpu.product, gpu.uuid, gpu.vram_bytes, gpu.power_cap_w, gpu.numa_node, gpu.driver) == (
        "MI300X", "GPU-1f", 2**37, 750, 1, "amdgpu")
    assert (gpu.pcie, gpu.xgmi_hive_id, gpu.serial) == (Link(16, None, 32000), f"{255:016x}", f"{171:016x}")
    assert gpu.partitions == (Partition(0, "/dev/dri/renderD128", None, 2, 9, "GPU-00000000000000ab"),)
    firmware = parts(facts).firmware
    assert firmware is not None
    assert (firmware.gpus[0].blocks, firmware.gpus[0].vbios_part) == ({"smc": "0x1"}, "113-X")


def test_gpu_without_any_tool_has_an_unknown_driver_unless_lspci_was_verbose() -> None:
    assert gpus(Facts(pci=[device()])).unknown[f"{BDF}.driver"] == UNTOLD
    assert f"{BDF}.driver" not in gpus(Facts(pci=[device(verbose=True)])).unknown


def test_partitions_that_share_memory_are_not_added_up() -> None:
    nodes = {number: {"gpu_id": str(number), "properties": f"simd_count 4\nlocation_id {1280 + number}\n",
                      "mem_banks/0/properties": "heap_type 1\nsize_in_bytes 1000\n"} for number in (0, 1, 2)}
    del nodes[0]
    shared = Facts(kfd_nodes=nodes, amdsmi={0: Card(BDF, reading={"memory_partition": "NPS1"})})
    apart = Facts(kfd_nodes=nodes, amdsmi={0: Card(BDF, reading={"memory_partition": "NPS4"})})
    assert [gpus(facts).gpus[0].vram_bytes for facts in (shared, apart)] == [1000, 2000]


def test_topology_that_is_damaged_is_refused() -> None:
    with pytest.raises(DataError, match="KFD node 3: has 'x' as gpu_id"):
        parts(Facts(kfd_nodes={3: {"gpu_id": "x"}}))


def test_gpus_without_an_address_are_called_by_their_numbers() -> None:
    found = parts(Facts(amdsmi={1: Card(health={"power_w": 1}), 2: Card(partition=1)}, rocmsmi={0: Card(health={"power_w": 2})}))
    assert found.gpus is not None
    assert found.health is not None
    assert [gpu.bdf for gpu in found.gpus.gpus] == ["GPU 1"]
    assert [(gpu.bdf, gpu.power_w) for gpu in found.health.gpus] == [("GPU 1", 1), ("card0", 2)]


def test_health_of_a_gpu_whose_address_only_it_lacks() -> None:
    found = parts(Facts(amdsmi={0: Card(BDF), 1: Card(health={"power_w": 1})})).health
    assert found is not None
    assert [gpu.bdf for gpu in found.gpus] == ["GPU 1"]


def test_processes_without_a_topology_do_not_tell_their_gpus() -> None:
    found = parts(Facts(kfd_processes={7: {"vram_9": "5", "vram_8": "x", "pasid": "1"}})).processes
    assert found is not None
    assert (found.processes[0].vram_bytes, found.processes[0].gpus) == (5, ())
    assert set(found.unknown) == {"command", "user", "unit", "gpus"}


@pytest.mark.parametrize(("device_id", "states", "links", "unknown"), [
    ("74b5", ("D", "D"), (), NO_SUPPORT), ("74b5", ("U", "D"), ("up", "down"), None), ("74a1", ("D", "X", "?"), ("down", "absent"), None),
])
def test_links_of_virtual_functions(device_id: str, states: tuple[str, ...], links: tuple[str, ...], unknown: str | None) -> None:
    found = parts(Facts(amdsmi={0: Card(BDF, device=device_id)}, xgmi={BDF: states})).health
    assert found is not None
    assert (found.gpus[0].xgmi_links, found.gpus[0].unknown.get("xgmi_links")) == (links, unknown)


def test_way_from_a_gpu_to_the_root_port() -> None:
    bridges = [Device("0000:00:01.1", "PCI bridge", "", "0604", "1022", "14ab", buses=(1, 5), port="Root Port", verbose=True, acs=5),
               Device("0000:01:00.0", "PCI bridge", "", "0604", "1002", "1470", buses=(2, 5), denied=True),
               Device("0000:40:01.1", "PCI bridge", "", "0604", "1022", "14ab", buses=(65, 70))]
    found = parts(Facts(pci=[*bridges, device(bars=[256], verbose=True), device("0000:04:00.0", verbose=True)])).host
    assert found is not None
    assert [(item.bdf, item.kind, item.above) for item in found.devices] == [
        (BDF, "gpu", "0000:01:00.0"), ("0000:04:00.0", "gpu", "0000:01:00.0"), ("0000:01:00.0", "bridge", "0000:00:01.1"),
        ("0000:00:01.1", "root_port", None)]
    assert found.devices[0].bars == (256,)
    assert found.unknown["devices.0000:01:00.0.acs"] == UNREAD
    assert "devices.0000:00:01.1.acs" not in found.unknown


def test_drm_devices_by_driver() -> None:
    drm = {"card0": "../../devices/pci0000:c0/0000:c4:00.0/drm/card0", "card1": f"../../devices/x/{BDF}/drm/card1",
           "renderD129": "../../devices/platform/amdgpu_xcp_1/drm/renderD129", "renderD130": "", "card3": "../../devices/odd/card3"}
    found = parts(Facts(drm=drm, pci=[device(), Device("0000:c4:00.0", "VGA", "", driver="ast")])).host
    assert found is not None
    assert (found.drm_devices, found.drm_minors) == ({"ast": 1, "amdgpu": 2, "unknown": 1}, 3)


def test_modules_that_are_loaded_are_all_there_are() -> None:
    found = parts(Facts(modules=())).host
    assert found is not None
    assert "loaded_modules" not in found.unknown
    assert found.unknown["devices"] == UNTOLD
