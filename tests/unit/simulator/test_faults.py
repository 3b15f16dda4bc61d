# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults by name: what they set, and that healing sets it back."""

from __future__ import annotations

import os
import typing as t
from pathlib import Path

import pytest
from instinct_sim import faults, product
from instinct_sim.errors import SimError
from instinct_sim.machine import processes

NEEDED: dict[str, dict[str, str]] = {"busy": {"pid": "4194999"}, "status": {"call": "amdsmi_get_temp_metric"}}
KEYS: list[tuple[str, dict[str, str], dict[str, str]]] = [
    ("probe_enomem", {}, {}),
    ("probe_psp", {}, {}),
    ("psp_failed", {}, {}),
    ("page_fault", {"pid": "12"}, {}),
    ("ring_timeout", {"ring": "gfx"}, {}),
    ("reset_failed", {}, {}),
    ("pcie_bad_tlp", {"count": "5", "gpu": "1"}, {"gpu1.aer.bad_tlp": "5"}),
    ("link_degraded", {}, {"gpu0.pcie.width": "8", "gpu0.pcie.speed_mts": "8000"}),
    ("acs_on", {"gpu": "3"}, {"gpu3.acs": "0x1d"}),
    ("iommu_translated", {}, {"node.iommu": "DMA-FQ"}),
    ("drm_full", {}, {"node.ast": "1", "gpu7.minors": "7", **{f"gpu{n}.card": str(8 * n + 1) for n in range(8)}}),
    ("busy", {"pid": "4194999", "gpu": "0,3"}, {"proc.4194999": "python3:1073741824:0,3:fixed"}),
    ("ecc_correctable", {"gpu": "0000:26:00.0"}, {"gpu1.ecc.umc.correctable": "12"}),
    ("ecc_uncorrectable", {"count": "2", "block": "gfx"}, {"gpu0.ecc.gfx.uncorrectable": "2"}),
    ("bad_pages", {"pending": "1"}, {"gpu0.bad_pages": "3", "gpu0.bad_pages.pending": "1"}),
    ("throttled", {"what": "hbm_thermal"}, {"gpu0.violation.hbm_thermal": "40"}),
    ("clock_stuck", {"mhz": "94"}, {"gpu0.clock.gfx.now": "94", "gpu0.activity.gfx": "100"}),
    ("pcie_replays", {"count": "9"}, {"gpu0.pcie.replays": "9", "gpu0.pcie.recoveries": "9", "gpu0.pcie.naks": "9"}),
    ("vram_leak", {"gpu": "3"}, {"gpu3.vram_used_mib": "60000"}),
    ("zombie", {"pid": "4194999", "gpu": "1"}, {"proc.4194999": "python3:1073741824:1:zombie"}),
    ("cper_fatal", {"time": "2026-03-01T12:30:00"}, {"gpu0.cper.0": "1 2026-03-01T12:30:00 30"}),
    ("cper_old", {"gpu": "2"}, {"gpu2.cper.0": "1 2020-01-01T00:00:00 30"}),
    ("xgmi_crc", {"count": "4"}, {"gpu0.ecc.xgmi_wafl.correctable": "4", "gpu0.xgmi.error": "1"}),
    ("xgmi_down", {"link": "0,4"}, {"gpu0.xgmi.down": "0,4", "gpu0.xgmi.error": "1"}),
    ("gpu_lost", {"gpu": "7"}, {"gpu7.lost": "1"}),
    ("firmware_mixed", {"gpu": "2"}, {"gpu2.firmware.PLDM_BUNDLE": "18416132"}),
    ("version_mismatch", {}, {"library.version": "24.7.1"}),
    ("slow", {"seconds": "1.5"}, {"library.init_delay_ms": "1500"}),
    ("hang", {}, {"library.init_delay_ms": "86400000"}),
    ("pcie_degraded", {}, {"gpu0.pcie.width": "8", "gpu0.pcie.speed_mts": "16000"}),
    ("hot", {"degrees": "111"}, {"gpu0.temperature.hotspot": "111"}),
    ("vf", {}, {"gpu0.virtual": "1"}),
    ("setting_refused", {"gpu": "1"}, {"gpu1.setting.refused": "10"}),
    ("setting_ignored", {}, {"gpu0.setting.ignored": "1"}),
    ("power_floor", {"microwatts": "5"}, {"gpu0.power.min_uw": "5"}),
    ("status", {"call": "amdsmi_init", "code": "34", "times": "3"}, {"status.amdsmi_init": "34*3"}),
    ("client", {"pid": "4194999", "gpu": "1"}, {"client.4194999": "Xorg:67108864:1:fixed"}),
    ("resetting", {"gpu": "2"}, {"gpu2.set.resetting": "2*2"}),
    ("no_permission", {}, {"library.root": "no"}),
    ("set_ignored", {"what": "both"}, {"gpu0.set.ignored": "compute,memory"}),
    ("set_fails", {"gpu": "5", "code": "42", "times": "1"}, {"gpu5.set.fails": "42*1"}),
    ("gpu_lost_at_set", {"gpu": "3"}, {"gpu3.set.lost": "42"}),
    ("gpu_lost_at_reload", {"gpu": "3"}, {"gpu3.reload.lost": "1"}),
    ("slow_reload", {"seconds": "1.5"}, {"node.load_delay_ms": "1500"}),
    ("module_held", {}, {"node.module_held": "1"}),
    ("compute_modes", {"modes": "SPX,CPX"}, {"gpu0.lacking": "DPX,TPX,QPX"}),
    ("memory_modes", {"modes": "NPS1", "gpu": "7"}, {"gpu7.memory_modes": "NPS1"}),
    ("busy_per_gpu", {}, {"kfd.busy_scope": "device"}),
    ("kernel_panics", {"kernel": "6.1.0-57-amd64"}, {"node.boot.panics": "6.1.0-57-amd64"}),
    ("boot_hangs", {}, {"node.boot.hangs": "any"}),
    ("boot_slow", {"seconds": "1.5"}, {"node.boot.delay_ms": "1500"}),
    ("nic", {"family": "ionic", "abi": "4"}, {"node.nic.ionic": "4"}),
]


