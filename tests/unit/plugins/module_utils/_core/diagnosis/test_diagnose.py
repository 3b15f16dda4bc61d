# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a look to a diagnosis: faults of logs, the host, settings and health, together."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.conclusion import Diagnosis
from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.diagnose import (
    Knowledge,
    Options,
    diagnose,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.joints import Joint
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.catalogue import FaultCatalogue
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.profile import Profile
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.preconditions.view import Known
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import own

A, B = "0000:05:00.0", "0000:26:00.0"
WHY = {"cause": "c", "sources": ["s"], "confidence": "documented"}
FAULTS = {"version": "v1", "kind": "faults", "faults": [{
    "id": "probe-no-bar", "where": "kernel", "words": ["probe"], "patterns": [r"(?P<bdf>\S+): probe failed"],
    "title": "amdgpu finds no room for {bdf}", "severity": "error", "domain": "pcie", "subject": "gpu", "gate": "fail",
    "explains": ["gpu-driver"], "remedy": "make room", **WHY}]}
HOST = {"version": "v1", "kind": "preconditions", "host_profiles": [{"id": "bare_metal", "what": "x"}], "preconditions": [
    {"id": "gpu-driver", "title": "t", "check": "bound", "severity": "error", "domain": "driver", "gate": "none",
     "wanted": [{"values": {"drivers": ["amdgpu"]}}], "why": "w", "remedy": "bind it", "sources": ["s"], "confidence": "documented"},
    {"id": "clock-skew", "title": "t", "check": "skew", "severity": "warning", "domain": "configuration", "gate": "none",
     "wanted": [{"values": {"seconds": 60}}], "why": "w", "remedy": "set the clock", "sources": ["s"], "confidence": "documented"}]}
KNOBS = {"version": "v1", "kind": "knobs", "knobs": []}
LIMIT = {"verdict": "fail", "when": "above", "number": 0, "sources": ["s"], "confidence": "documented"}
RULE = {"domain": "hardware", "limits": [LIMIT], "remedy": "see", **WHY}
PROFILE = {
    "version": "v1", "kind": "health_profile", "id": "p", "title": "t", "unknown": "blocks", "settle_seconds": 0,
    "rate_minimum_seconds": 1, "rate_window_seconds": 1, "checks": {
        "driver-bound": {"title": "driven", **RULE}, "log-fail": {"title": "faults", **RULE},
        "ecc-uncorrectable": {"title": "errors", **RULE},
    },
}
DATA = Knowledge(
    FaultCatalogue.from_documents([{"path": "f", "data": FAULTS, "layer": 0}], {"gpu-driver"}), [{"path": "h", "data": HOST, "layer": 0}],
    [{"path": "k", "data": KNOBS, "layer": 0}], Profile.from_document(PROFILE), (Joint(("driver-bound",), ("gpu-driver",)),))
OPTIONS = Options(host_profiles=("bare_metal",), known=Known(skew_seconds=0.0, products=own().products))
GOOD = lk.Look(
    os=lk.Os(root=True), kernel=lk.Kernel(running="6.8.0"), driver=lk.Driver(loaded=True), log=lk.Log((lk.LogRead("kernel", "kmsg", 9),)),
    gpus=lk.Gpus(tuple(lk.Gpu(i, bdf, "74a1", driver="amdgpu") for i, bdf in enumerate((A, B)))),
    health=lk.Health(tuple(lk.GpuHealth(bdf, blocks={"umc": lk.BlockErrors(0, 0, 0)}) for bdf in (A, B)), "amdsmi"))
HIT = lk.Hit("probe-no-bar", "kernel", "kmsg", A, 1, 3, 3, {"bdf": A}, sample=(f"{A}: probe failed",))


def with_gpu(look: lk.Look, **fields: object) -> lk.Look:
    gpus = tuple(dc.replace(gpu, **fields) if gpu.bdf == A else gpu for gpu in look.gpus.gpus)
    return dc.replace(look, gpus=lk.Gpus(gpus))


def found(diagnosis: Diagnosis) -> dict[str, list[str]]:
    return {r.finding.id: [f.id for f in r.consequences] for r in diagnosis.ranked}


def test_what_a_display_card_logs_is_no_fault_of_a_node_with_instincts() -> None:
    logged = dc.replace(GOOD, log=dc.replace(GOOD.log, hits=(HIT,)))
    assert "probe-no-bar" in found(diagnose(logged, DATA, OPTIONS))
    display = with_gpu(logged, device_id="73a3", market_name="AMD Radeon PRO W6800")
    assert "probe-no-bar" not in found(diagnose(display, DATA, OPTIONS))


def test_what_all_say_about_one_gpu_is_one_root() -> None:
    sick = with_gpu(dc.replace(GOOD, log=dc.replace(GOOD.log, hits=(HIT,))), driver=None)
    diagnosis = diagnose(sick, DATA, OPTIONS)
    assert found(diagnosis) == {"probe-no-bar": ["driver-bound", "gpu-driver"]}
    assert (diagnosis.verdict, diagnosis.next_action) == ("fail", "make room")
    assert diagnosis.root.subject == A
    assert {c.id for c in diagnosis.checks if c.verdict == "fail"} == {"gpu-driver", "driver-bound"}


def test_without_a_log_the_host_is_the_root() -> None:
    sick = with_gpu(dc.replace(GOOD, log=lk.Log(unknown={"kernel": "no"})), driver=None)
    diagnosis = diagnose(sick, DATA, OPTIONS)
    assert (found(diagnosis), diagnosis.verdict) == ({"gpu-driver": ["driver-bound"]}, "fail")
    assert [item.what for item in diagnosis.unseen if item.needed] == ["the kernel log"]


def test_a_healthy_node_has_no_finding() -> None:
    diagnosis = diagnose(GOOD, DATA, OPTIONS)
    assert (diagnosis.verdict, diagnosis.ranked, diagnosis.next_action) == ("pass", (), "nothing to do")
    assert diagnosis.seen["gpus"] == "2 x MI300X"  # as the catalogue has it: nothing on the node says so


def test_health_that_cannot_be_told_is_unknown_where_the_profile_says_so() -> None:
    dumb = dc.replace(GOOD, health=lk.Health((lk.GpuHealth(A, unknown={"blocks": "library says no"}), GOOD.health.gpus[1])))
    assert diagnose(dumb, DATA, OPTIONS).verdict == "unknown"
    mild = dc.replace(DATA, profile=Profile.from_document({**PROFILE, "unknown": "tolerated"}))
    assert diagnose(dumb, mild, OPTIONS).verdict == "pass"


def test_the_clock_of_the_node() -> None:
    diagnosis = diagnose(GOOD, DATA, dc.replace(OPTIONS, known=Known(skew_seconds=-120.0)))
    assert (found(diagnosis), diagnosis.verdict) == ({"clock-skew": []}, "warn")


def test_a_product_that_the_catalogue_does_not_tell_stays_unknown() -> None:
    assert diagnose(with_gpu(GOOD, device_id="ffff"), DATA, OPTIONS).seen["gpus"] == "1 x 1002:ffff, 1 x MI300X"
    assert diagnose(with_gpu(GOOD, device_id="740c"), DATA, OPTIONS).seen["gpus"] == "1 x 1002:740c, 1 x MI300X"
    assert diagnose(with_gpu(GOOD, device_id="740c", market_name="AMD Instinct MI250X"), DATA, OPTIONS).seen["gpus"] == "1 x MI250X, 1 x MI300X"
    assert diagnose(with_gpu(GOOD, product="MI325X"), DATA, OPTIONS).seen["gpus"] == "1 x MI300X, 1 x MI325X"


def test_an_empty_look_is_unknown() -> None:
    diagnosis = diagnose(lk.Look(), DATA, OPTIONS)
    assert (diagnosis.verdict, diagnosis.ranked) == ("unknown", ())


def test_host_profiles_must_exist() -> None:
    with pytest.raises(FleetError, match="there is none called 'x'"):
        diagnose(GOOD, DATA, dc.replace(OPTIONS, host_profiles=("x",)))
