# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One gate: it waits, judges by what the log tells, remembers, and writes nothing when it must not."""

from __future__ import annotations

import dataclasses as dc
import json
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.catalogue import FaultCatalogue
from ansible_collections.instinct.fleet.plugins.module_utils._core.health import baseline, quarantine
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.actives import Ran
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.log import Hit, LogRead
from ansible_collections.instinct.fleet.plugins.module_utils._gate import gate
from ansible_collections.instinct.fleet.plugins.plugin_utils.diagnosis_files import read
from ansible_collections.instinct.fleet.plugins.plugin_utils.node_data import products
from ansible_collections.instinct.fleet.tests.unit.support.gates import keep_in, lost, show
from ansible_collections.instinct.fleet.tests.unit.support.healthy import A, B, gpu, health, look, profile

NO_FAULTS = FaultCatalogue({}, {})
BAD = look(healths=(health(A, blocks={"umc": lk.BlockErrors(0, 1, 0)}), health(B)))
GATE = quarantine.Quarantine("gate", "timer", "failed", "then", ("x",))


def asked(name: str = "admission", **changes: object) -> gate.Request:
    return gate.Request(profile(name), NO_FAULTS, "alice", **changes)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".gate.lock")


def test_it_looks_again_until_it_passes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shown = show(monkeypatch, BAD, BAD, look())
    answer = gate.run(asked(wait=30, interval=0), keep_in(monkeypatch, tmp_path))
    assert (answer.judgement.verdict, len(shown.asked)) == ("pass", 3)
    assert 0.2 <= answer.waited < 30 and "health" in shown.asked[0] and "packages" not in shown.asked[0]


def test_it_ends_with_the_last_verdict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shown = show(monkeypatch, BAD)
    assert gate.run(asked(wait=0), keep_in(monkeypatch, tmp_path)).judgement.verdict == "fail"
    assert len(shown.asked) == 1


def test_it_remembers_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    state = keep_in(monkeypatch, tmp_path)
    show(monkeypatch, look())
    assert gate.run(asked(), state, check_mode=True).actions == ("record admission: pass", "take a baseline")
    assert files(tmp_path) == []
    assert gate.run(asked(), state).actions == ("record admission: pass", "take a baseline")
    assert gate.run(asked(), state).actions == ()
    assert files(tmp_path) == ["baseline.json", "health.json", "health.jsonl"]
    show(monkeypatch, dc.replace(look(), kernel=lk.Kernel(boot_id="boot-2")))
    assert gate.run(asked(), state).actions == ("the baseline begins anew: the node was restarted",)
    assert gate.run(asked(), state).actions == ()
    assert gate.run(asked(baseline=gate.TAKE), state).actions == ("take a baseline",)


def test_it_writes_nothing_when_it_must_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    show(monkeypatch, BAD)
    answer = gate.run(asked(record=False, quarantine=True), keep_in(monkeypatch, tmp_path))
    assert (answer.judgement.verdict, answer.actions, files(tmp_path)) == ("fail", (), [])


def test_it_does_without_a_baseline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    show(monkeypatch, look())
    answer = gate.run(asked(baseline=gate.NONE), keep_in(monkeypatch, tmp_path))
    assert answer.actions == ("record admission: pass",) and answer.to_dict()["baseline"] == {"taken": None, "notes": []}


def test_counters_are_held_against_the_baseline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    state = keep_in(monkeypatch, tmp_path)
    show(monkeypatch, BAD)
    assert gate.run(asked("running"), state).judgement.verdict == "pass"  # the error was there when counting began
    worse = look(healths=(health(A, blocks={"umc": lk.BlockErrors(0, 2, 0)}), health(B)))
    show(monkeypatch, worse)
    assert gate.run(asked("running"), state).judgement.verdict == "fail"


def test_quarantine_comes_and_goes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    state = keep_in(monkeypatch, tmp_path)
    show(monkeypatch, BAD)
    answer = gate.run(asked(quarantine=True), state)
    assert answer.actions[0] == f"set the node aside: failed admission: ecc-uncorrectable of {A}, umc: 1 errors"
    assert answer.judgement.checks[0].id == "quarantine" and state.read_quarantine().actor == "alice"
    show(monkeypatch, look())
    held = gate.run(asked("running"), state)
    assert (held.judgement.verdict, held.judgement.checks[0].id, held.quarantine.by) == ("fail", "quarantine", "gate")
    assert gate.run(asked(record=False), state).judgement.verdict == "fail"
    answer = gate.run(asked(), state)
    assert (answer.judgement.verdict, answer.actions[0], answer.quarantine) == ("pass", "lift the quarantine that a gate set", None)
    assert state.read_quarantine() is None