def test_every_fault_is_tested_here() -> None:
    assert {name for name, _, _ in KEYS} | {"no_library", "firmware_missing"} == set(faults.FAULTS)


@pytest.mark.parametrize(("name", "arguments", "keys"), [pytest.param(*one, id=one[0]) for one in KEYS])
def test_fault_sets_keys_and_heals(name: str, arguments: dict[str, str], keys: dict[str, str]) -> None:
    before = product.new_state("mi300x")
    state = dict(before)
    faults.inject(state, name, arguments)
    changed = {
        key: value
        for key, value in state.items()
        if before.get(key) != value and not key.startswith(("fault.", "saved."))
    }
    assert (changed, faults.active(state)) == (keys, [name])
    faults.heal(state, name)
    assert state == before


def test_faults_add_up_and_heal_together() -> None:
    before = product.new_state("mi300x")
    state = dict(before)
    faults.inject(state, "hot", {"gpu": "1"})
    faults.inject(state, "hot", {"gpu": "1,2", "degrees": "120"})
    assert state["fault.hot.gpus"] == "1,2"
    assert (state["gpu1.temperature.hotspot"], state["gpu2.temperature.hotspot"]) == ("120", "120")
    faults.heal(state, "hot")
    assert state == before


REFUSED = [
    ("meteor", {}, "there is no fault 'meteor'; there are probe_enomem, "),
    ("hot", {"colour": "red"}, "hot: there is no argument 'colour'; there are gpu, degrees"),
    ("hot", {"gpu": "8"}, "there is no GPU 8; there are 0 to 7"),
    ("status", {}, "status: name the call"),
    ("firmware_mixed", {"block": "BIOS"}, "there is no block 'BIOS'; there are CP_MEC1, PLDM_BUNDLE, PM, "),
    ("firmware_mixed", {"version": "01.25.02.04"}, "'01.25.02.04' is no number"),
    ("ecc_correctable", {"block": "mca"}, "there is no block 'mca'; there are umc, sdma, gfx, "),
    ("throttled", {"what": "wind"}, "there is no 'wind'; there are hbm_thermal, ppt, prochot, "),
    ("zombie", {"how": "undead"}, "there is no how 'undead'; there are gone, defunct"),
    ("zombie", {"pid": "1"}, "process 1 lives"),
    ("set_ignored", {"what": "all"}, "there is no 'all'; there are compute, memory, both"),
    ("compute_modes", {"modes": "TPX"}, "compute_modes: there is no 'TPX'; there are SPX, DPX, QPX, CPX"),
    ("memory_modes", {"modes": "NPS9"}, "memory_modes: there is no 'NPS9'; there are NPS1, "),
]


