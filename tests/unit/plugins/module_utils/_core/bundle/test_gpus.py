# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""lspci, rocm-smi, rocminfo, KFD and the exporter into facts."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.bundle import gpus
from ansible_collections.instinct.fleet.plugins.module_utils._core.bundle.facts import Facts, Handler
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.health import BlockErrors

BRIDGE = "00:00.0 Host bridge [0600]: AMD Root Complex [1022:14a4]\n"
TOLD: list[tuple[Handler, str, str]] = [
    (gpus.pci, BRIDGE, "lspci: 1 devices"),
    (gpus.rocm_smi, "WARNING: No JSON data to report", "rocm-smi tells nothing: No JSON data to report"),
    (gpus.rocm_smi, "===== ROCm System Management Interface =====", "rocm-smi: a table for people, which is not read"),
    (gpus.rocm_smi, '{"card0": {"GPU use (%)": "3"}}', "rocm-smi: 1 GPUs"),
    (gpus.rocm_info, "ROCk module is NOT loaded", "rocminfo failed: amdgpu is not loaded"),
    (gpus.rocm_info, "ROCk module is loaded", "rocminfo: 0 GPU agents"),
    (gpus.rocm_info, "Unable to open /dev/kfd read-write: Permission denied\n",
     "rocminfo failed: /dev/kfd cannot be opened: Permission denied"),
    (gpus.enumerator, "gfx000\ngfx90a\ngfx90a\n", "agent enumerator: gfx90a"),
    (gpus.enumerator, "gfx000\n", "agent enumerator: no GPU"),
    (gpus.exporter, "1   22ee74a1-0000-1000-8011-0a1b2c3d4e5f   unhealthy   []\n",
     "exporter: failed: 1 GPUs, 1 of them not healthy"),
    (gpus.firmware_info, "SMC feature version: 0, firmware version: 0x001c2800\n", "firmware of a GPU: 1 blocks"),
    (gpus.hwloc, '<info name="OSRelease" value="5.14"/>', "hwloc: 0 devices"),
    (gpus.kfd_lines, "/sys/class/kfd/kfd/proc/7/vram_1 = 0\nwords\n", "KFD: 0 lines of the topology, 1 of processes"),
]


@pytest.mark.parametrize(("handler", "text", "told"), TOLD)
def test_what_is_told(handler: Handler, text: str, told: str) -> None:
    assert handler(Facts(), text) == told


def test_lspci_without_a_device_is_refused() -> None:
    with pytest.raises(DataError, match="has no line that names a device"):
        gpus.pci(Facts(), "\t\tLnkSta: Speed 2.5GT/s, Width x16\n")


@pytest.mark.parametrize(("text", "whole"), [(BRIDGE, True), ("05:00.0 PCI bridge [0604]: X [1:2]\n", False)])
def test_lspci_is_whole_if_it_has_a_host_bridge(text: str, whole: bool) -> None:
    facts = Facts()
    gpus.pci(facts, text)
    assert facts.pci_whole is whole


def test_keys_of_rocm_smi() -> None:
    facts = Facts()
    gpus.rocm_smi(facts, '{"card2": {"PCI Bus": "0000:C1:00.0", "Device ID": "0x740F", "VRAM Total Memory (B)": "68702699520",'
                         ' "Current Socket Graphics Package Power (W)": "41.0", "SMC firmware version": "00.68",'
                         ' "ASD firmware version": "N/A"}, "system": {"Driver version": "6.8.5"}}')
    card = facts.rocmsmi[2]
    assert (card.bdf, card.device, facts.version) == ("0000:c1:00.0", "740f", "6.8.5")
    assert card.reading == {"vram_bytes": 68702699520, "firmware": {"SMC": "00.68"}}
    assert card.health == {"power_w": 41, "vram_total_bytes": 68702699520}


@pytest.mark.parametrize(("file", "told"), [
    ("sys/class/kfd/kfd/topology/nodes/3/properties", "KFD topology"), ("nodes/3/mem_banks/0/properties", "KFD topology"),
    ("sys/class/kfd/kfd/proc/71/vram_5", "KFD process"), ("nodes/3/caches/0/properties", None), ("kfd.txt", None),
])
def test_files_of_kfd_are_known_by_their_paths(file: str, told: str | None) -> None:
    assert gpus.kfd_file(Facts(), file, "1\n") == told


def test_trees_as_lines_and_as_files_are_the_same() -> None:
    files, lines = Facts(), Facts()
    for path, text in (("topology/nodes/1/properties", "simd_count 4\nlocation_id 1280\n"), ("topology/nodes/1/gpu_id", "7\n"),
                       ("proc/9/vram_7", "0\n"), ("proc/9/pasid", "3\n")):
        gpus.kfd_file(files, f"kfd/{path}", text)
        gpus.kfd_lines(lines, "".join(f"/sys/class/kfd/kfd/{path}:{line}\n" for line in text.splitlines()))
    assert (lines.kfd_nodes, lines.kfd_processes) == (files.kfd_nodes, files.kfd_processes)
    assert files.kfd_processes == {9: {"vram_7": "0", "pasid": "3"}}


def test_counters_of_the_exporter_add_up_by_block() -> None:
    facts = Facts()
    gpus.exporter(facts, 'gpu_ecc_correct_umc{gpu_id="1"} 5\namd_gpu_ecc_uncorrect_umc{x="y",gpu_id="1"} 2\n')
    assert facts.amdsmi[1].health == {"blocks": {"umc": BlockErrors(5, 2)}}
