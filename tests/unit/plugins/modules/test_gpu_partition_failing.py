# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_partition where library, driver or node do not do as they should: told for each GPU, and taken back."""

from __future__ import annotations

import os
import signal
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._partition import changer, units
from ansible_collections.instinct.fleet.tests.unit.plugins.partitioned import (
    BOOT,
    DKMS,
    IN_TREE,
    KERNEL,
    A,
    B,
    PartitionNode,
)
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import GENERATIONS

Make = t.Callable[..., PartitionNode]
LOG = "read the kernel log (journalctl -k -g amdgpu)"
RELOAD = ["modprobe -r amdgpu", "modprobe amdgpu"]
UNIT = "ollama.service"


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes the node that this test is about."""
    def made(rocm: str = "7.0.2", gpus: int = 2) -> PartitionNode:
        node = PartitionNode(tmp_path / "node", "mi300x", gpus)
        node.install(rocm)
        node.live(monkeypatch)
        return node

    (tmp_path / "node").mkdir()
    return made


def results(said: dict[str, t.Any]) -> list[tuple[str, str]]:
    return [(one["after"], one["result"]) for one in said["gpus"]]


@pytest.mark.parametrize("rocm", GENERATIONS)
def test_one_gpu_that_fails_takes_the_others_back(make: Make, rocm: str) -> None:
    node = make(rocm, gpus=3)
    node.fault("set_fails", "gpu=1", "code=1")
    said = node.ask("CPX", "NPS1")
    assert (said["failed"], said["changed"], node.modes()) == (True, True, ["SPX/NPS1"] * 3)
    assert said["msg"].startswith(f"gpu {B}: is not CPX/NPS1: AMDSMI_STATUS_INVAL")
    assert results(said) == [("SPX/NPS1", "rolled_back")] * 3
    assert [one["reason"] for one in said["gpus"] if one["bdf"] != B] == ["other GPUs failed"] * 2
    assert said["as_wanted"] is False


def test_success_that_changes_nothing_is_a_failure(make: Make) -> None:
    node = make()
    node.fault("set_ignored", "gpu=1")
    said = node.ask("CPX", "NPS1")
    assert said["msg"] == (f"gpu {B}: is not CPX/NPS1: reads back as SPX/NPS1, although no call failed; {LOG}")
    assert (node.modes(), results(said)) == (["SPX/NPS1"] * 2, [("SPX/NPS1", "rolled_back")] * 2)


def test_a_memory_mode_that_does_not_come_is_a_failure(make: Make) -> None:
    node = make()
    node.fault("set_ignored", "what=memory", "gpu=all")
    said = node.ask("CPX", "NPS4")
    assert said["failed"]
    assert said["msg"].startswith(f"gpu {A} (and 1 GPU more): is not NPS4: reads back as SPX/NPS1")
    assert (node.modes(), results(said)) == (["SPX/NPS1"] * 2, [("SPX/NPS1", "rolled_back")] * 2)


def test_what_a_reset_refuses_is_asked_again(make: Make) -> None:
    node = make()
    node.fault("resetting", "gpu=1", "times=2")
    assert node.ask("CPX", "NPS1")["as_wanted"] is True
    assert node.modes() == ["CPX/NPS1"] * 2


def test_a_reset_that_does_not_end_is_a_failure(make: Make) -> None:
    node = make()
    node.fault("resetting", "gpu=1", f"times={changer.TRIES + 3}")
    said = node.ask("CPX", "NPS1")
    assert said["msg"].startswith(f"gpu {B}: is not CPX/NPS1: AMDSMI_STATUS_NOT_SUPPORTED")
    assert node.modes() == ["SPX/NPS1"] * 2


def test_compute_that_fails_after_memory_takes_memory_back(make: Make) -> None:
    node = make()
    node.ask("DPX", "NPS1")
    node.fault("set_ignored", "gpu=1")
    node.log.clear()
    said = node.ask("QPX", "NPS4")
    assert said["msg"].startswith(f"gpu {B}: is not QPX/NPS4: reads back as CPX/NPS4")
    assert node.log == [*RELOAD, *RELOAD]
    assert node.modes() == ["DPX/NPS1", "SPX/NPS1"]  # the second GPU does not take compute modes
    assert results(said) == [("DPX/NPS1", "rolled_back"), ("SPX/NPS1", "not_restored")]
    assert said["gpus"][1]["reason"].endswith("not set back to DPX/NPS1: is SPX/NPS1")


def test_a_slow_reload_is_waited_for(make: Make) -> None:
    node = make()
    node.fault("slow_reload", "seconds=1")
    assert node.ask("CPX", "NPS4")["as_wanted"] is True


def test_a_gpu_that_a_set_loses_is_not_back(make: Make) -> None:
    node = make()
    node.fault("gpu_lost_at_set", "gpu=1", "code=0")
    said = node.ask("CPX", "NPS1")
    assert (said["failed"], results(said)) == (True, [("SPX/NPS1", "rolled_back"), (None, "not_restored")])
    assert "the GPU does not answer on the bus" in said["gpus"][1]["reason"]


@pytest.mark.parametrize("rocm", ["6.4.4", "7.0.2"])
def test_a_gpu_that_a_reload_loses(make: Make, rocm: str) -> None:
    node = make(rocm)
    node.unit(UNIT)
    node.fault("gpu_lost_at_reload", "gpu=1")
    said = node.ask("CPX", "NPS4", timeout=2, stop_units=[UNIT])
    assert said["failed"]
    assert "KFD shows 1 of 2 GPUs" in said["msg"]
    assert "memory partitions are not rolled back: not all GPUs are there" in said["notes"]
    assert [one["result"] for one in said["gpus"]] == ["not_restored"] * 2
    assert (node.active, said["units"]["started"]) == ({UNIT}, [UNIT])


def test_a_driver_that_does_not_go(make: Make) -> None:
    node = make()
    node.unit(UNIT)
    node.fault("module_held")
    said = node.ask("CPX", "NPS4", stop_units=[UNIT])
    assert said["msg"].startswith("modprobe -r amdgpu: FATAL: Module amdgpu is in use")
    assert results(said) == [("SPX/NPS1", "rolled_back")] * 2
    assert any(note.startswith("memory partition NPS4 stays requested") for note in said["notes"])
    assert node.active == {UNIT}


def test_a_library_that_cannot_reload_says_so(make: Make) -> None:
    node = make("6.4.4")
    node.fault("module_held")
    said = node.ask("CPX", "NPS4")
    assert said["msg"].startswith(f"gpu {A}: does not take NPS4: AMDSMI_STATUS_AMDGPU_RESTART_ERR")
    assert any(note.startswith("memory partition NPS4 stays requested") for note in said["notes"])
    assert (said["changed"], results(said)) == (False, [("SPX/NPS1", "failed")] * 2)


def test_a_hive_that_takes_its_wish_while_another_does_not(make: Make) -> None:
    node = make(gpus=4)
    node.set(**{"gpu2.hive": "77", "gpu3.hive": "77"})
    node.fault("set_fails", "gpu=2", "code=1")
    said = node.ask("CPX", "NPS4")
    assert said["actions"] == ["set memory partition NPS4 on 2 GPUs"]
    assert any(note.startswith("memory partition NPS4 stays requested") for note in said["notes"])


def test_a_driver_that_does_not_come_back_is_loaded_once_more(make: Make) -> None:
    node = make()

    def fail() -> None:
        node.set(**{"node.kernel": "6.9.9"})
        node.at["modprobe amdgpu"] = lambda: node.set(**{"node.kernel": KERNEL})

    node.at["modprobe amdgpu"] = fail
    said = node.ask("CPX", "NPS4", timeout=2)
    assert said["msg"].startswith("modprobe amdgpu: FATAL: Module amdgpu not found")
    assert said["actions"][-1] == "load amdgpu"
    assert node.modes() == ["CPX/NPS4"] * 2  # the driver's own choice; the next run goes on from here
    assert node.ask("CPX", "NPS4")["as_wanted"] is True


REFUSED: dict[str, tuple[str, str, str]] = {
    "the kernel's own driver would come": (
        IN_TREE, "", "modprobe would load the in-tree module, wanted is the DKMS one; build the driver for this kernel first"),
    "another build would come": (
        DKMS, "6.16.6", "loaded is 6.14.14 (srcversion 51A0000000000000000000A), on disk is 6.16.6 "
        "(srcversion 62B0000000000000000000B); a reload would bring that one: reload it by itself first (gpu_driver_load), or "
        "reboot the node"),
}


@pytest.mark.parametrize("rocm", ["6.4.4", "7.0.2"])
@pytest.mark.parametrize(("folder", "version", "sentence"), REFUSED.values(), ids=REFUSED)
def test_another_driver_on_disk_is_refused_before_anything(
    make: Make, rocm: str, folder: str, version: str, sentence: str,
) -> None:
    node = make(rocm)
    node.unit(UNIT, pid=4711)
    node.module(folder, version, "62B0000000000000000000B")
    for check in (True, False):
        said = node.ask("CPX", "NPS4", check=check, stop_units=[UNIT])
        assert (said["failed"], said["msg"].partition(": ")[2]) == (True, sentence)
    assert (node.modes(), node.log) == (["SPX/NPS1"] * 2, [])
    assert node.ask("CPX", "NPS1", stop_units=[UNIT])["as_wanted"] is True, "a compute mode needs no reload"


def test_a_driver_that_modprobe_would_not_load_again_is_not_taken_out(make: Make) -> None:
    node = make()
    node.write("/etc/modprobe.d/off.conf", "blacklist amdgpu\n")
    assert node.ask("CPX", "NPS4", check=True)["failed"] is False, "a blacklist is for aliases"
    node.write("/etc/modprobe.d/off.conf", "install amdgpu /bin/false\n")
    for check in (True, False):
        assert node.ask("CPX", "NPS4", check=check)["msg"] == (
            "amdgpu: would not come back after a reload: /etc/modprobe.d/off.conf: install amdgpu /bin/false; take that line out first")
    assert (node.modes(), node.log) == (["SPX/NPS1"] * 2, [])


def test_a_unit_that_does_not_come_back_is_a_failure_and_stays_owed(make: Make) -> None:
    node = make()
    node.unit(UNIT)
    node.broken.add(UNIT)
    said = node.ask("CPX", "NPS1", stop_units=[UNIT])
    assert said["msg"] == (f"{UNIT}: was stopped for the change and does not come back: failed; read its log (journalctl -u);"
                           " start it by hand")
    assert (said["as_wanted"], node.modes()) == (True, ["CPX/NPS1"] * 2)
    assert said["units"] == {"stopped": [UNIT], "started": [], "failed": {UNIT: "failed; read its log (journalctl -u)"}}
    node.broken.clear()
    again = node.ask("CPX", "NPS1")
    assert (again["changed"], again["actions"]) == (True, [f"start {UNIT}"])
    assert node.ask("CPX", "NPS1")["changed"] is False


LOST = {
    "it is transient": ("Transient=yes\n", f"unit {UNIT}: could not be started again once it is stopped: it is transient or masked; "
                        "end it yourself"),
    "another needs it": ("RequiredBy=slurmd.service\n", "slurmd.service: would be stopped by systemd together with the units that "
                         "may be stopped; list them in gpu_partition_stop_units too"),
}


@pytest.mark.parametrize(("told", "sentence"), LOST.values(), ids=LOST)
def test_units_that_would_not_come_back_are_not_stopped(make: Make, told: str, sentence: str) -> None:
    node = make()
    node.unit(UNIT)
    node.unit("slurmd.service")
    node.told[UNIT] = told
    assert node.ask("CPX", "NPS1", check=True, stop_units=[UNIT])["notes"][-1] == f"would be refused now: {sentence}"
    said = node.ask("CPX", "NPS1", stop_units=[UNIT])
    assert (said["failed"], said["msg"], node.log, node.modes()) == (True, sentence, [], ["SPX/NPS1"] * 2)


def test_a_unit_that_is_gone_once_it_is_stopped_is_a_failure(make: Make) -> None:
    node = make()
    node.unit(UNIT)
    node.at[f"systemctl stop -- {UNIT}"] = lambda: node.there.discard(UNIT)
    said = node.ask("CPX", "NPS1", stop_units=[UNIT])
    assert said["msg"].startswith(f"{UNIT}: was stopped for the change and does not come back: is not there any more")
    assert said["units"]["failed"] == {UNIT: "is not there any more"}


def test_a_run_that_was_killed_is_healed_by_the_next(make: Make) -> None:
    node = make()
    node.unit(UNIT, runs=False)
    node.run(["modprobe", "-r", "amdgpu"], 1)
    units.write(units.Note(BOOT, (UNIT,), units.OwedDriver("6.14.14", "51A0000000000000000000A", 2)))
    node.log.clear()
    said = node.ask("SPX", "NPS1")
    assert (said["failed"], said["actions"], node.active) == (False, ["load amdgpu", f"start {UNIT}"], {UNIT})
    assert said["notes"] == ["an earlier run was ended in the middle of a change"]
    assert units.read() is None


def test_a_process_that_stays_after_its_unit_was_stopped(make: Make) -> None:
    node = make()
    node.unit(UNIT, pid=4711)
    del node.at[f"systemctl stop -- {UNIT}"]
    said = node.ask("CPX", "NPS1", stop_units=[UNIT])
    assert said["msg"].startswith(f"gpus {A}, {B}: are held by pid 4711 (agent, {UNIT}); drain the node first")
    assert (node.active, node.modes()) == ({UNIT}, ["SPX/NPS1"] * 2)
    assert {one["result"] for one in said["gpus"]} == {"failed"}


def test_a_signal_leaves_nothing_half_done(make: Make) -> None:
    node = make()
    node.unit(UNIT)
    node.at["modprobe -r amdgpu"] = lambda: os.kill(os.getpid(), signal.SIGTERM)
    with pytest.raises(SystemExit):
        node.ask("CPX", "NPS4", stop_units=[UNIT])
    assert node.log[-3:] == [*RELOAD, f"systemctl start --no-block -- {UNIT}"]
    assert (node.active, units.read()) == ({UNIT}, None)