@pytest.mark.parametrize(("name", "arguments", "message"), REFUSED, ids=[message for _, _, message in REFUSED])
def test_nonsense_is_refused_and_changes_nothing(name: str, arguments: dict[str, str], message: str) -> None:
    state = product.new_state("mi300x")
    before = dict(state)
    with pytest.raises(SimError, match=message):
        faults.inject(state, name, arguments)
    assert state == before


def test_unknown_fault_does_not_heal() -> None:
    with pytest.raises(SimError, match="there is no fault 'meteor'"):
        faults.heal(product.new_state("mi300x"), "meteor")


def test_library_is_moved_away_and_back(tmp_path: Path) -> None:
    library = tmp_path / "libamd_smi.so"
    library.touch()
    state = product.new_state("mi300x")
    faults.inject(state, "no_library", {"path": f"{tmp_path}/libamd_smi.so*"})
    assert not library.exists()
    with pytest.raises(SimError, match="there is no such library to take away"):
        faults.inject(state, "no_library", {"path": f"{tmp_path}/libamd_smi.so*"})
    faults.heal(state, "no_library")
    assert [path.name for path in tmp_path.iterdir()] == ["libamd_smi.so"]


def test_library_is_moved_once_where_folders_lead_to_one_another(tmp_path: Path) -> None:
    (tmp_path / "rocm-7.0.2").mkdir()
    (tmp_path / "rocm-7.0.2" / "libamd_smi.so").touch()
    (tmp_path / "rocm").symlink_to("rocm-7.0.2")
    state = product.new_state("mi300x")
    faults.inject(state, "no_library", {"path": f"{tmp_path}/rocm*/libamd_smi.so*"})
    assert [path.name for path in (tmp_path / "rocm").iterdir()] == [f"libamd_smi.so{faults.HIDDEN}"]
    faults.heal(state, "no_library")
    assert [path.name for path in (tmp_path / "rocm").iterdir()] == ["libamd_smi.so"]


def test_busy_makes_a_real_process_and_ends_it() -> None:
    state = product.new_state("mi300x")
    faults.inject(state, "busy", {"gpu": "2"})
    holder = processes(state)[0]
    assert holder.gpus == (2,)
    assert Path(f"/proc/{holder.pid}/cmdline").read_bytes() == b"sleep\0infinity\0"
    faults.heal(state, "busy")
    assert os.waitpid(holder.pid, 0)[1] == 9
    assert processes(state) == []


def test_zombie_can_be_a_real_one() -> None:
    state = product.new_state("mi300x")
    faults.inject(state, "zombie", {"how": "defunct", "gpu": "2"})
    ended = processes(state)[0]
    assert Path(f"/proc/{ended.pid}/stat").read_text(encoding="utf-8").split()[2] == "Z"
    faults.heal(state, "zombie")
    assert processes(state) == []


def test_records_of_one_gpu_add_up() -> None:
    before = product.new_state("mi300x")
    state = dict(before)
    faults.inject(state, "cper_old", {})
    faults.inject(state, "cper_fatal", {"time": "2026-03-01T12:30:00"})
    assert [state["gpu0.cper.0"], state["gpu0.cper.1"]] == ["1 2020-01-01T00:00:00 30", "1 2026-03-01T12:30:00 30"]
    faults.heal(state, "cper_old")
    faults.heal(state, "cper_fatal")
    assert state == before


def test_living_process_is_taken_as_it_is() -> None:
    state = product.new_state("mi300x")
    faults.inject(state, "busy", {"pid": str(os.getpid())})
    assert [holder.pid for holder in processes(state)] == [os.getpid()]
    faults.heal(state, "busy")
    assert t.cast("list[object]", processes(state)) == []
