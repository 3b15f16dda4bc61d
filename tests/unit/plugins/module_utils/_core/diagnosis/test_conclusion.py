# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The answer for one node, from what was found, judged and not seen."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.conclusion import (
    Diagnosis,
    conclude,
    verdict_of,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.rank import Ranked
from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.unseen import Unseen
from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import NODE, Cause, Check, Finding
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk

ROOT, USER = lk.Look(os=lk.Os(root=True)), lk.Look(os=lk.Os(root=False))
LOG = Unseen("the kernel log", "permission denied", True)
HEALTH = Unseen("the health of the GPUs", "was not looked at", True)
CLOCK = Unseen("host: clock", "no")
LIBRARY = Check("library", NODE, "unknown", "", "there is none", Cause("c", "r"))


def finding(name: str, severity: str = "error", domain: str = "driver") -> Finding:
    return Finding(name, "fault", severity, domain, NODE, f"{name} is so", Cause("why", f"mend {name}", ("s",)), ("e",), first=1, origin="kmsg")


def ranked(name: str, severity: str = "error", *follow: Finding) -> Ranked:
    return Ranked(finding(name, severity), follow)


def told(*items: Ranked, unseen: tuple[Unseen, ...] = (), look: lk.Look = ROOT, blocked: bool = False,
         checks: tuple[Check, ...] = ()) -> Diagnosis:
    return conclude(items, checks, blocked, unseen, look, {"os": "x"})


SEE = "mend what keeps this from being read, then look again: "
CASES: dict[str, tuple[Diagnosis, str, str, str]] = {
    "nothing": (told(), "pass", "nothing is wrong", "nothing to do"),
    "information": (told(ranked("a", "info")), "pass", "nothing is wrong", "nothing to do"),
    "a warning": (told(ranked("a", "warning")), "warn", "a is so", "mend a"),
    "an error": (told(ranked("a")), "fail", "a is so", "mend a"),
    "critical": (told(ranked("a", "critical")), "fail", "a is so", "mend a"),
    "the worst is the root, whatever its place": (told(ranked("a", "warning"), ranked("b")), "fail", "b is so", "mend b"),
    "a grave one comes first": (told(ranked("a"), ranked("b", "critical")), "fail", "b is so", "mend b"),
    "what explains more comes first": (told(ranked("a"), ranked("b", "error", finding("c", "info"))), "fail", "b is so", "mend b"),
    "what happened comes before what may happen": (
        told(Ranked(dc.replace(finding("a"), kind="precondition")), ranked("b")), "fail", "b is so", "mend b"),
    "of equals the first is the root": (told(ranked("a"), ranked("b")), "fail", "a is so", "mend a"),
    "a consequence makes its root as bad": (told(ranked("a", "warning"), ranked("b", "info", finding("c"))), "fail", "b is so", "mend b"),
    "a part that does not matter was not seen": (told(unseen=(CLOCK,)), "pass", "nothing is wrong", "nothing to do"),
    "a part that matters was not seen": (
        told(unseen=(LOG, CLOCK)), "unknown", "nothing is known to be wrong, but the kernel log could not be read",
        SEE + "the kernel log: permission denied"),
    "a section was not looked at": (
        told(unseen=(LOG, HEALTH), look=lk.Look()), "unknown",
        "nothing is known to be wrong, but the kernel log, the health of the GPUs could not be read",
        SEE + "the kernel log: permission denied; the health of the GPUs was not looked at"),
    "not root": (
        told(unseen=(LOG,), look=USER), "unknown", "nothing is known to be wrong, but the kernel log could not be read",
        "look as root (become: true)"),
    "an error, and not all was seen": (told(ranked("a"), unseen=(LOG,), look=USER), "fail", "a is so", "mend a"),
    "a warning, and not all was seen": (told(ranked("a", "warning"), unseen=(LOG,), look=USER), "unknown", "a is so", "look as root (become: true)"),
    "the profile asks for more": (
        told(blocked=True, checks=(LIBRARY,)), "unknown", "nothing is known to be wrong, but library could not be read",
        SEE + "library: there is none"),
}  # fmt: skip


