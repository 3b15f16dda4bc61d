# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_partition with the vendor's own bindings, of every generation, on the simulated library."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.modules import gpu_partition
from ansible_collections.instinct.fleet.tests.unit.plugins.partitioned import A, B, PartitionNode
from ansible_collections.instinct.fleet.tests.unit.plugins.simulated import GENERATIONS

Make = t.Callable[..., PartitionNode]
RELOAD = ["modprobe -r amdgpu", "modprobe amdgpu"]
# Those before library 26 load the driver anew themselves.
BY_US = {rocm: [] if rocm in ("6.2.4", "6.4.4") else RELOAD for rocm in GENERATIONS}


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes the node that this test is about."""
    def made(rocm: str = "7.0.2", product: str = "mi300x", gpus: int = 2) -> PartitionNode:
        node = PartitionNode(tmp_path / "node", product, gpus)
        node.install(rocm)
        node.live(monkeypatch)
        return node

    (tmp_path / "node").mkdir()
    return made


def same(predicted: dict[str, t.Any], done: dict[str, t.Any]) -> None:
    """What check mode said is what came."""
    assert done["failed"] is False, done["msg"]
    assert (predicted["actions"], predicted["diff"], predicted["changes"]) == (done["actions"], done["diff"], done["changes"])
    known = ("gpu", "partition", "index", "compute", "memory", "product", "xcds", "memory_bytes", "numa_node", "render_node")
    assert [[device[key] for key in known] for device in predicted["devices"]] == [
        [device[key] for key in known] for device in done["devices"]]


@pytest.mark.parametrize("rocm", GENERATIONS)
def test_spx_to_cpx_check_do_again(make: Make, rocm: str) -> None:
    node = make(rocm)
    predicted = node.ask("CPX", "NPS1", check=True)
    assert (node.modes(), node.log, predicted["changed"], predicted["as_wanted"]) == (["SPX/NPS1"] * 2, [], True, False)
    assert {one["result"] for one in predicted["gpus"]} == {"would_change"}
    done = node.ask("CPX", "NPS1")
    same(predicted, done)
    assert (node.modes(), node.log) == (["CPX/NPS1"] * 2, [])
    assert done["actions"] == ["set compute partition CPX on 2 GPUs (was SPX)"]
    assert [(one["before"], one["after"], one["result"]) for one in done["gpus"]] == [("SPX/NPS1", "CPX/NPS1", "applied")] * 2
    assert len(done["devices"]) == 16
    assert set(yaml.safe_load(gpu_partition.RETURN)) - set(done) == {"failure", "profile"}
    again = node.ask("CPX", "NPS1")
    assert (again["changed"], again["actions"], again["diff"], again["as_wanted"]) == (False, [], [], True)


@pytest.mark.parametrize("rocm", GENERATIONS)
def test_memory_and_back_to_one_gpu(make: Make, rocm: str) -> None:
    node = make(rocm)
    predicted = node.ask("CPX", "NPS4", check=True)
    same(predicted, node.ask("CPX", "NPS4"))
    assert (node.modes(), node.log) == (["CPX/NPS4"] * 2, BY_US[rocm])
    back = node.ask("SPX", "NPS1")
    assert (back["failed"], back["as_wanted"], node.modes()) == (False, True, ["SPX/NPS1"] * 2)
    assert [change["action"] for change in back["changes"]] == ["memory", *(["reload"] if BY_US[rocm] else [])]


def test_halves_of_memory(make: Make) -> None:
    node = make(product="mi355x")
    same(node.ask("DPX", "NPS2", check=True), done := node.ask("DPX", "NPS2"))
    assert node.modes() == ["DPX/NPS2"] * 2
    assert [(device["partition"], device["memory_domain"]) for device in done["devices"]] == [(0, 0), (1, 1)] * 2


def test_compute_after_memory_where_the_driver_chooses_another(make: Make) -> None:
    node = make()
    done = node.ask("QPX", "NPS4")
    assert (done["failed"], node.modes()) == (False, ["QPX/NPS4"] * 2)
    assert done["actions"] == ["set memory partition NPS4 on 2 GPUs (was NPS1)", "reload amdgpu",
                               "set compute partition QPX on 2 GPUs (was CPX)"]


def test_gpus_that_no_rule_names_keep_what_they_are(make: Make) -> None:
    node = make()
    rules = [{"gpus": [1], "compute": "CPX", "memory": "NPS1"}]
    done = node.ask(gpus=rules)
    assert (done["failed"], node.modes()) == (False, ["SPX/NPS1", "CPX/NPS1"])
    assert [one["bdf"] for one in done["gpus"]] == [B]


def test_a_profile_by_its_document(make: Make) -> None:
    node = make()
    document = {"version": "v1", "kind": "partition_profile", "name": "mine",
                "gpus": [{"gpus": [A], "compute": "DPX", "memory": "NPS1"}]}
    assert node.ask(profile="mine", profile_data={"path": "mine.yml", "data": document})["as_wanted"] is True
    assert node.modes() == ["DPX/NPS1", "SPX/NPS1"]


def test_what_is_exported_is_what_it_is(make: Make) -> None:
    node = make()
    node.ask(gpus=[{"gpus": [0], "compute": "CPX", "memory": "NPS1"}])
    document = node.ask(state="exported", name="as-found")["profile"]
    assert document["gpus"] == [{"gpus": [A], "compute": "CPX", "memory": "NPS1"},
                                {"gpus": [B], "compute": "SPX", "memory": "NPS1"}]
    asserted = node.ask(state="asserted", profile_data={"path": "as-found.yml", "data": document})
    assert (asserted["changed"], asserted["as_wanted"]) == (False, True)


def test_a_difference_is_no_failure_of_an_assertion(make: Make) -> None:
    node = make()
    said = node.ask("CPX", "NPS1", state="asserted")
    assert (said["failed"], said["changed"], said["actions"], said["diff"], said["as_wanted"]) == (False, False, [], [], False)
    assert [(one["after"], one["wanted"]) for one in said["gpus"]] == [("SPX/NPS1", "CPX/NPS1")] * 2


def test_without_a_reload_it_waits_for_a_reboot(make: Make) -> None:
    node = make()
    said = node.ask("CPX", "NPS4", reload_allowed=False)
    assert (said["failed"], said["changed"], said["as_wanted"], node.log) == (False, False, False, [])
    assert said["reboot_required"].startswith("memory partition NPS4 comes with a load of amdgpu")
    assert [one["reason"] for one in said["gpus"]] == [said["reboot_required"]] * 2
    assert node.modes() == ["SPX/NPS1"] * 2


HELD = (f"gpus {A}, {B}: are held by pid 4711 (agent, ollama.service); drain the node first, or list what may be stopped "
        "meanwhile in gpu_partition_stop_units: ollama.service")


def test_gpus_that_are_held_are_refused_with_names(make: Make) -> None:
    node = make()
    node.unit("ollama.service", pid=4711)
    assert node.ask("CPX", "NPS1", check=True)["notes"][-1] == f"would be refused now: {HELD}"
    said = node.ask("CPX", "NPS1")
    assert (said["failed"], said["msg"], node.modes(), node.log) == (True, HELD, ["SPX/NPS1"] * 2, [])


def test_listed_units_are_stopped_and_started_again(make: Make) -> None:
    node = make()
    node.unit("ollama.service", pid=4711)
    node.unit("idle.service", runs=False)
    done = node.ask("CPX", "NPS4", stop_units=["ollama", "idle.service", "slurmd.service"])
    assert (done["failed"], node.modes()) == (False, ["CPX/NPS4"] * 2)
    assert node.log == ["systemctl stop -- ollama.service", *RELOAD, "systemctl start --no-block -- ollama.service"]
    assert done["units"] == {"stopped": ["ollama.service"], "started": ["ollama.service"], "failed": {}}
    assert "there is no unit slurmd.service to stop" in done["notes"]
    assert not (node.root / "var/lib/instinct/partition-units.json").exists()


def test_a_reservation_that_would_not_fit_is_refused(make: Make) -> None:
    node = make()
    node.ask("CPX", "NPS1")
    said = node.ask("SPX", "NPS1", reservations=[{"tenant": "blue", "count": 4, "of": "device"}])
    assert said["msg"].startswith("reservation of blue: wants 4 devices, and the layout leaves 2")
    assert node.modes() == ["CPX/NPS1"] * 2


def test_the_journal_of_the_node_tells_it(make: Make) -> None:
    node = make()
    node.ask("CPX", "NPS1", actor="ann")
    text = (node.root / "var/lib/instinct/journal.jsonl").read_text()
    told = [{key: value for key, value in json.loads(line).items() if key != "when"} for line in text.splitlines()]
    change = {"who": "ann", "what": "partition", "from": "2 x SPX/NPS1", "to": "2 x CPX/NPS1"}
    assert told == [{**change, "result": "started"}, {**change, "result": "done"}]