def test_a_torn_quarantine_is_no_verdict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    state = keep_in(monkeypatch, tmp_path)
    Path(state.quarantine).write_text("{", encoding="utf-8")
    shown = show(monkeypatch, look())
    with pytest.raises(gate.bl.DataError, match="is not JSON"):
        gate.run(asked(), state)
    assert shown.asked == []  # said before anything is looked at


def test_tools_are_run_when_asked_for_and_never_in_check_mode(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ran: list[str] = []

    def run_all(actives: tuple[gate.Active, ...]) -> tuple[tuple[gate.Active, Ran], ...]:
        ran.extend(active.tool for active in actives)
        return tuple((active, Ran(7, "", "broken")) for active in actives)

    monkeypatch.setattr(gate, "run_all", run_all)
    show(monkeypatch, look())
    state = keep_in(monkeypatch, tmp_path)
    assert gate.run(asked("burn_in"), state).judgement.verdict == "pass" and ran == []
    assert gate.run(asked("burn_in", active=True), state, check_mode=True).judgement.verdict == "pass" and ran == []
    answer = gate.run(asked("burn_in", active=True), state)
    assert (answer.judgement.verdict, ran) == ("fail", ["amdgpuhealth", "rvs", "rocm_bandwidth_test", "transferbench"])


def test_the_log_counts_by_the_gate_of_its_faults() -> None:
    faults = read().faults
    plain = (fault for fault in faults.faults.values() if not fault.when and not fault.products and fault.where == "kernel")
    ident = next(fault.id for fault in plain if (fault.subject, fault.gate) == ("gpu", "fail"))
    hit = Hit(ident, "kernel", "kmsg", A, 2, 10, 11, {"bdf": A}, sample=("x",))
    seen = look(log=lk.Log((LogRead("kernel", "kmsg", 99, True),), (hit,)))
    found = gate.judged(seen, profile(), faults)
    assert (found.verdict, found.checks[0].id, found.checks[0].subject) == ("fail", "log-fail", A)


@pytest.mark.parametrize(("device_id", "name", "verdict"), [
    ("74a1", None, "fail"), ("73a3", "AMD Radeon PRO W6800", "pass"), ("74a1", "AMD Radeon Graphics", "fail")])
def test_what_a_display_card_logs_keeps_no_node_from_work(
        monkeypatch: pytest.MonkeyPatch, tmp_path: Path, device_id: str, name: str | None, verdict: str) -> None:
    both = (gpu(), gpu(B, 1, device_id=device_id, product=None, market_name=name))
    show(monkeypatch, look(both, log=lost(B)))
    request = dc.replace(asked(products=products()), faults=read().faults)
    assert gate.run(request, keep_in(monkeypatch, tmp_path)).judgement.verdict == verdict
    show(monkeypatch, look(both, log=lost(A)))
    assert gate.run(request, keep_in(monkeypatch, tmp_path)).judgement.verdict == "fail"


def test_a_gpu_that_nothing_names_is_held_to_the_limits_of_its_product() -> None:
    judgement = gate.judged(look((gpu(product=None), gpu(B, 1, product=None))), profile(), NO_FAULTS, products=products())
    assert "2 x MI300X" in next(check.seen for check in judgement.checks if check.id == "gpu-count")


def test_plain_data_is_json(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    show(monkeypatch, BAD)
    plain = json.loads(json.dumps(gate.run(asked(), keep_in(monkeypatch, tmp_path)).to_dict()))
    assert (plain["verdict"], plain["exit_code"], plain["evidence"]) == ("fail", 1, [f"ecc-uncorrectable of {A}: umc: 1 errors"])
    assert plain["next_action"].startswith("reset the GPU") and plain["gpus"] == {A: "fail", B: "pass"}
    assert set(plain["checks"][0]) == {"id", "subject", "verdict", "wanted", "seen", "why", "domain"}
    assert isinstance(plain["baseline"]["taken"], float) and baseline.KIND == "health_baseline"