@pytest.mark.parametrize(("diagnosis", "verdict", "summary", "action"), CASES.values(), ids=CASES)
def test_conclude(diagnosis: Diagnosis, verdict: str, summary: str, action: str) -> None:
    assert (diagnosis.verdict, diagnosis.summary, diagnosis.next_action) == (verdict, summary, action)


@pytest.mark.parametrize(("severity", "domain", "verdict"), [
    ("info", "hardware", "pass"), ("warning", "hardware", "warn"), ("error", "hardware", "fail"), ("critical", "pcie", "fail"),
    ("error", "workload", "warn"), ("critical", "workload", "warn"), ("info", "workload", "pass"),
])  # fmt: skip
def test_work_that_fails_condemns_no_hardware(severity: str, domain: str, verdict: str) -> None:
    assert verdict_of(finding("a", severity, domain)) == verdict


def test_plain_data() -> None:
    good = Check("acs", "0000:05:00.0", "pass", "off", "off", Cause("c", "r"), "pcie")
    said = told(ranked("a", "error", finding("b", "warning")), unseen=(CLOCK,), checks=(LIBRARY, good)).to_dict()
    wanted: dict[str, t.Any] = {
        "version": "v1", "kind": "diagnosis", "verdict": "fail", "summary": "a is so", "next_action": "mend a", "seen": {"os": "x"},
        "root": {"id": "a", "kind": "fault", "severity": "error", "domain": "driver", "subject": "node", "summary": "a is so"},
        "findings": [{
            "id": "a", "kind": "fault", "severity": "error", "domain": "driver", "subject": "node", "summary": "a is so", "origin": "kmsg",
            "evidence": ["e"], "count": 1, "cause": "why", "remedy": "mend a", "sources": ["s"], "confidence": "documented",
            "consequences": [{"id": "b", "kind": "fault", "severity": "warning", "subject": "node", "summary": "b is so", "count": 1}],
        }],
        "checks": {"counts": {"pass": 1, "warn": 0, "unknown": 1, "fail": 0}, "open": [{
            "id": "library", "verdict": "unknown", "domain": "configuration", "wanted": "", "seen": "there is none", "subjects": ["node"]}]},
        "unknown": [{"what": "host: clock", "why": "no", "needed": False}],
    }  # fmt: skip
    assert json.loads(json.dumps(said)) == wanted
    assert told(ranked("a", "info")).to_dict()["root"] is None


def test_what_is_the_same_of_several_gpus_is_told_once() -> None:
    checks = tuple(Check("acs", bdf, verdict, "off", seen.format(bdf), Cause("c", "r"), "pcie") for bdf, verdict, seen in (
        ("0000:05:00.0", "warn", "on above {}"), ("0000:26:00.0", "warn", "on above {}"), ("0000:46:00.0", "warn", "on everywhere"),
        ("0000:65:00.0", "unknown", "on above {}")))
    assert [(item["seen"], item["verdict"], item["subjects"]) for item in told(checks=checks).to_dict()["checks"]["open"]] == [
        ("on above it", "warn", ["0000:05:00.0", "0000:26:00.0"]), ("on everywhere", "warn", ["0000:46:00.0"]),
        ("on above it", "unknown", ["0000:65:00.0"])]


def test_what_a_host_lacks_for_each_gpu_is_one_finding() -> None:
    def of(subject: str, kind: str) -> Ranked:
        return Ranked(dc.replace(finding("acs", "warning"), subject=subject, kind=kind), (finding(f"c-{subject}", "info"),))

    (one,) = told(of("a", "precondition"), of("b", "precondition")).ranked
    assert [(f.id, f.subject) for f in (one.finding, *one.consequences)] == [("acs", "a"), ("c-a", NODE), ("acs", "b"), ("c-b", NODE)]
    assert len(told(of("a", "health"), of("b", "health")).ranked) == 2
