# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a gate makes of what could not be read, of what was declared, and of logs."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import Cause, Finding
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.judge import (
    judge,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.sample import Wanted
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.host import RdmaPort
from ansible_collections.instinct.fleet.tests.unit.support.healthy import (
    A,
    B,
    check,
    gpu,
    health,
    judged,
    look,
    notable,
    profile,
)


@pytest.mark.parametrize(("section", "ident", "subject", "words"), [
    ("health", "pages-pending", A, "section health was not looked at"),
    ("health", "ecc-uncorrectable", A, "section health was not looked at"),
    ("health", "xgmi-errors", A, "section health was not looked at"),
    ("health", "pages-retired", A, "section health was not looked at"),
    ("health", "ras-enabled", A, "section health was not looked at"),
    ("health", "cper-fatal", A, "section health was not looked at"),
    ("health", "temperature-edge", A, "section health was not looked at"),
    ("health", "temperature-gradient", A, "the memory tells no temperature"),
    ("health", "throttle-thermal", A, "section health was not looked at"),
    ("health", "throttle-power", A, "section health was not looked at"),
    ("health", "power-draw", A, "section health was not looked at"),
    ("health", "power-cap", A, "section health was not looked at"),
    ("health", "clock-stuck", A, "section health was not looked at"),
    ("health", "memory-held", A, "section health was not looked at"),
    ("health", "xgmi-links", A, "section health was not looked at"),
    ("health", "processes-unlisted", "node", "section health was not looked at"),
    ("processes", "memory-held", A, "283 MiB in use, and by whom is not known: section processes was not looked at"),
    ("processes", "processes-gone", "node", "section processes was not looked at"),
    ("processes", "processes-unlisted", "node", "section processes was not looked at"),
    ("host", "pcie-aer", A, "section host was not looked at"),
    ("host", "rdma-links", "node", "section host was not looked at"),
    ("smi", "library", "node", "section smi was not looked at"),
    ("firmware", "firmware-agreement", A, "section firmware was not looked at"),
    ("log", "log-fail", A, "section log was not looked at"),
    ("gpus", "gpu-count", "node", "section gpus was not looked at"),
])
def test_judge_says_unknown_for_a_section_that_is_not_there(section: str, ident: str, subject: str, words: str) -> None:
    found = check(judged(dc.replace(look(), **{section: None})), ident, subject)
    assert (found.verdict, found.seen) == ("unknown", words)


def test_judge_says_which_gpus_could_not_be_counted() -> None:
    found = judged(dc.replace(look(), gpus=lk.Gpus((), {"gpus": "/sys is not mounted"})))
    assert (found.verdict, check(found, "gpu-count", "node").seen) == ("unknown", "/sys is not mounted")


@pytest.mark.parametrize(("rdma", "unknown", "words"), [
    ((), {}, "there is no RDMA device"),
    ((), {"rdma": "no permission"}, "no permission"),
    ((RdmaPort("mlx5_0", 1),), {}, "mlx5_0/1 does not tell its state"),
])
def test_judge_of_a_network_that_is_silent(rdma: tuple[RdmaPort, ...], unknown: dict[str, str], words: str) -> None:
    found = judged(look(host=dc.replace(look().host, rdma=rdma, unknown=unknown)))
    assert (found.verdict, check(found, "rdma-links", "node").seen) == ("pass", words)


@pytest.mark.parametrize(("pids", "unknown", "words"), [
    (None, {}, "the library lists no processes"), (None, {"pids": "error 2"}, "error 2")])
def test_judge_of_a_library_that_lists_nobody(pids: None, unknown: dict[str, str], words: str) -> None:
    found = judged(look(health=lk.Health((health(A), health(B)), pids=pids, unknown=unknown)))
    assert check(found, "processes-unlisted", "node").seen == words


def test_judge_cannot_see_processes_from_inside_a_container() -> None:
    inside = look(os=lk.Os(virtualization="container"), processes=lk.Processes((lk.Process(1, None, vram_bytes=0),)))
    assert check(judged(inside), "processes-gone", "node").seen == "processes outside of this container cannot be seen"


@pytest.mark.parametrize(("wanted", "compute", "unknown", "verdict_", "words"), [
    ("SPX", "SPX", {}, "pass", "SPX, declared SPX"),
    ("CPX", "SPX", {}, "fail", "SPX, declared CPX"),
    ("CPX", None, {}, "fail", "none, declared CPX"),
    ("CPX", None, {f"{A}.compute_partition": "error 10"}, "unknown", "error 10"),
])
def test_judge_of_partitions(wanted: str, compute: str | None, unknown: dict[str, str], verdict_: str, words: str) -> None:
    seen = dc.replace(look(), gpus=lk.Gpus((gpu(compute_partition=compute), gpu(B, 1, compute_partition=wanted)), unknown))
    found = judged(seen, wanted=Wanted(compute_partition=wanted))
    assert (found.verdict, check(found, "partition-compute").seen) == (verdict_, words)


@pytest.mark.parametrize(("declared", "text", "wanted", "verdict_"), [
    (4, '{"gpus": 2}', "at least 4 GPUs", "fail"),
    (None, '{"gpus": true}', "at least 8 GPUs", "fail"),
    (None, "[]", "at least 8 GPUs", "fail"),
    (None, '{"gpus"', "at least 8 GPUs", "fail"),
])
def test_judge_holds_the_number_of_gpus_against_what_is_best_known(
    declared: int | None, text: str, wanted: str, verdict_: str,
) -> None:
    record = lk.ManagedFile("/var/lib/instinct/release.json", "0" * 64, text=text)
    found = judged(look(files=lk.Files((record,))), wanted=Wanted(gpus=declared))
    assert (found.verdict, check(found, "gpu-count", "node").wanted) == (verdict_, wanted)


def fault(ident: str, subject: str, domain: str = "hardware") -> Finding:
    return Finding(ident, "fault", "error", domain, subject, f"summary of {ident}", Cause("c", "r", ("s",)), count=3)


def test_judge_takes_faults_of_the_log_by_their_gate() -> None:
    faults = ((fault("ras-ue", A), "fail"), (fault("gpu-throttled", B), "warn"), (fault("page-fault", A, "workload"), "fail"),
              (fault("noise", A), "none"), (fault("probe", "0000:99:00.0", "driver"), "fail"))
    found = judged(look(), faults=faults)
    assert sorted(notable(found)) == [("log-fail", A, "fail"), ("log-fail", "node", "fail"), ("log-warn", B, "warn")]
    assert found.gpus == {A: "fail", B: "warn"}
    named = check(found, "log-fail", "node")
    assert (named.seen, named.domain, named.why) == ("summary of probe (probe, 3 times)", "driver", Cause("c", "r", ("s",)))


def test_judge_does_not_call_a_log_clean_that_nobody_could_read() -> None:
    unread = look(log=lk.Log(unknown={"kernel": "needs root"}))
    found = judged(unread, faults=((fault("ras-ue", A), "fail"),))
    assert (check(found, "log-fail", B).verdict, check(found, "log-fail", B).seen) == ("unknown", "needs root")
    assert check(found, "log-fail", A).verdict == "fail"


def test_judge_knows_no_limit_for_an_unknown_product() -> None:
    only = dc.replace(profile(), rules=tuple(
        dc.replace(rule, limits=tuple(dc.replace(limit, products=("MI210",)) for limit in rule.limits))
        for rule in profile().rules if rule.id == "pcie-width"))
    found = judge(look(), only)
    assert (found.verdict, check(found, "pcie-width").seen) == ("unknown", "x16; the profile has no limit for MI300X")


def test_judge_without_checks_is_unknown() -> None:
    assert judge(look(), dc.replace(profile(), rules=())).verdict == "unknown"


def test_judge_of_mixed_products_uses_what_holds_for_all() -> None:
    mixed = look((gpu(A), gpu(B, 1, product="MI210")), files=None)
    assert check(judged(mixed), "gpu-count", "node").wanted == "at least 1 GPUs"
