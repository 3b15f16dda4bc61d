# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From hits to findings: context, what gives way, whom it is about, in words."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.find import find
from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import Cause, Finding
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.log import Log
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Gpu, Gpus, Look
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import own
from ansible_collections.instinct.fleet.tests.unit.support.faults import (
    GPU,
    PEER,
    catalogue,
    fault,
    hit,
    logged,
    mark,
    node_hit,
)

WHY = Cause("A cause.", "Do something.", ("https://example.com/1",), "documented")
BOTH = Gpus((Gpu(0, GPU, "74a1"), Gpu(1, PEER, "74a1")))


def found(known, *hits, **sections):
    return [(f.id, f.subject, f.count) for f in find(logged(*hits, **sections), known)]


def test_a_finding_has_all_that_is_known():
    known = catalogue(
        fault("errors", patterns=[r"(?P<new_count>\d+) errors in (?P<block>\w+)"],
              title="{new_count} errors in {block}, in {count} lines of {bdf}",
              explains=["gpu-lost"], scope="node", echoes=True),
        fault("gpu-lost"))
    ours = hit("errors", first=3, last=9, count=2, groups={"new_count": "1", "block": "gfx"}, sums={"new_count": 4},
               sample=("3 errors in gfx", "1 errors in gfx"))
    assert find(logged(ours), known) == (Finding(
        "errors", "fault", "error", "driver", GPU, f"4 errors in gfx, in 2 lines of {GPU}", WHY,
        ("3 errors in gfx", "1 errors in gfx"), 2, 3, 9, ("gpu-lost", "errors"), "node", "kmsg"),)


def test_a_group_that_did_not_match_is_named_unknown():
    known = catalogue(fault(patterns=["gpu lost", r"gpu lost (?P<code>\d+)"], title="lost with error {code}"))
    assert find(logged(hit()), known)[0].summary == "lost with error unknown"


@pytest.mark.parametrize("look", [Look(), Look(log=Log())])
def test_no_log_no_finding(look):
    assert find(look, catalogue(fault())) == ()


RADEON = Gpu(1, PEER, "73a3", market_name="AMD Radeon PRO W6800")


@pytest.mark.parametrize(("gpus", "expected"), [
    ((Gpu(0, GPU, "74a1"), RADEON), [GPU]), ((RADEON,), [GPU, PEER]), ((), [GPU, PEER]),
    ((Gpu(0, GPU, "74a1"), Gpu(1, PEER, "74a1", market_name="AMD Radeon Graphics")), [GPU, PEER])])
def test_a_display_card_beside_instincts_says_nothing_of_the_node(gpus, expected):
    look = logged(hit(), hit(subject=PEER), gpus=Gpus(gpus))
    assert [f.subject for f in find(look, catalogue(fault()), own().products)] == expected


def test_a_fault_that_asks_whether_it_is_an_instinct_is_told_of_a_display_card():
    look = logged(hit(subject=PEER), gpus=Gpus((Gpu(0, GPU, "74a1"), RADEON)))
    assert len(find(look, catalogue(fault(when=[{"instinct": False}])), own().products)) == 1


def test_marks_and_strangers_are_no_findings():
    assert found(catalogue(marks=(mark("placed"),)), hit("placed"), hit("never-heard-of")) == []


def test_rules_of_context_rule_out():
    known = catalogue(fault(when=[{"not_seen": "placed"}, {"count_from": 2}]), marks=(mark("placed"),))
    assert found(known, hit(count=2)) == [("gpu-lost", GPU, 2)]
    assert found(known, hit(count=1)) == []
    assert found(known, hit(count=2), hit("placed")) == []
    assert found(known, hit(count=2), hit("placed", PEER)) == [("gpu-lost", GPU, 2)]


def test_what_is_about_the_node_is_held_against_every_gpu():
    known = catalogue(fault("link-bad", subject="node", when=[{"followed_by": "gpu-lost"}]), fault())
    port = hit("link-bad", "0000:01:00.0", first=1)
    assert found(known, port, hit(first=2)) == [("link-bad", "node", 1), ("gpu-lost", GPU, 1)]
    assert found(known, hit(first=0), port) == [("gpu-lost", GPU, 1)]


@pytest.mark.parametrize(("subject", "whose"), [("link", GPU), ("gpu", "node")])
def test_a_line_without_address_is_of_the_only_gpu_and_of_no_other_device(subject, whose):
    known = catalogue(fault(), marks=(mark("gpu-found"), mark("slot-up", subject=subject)))
    lines = (hit("gpu-found"), hit("slot-up", "0000:00:03.1", first=1), node_hit(first=2))
    assert found(known, *lines) == [("gpu-lost", whose, 1)]


def test_products_rule_out():
    known = catalogue(fault(products=["MI210"]))
    assert found(known, hit(), gpus=Gpus((Gpu(0, GPU, "740f", product="MI210"),))) == [("gpu-lost", GPU, 1)]
    assert found(known, hit(), gpus=BOTH) == []


def test_device_ids_of_products_are_known():
    known = catalogue(fault(when=[{"instinct": False}]))
    look = logged(hit(), gpus=Gpus((Gpu(0, GPU, "73df"),)))
    assert find(look, known) == ()
    assert len(find(look, known, own().products)) == 1


SPECIAL = catalogue(fault("special", supersedes=["middle"], when=[{"count_from": 1}]),
                    fault("middle", supersedes=["general"]), fault("general"))


@pytest.mark.parametrize(("hits", "expected"), [
    ((hit("special"), hit("middle"), hit("general")), [("special", GPU, 1)]),
    ((hit("special"), hit("general")), [("special", GPU, 1)]),
    ((hit("middle"), hit("general", PEER)), [("general", PEER, 1), ("middle", GPU, 1)]),
    ((hit("middle"), node_hit("general"), hit("special", PEER)), [("middle", GPU, 1), ("special", PEER, 1)]),
])
def test_the_general_gives_way_to_the_special(hits, expected):
    assert sorted(found(SPECIAL, *hits, gpus=BOTH)) == expected


def test_what_does_not_hold_supersedes_nothing():
    known = catalogue(fault("special", supersedes=["general"], when=[{"count_from": 9}]), fault("general"))
    assert found(known, hit("special"), hit("general")) == [("general", GPU, 1)]


PLACED = [
    ("the only GPU of the node", (node_hit(),), {"gpus": Gpus((Gpu(0, GPU, "74a1"),))}, [("gpu-lost", GPU, 1)]),
    ("the only one that the log names", (node_hit(first=1), hit("placed", PEER)), {}, [("gpu-lost", PEER, 1)]),
    ("the only one that it names, of several", (node_hit(first=1), hit("placed", PEER)), {"gpus": BOTH}, [("gpu-lost", PEER, 1)]),
    ("two that it names", (node_hit(first=1), hit("placed"), hit("placed", PEER)), {}, [("gpu-lost", "node", 1)]),
    ("one of the two is another device", (node_hit(first=1), hit("placed", "0000:99:00.0"), hit("placed", PEER)),
     {"gpus": BOTH}, [("gpu-lost", PEER, 1)]),
    ("a bridge is no GPU", (node_hit(first=1), hit("aer", PEER), hit("placed")), {}, [("aer", PEER, 1), ("gpu-lost", GPU, 1)]),
    ("added to those that name it", (node_hit(first=4), hit(first=2, count=3)), {}, [("gpu-lost", GPU, 4)]),
    ("not what is about the node", (node_hit("module"), hit("placed")), {}, [("module", "node", 1)]),
    ("not of another log", (node_hit("build", where="dkms"), hit("placed")), {}, [("build", "node", 1)]),
]


@pytest.mark.parametrize(("hits", "sections", "expected"), [case[1:] for case in PLACED], ids=[case[0] for case in PLACED])
def test_a_line_without_a_gpu_is_of_the_only_one(hits, sections, expected):
    known = catalogue(fault(), fault("aer", subject="link"), fault("module", subject="node"), fault("build", where="dkms"),
                      marks=(mark("placed"),))
    assert sorted(found(known, *hits, **sections)) == expected


def test_hits_of_one_log_are_one_finding():
    known = catalogue(fault(patterns=[r"gpu lost (?P<code>\d+) (?P<new_count>\d+)"], title="{code} {new_count}"))
    early = node_hit(first=2, last=5, count=2, groups={"code": "1"}, sums={"new_count": 1}, sample=("a", "b"))
    late = hit(first=4, last=8, groups={"code": "2"}, sums={"new_count": 2}, sample=("c", "d"))
    for order in ((early, late), (late, early)):
        (finding,) = find(logged(*order), known)
        assert (finding.count, finding.first, finding.last) == (3, 2, 8)
        assert (finding.summary, finding.evidence) == ("2 3", ("a", "d"))


def test_of_two_logs_that_tell_the_same_the_fuller_counts():
    known = catalogue(fault())
    ring, journal = hit(count=2), hit(count=5, first=40, origin="journal")
    assert found(known, ring, journal) == found(known, journal, ring) == [("gpu-lost", GPU, 5)]
    assert find(logged(hit(count=5), journal), known)[0].origin == "kmsg"


def test_findings_are_in_the_order_of_the_log():
    known = catalogue(fault("aaa"), fault("bbb"), fault("build", where="dkms"))
    hits = (hit("aaa", first=7), hit("bbb", first=3), node_hit("build", first=5, where="dkms"))
    assert [f.id for f in find(logged(*hits), known)] == ["build", "bbb", "aaa"]


PROCESS = {"domain": "workload", "subject": "process", "gate": "warn", "words": ["fault"],
           "patterns": [r"fault", r"fault of (?P<process>\S+) pid (?P<pid>\d+)"]}


@pytest.mark.parametrize(("ours", "subject"), [
    (hit("page-fault", groups={"pid": "4711", "process": "python3"}), "pid 4711 (python3)"),
    (hit("page-fault", groups={"pid": "4711"}), "pid 4711"),
    (hit("page-fault", groups={"process": "python3"}), "python3"),
    (hit("page-fault"), f"a process on {GPU}"),
    (node_hit("page-fault"), "a process"),
])
def test_a_fault_of_a_process_names_the_process(ours, subject):
    (finding,) = find(logged(ours), catalogue(fault("page-fault", **PROCESS)))
    assert (finding.subject, finding.domain) == (subject, "workload")


def test_each_process_on_a_gpu_is_a_finding_of_its_own():
    one, two, none = ({"groups": {"pid": pid}} if pid else {} for pid in ("4711", "4712", ""))
    known = catalogue(fault("page-fault", **PROCESS, when=[{"count_from": 2}]))
    assert found(known, hit("page-fault", count=3, **one), hit("page-fault", first=5, count=2, **two), hit("page-fault", first=9, **none)) == [
        ("page-fault", "pid 4711", 3), ("page-fault", "pid 4712", 2)]
    both = (hit("page-fault", count=2, **one), hit("page-fault", origin="journal", count=3, **one),
            hit("page-fault", origin="journal", first=4, count=2, **two))
    assert sorted(found(known, *both)) == [("page-fault", "pid 4711", 3), ("page-fault", "pid 4712", 2)]


@pytest.mark.parametrize(("before", "first"), [
    ((), 300), ((hit("hang", first=290),), 290), ((hit("hang", first=5, last=150),), 150), ((hit("hang", first=99),), 300),
    ((hit("hang", first=100), hit("stuck", first=200)), 100), ((hit("hang", PEER, 290),), 300), ((hit("hang", first=300),), 300),
    ((hit("hang", first=290, origin="journal"),), 300), ((hit("placed", first=290),), 300)])
def test_an_event_begins_with_what_led_to_it(before, first):
    known = catalogue(fault("reset", together=200, begins_with=["hang", "stuck"]), fault("hang", when=[{"count_from": 9}]),
                      marks=(mark("stuck"), mark("placed")))
    (finding,) = find(logged(hit("reset", first=300, last=400), *before), known)
    assert (finding.first, finding.last, finding.together, finding.explains) == (first, 400, 200, ("reset",))


def test_what_follows_is_kept_when_hits_are_taken_together():
    known = catalogue(fault(when=[{"followed_by": "trace", "within": 60}]), marks=(mark("trace"),))
    near, far = node_hit(first=2, followed={"trace": 9, "other": 3}), hit(first=70, followed={"trace": 400})
    for order in ((near, far), (far, near)):
        assert found(known, *order, hit("trace", first=470)) == [("gpu-lost", GPU, 2)]
    assert found(known, far, hit("trace", first=470)) == []


def test_one_process_on_several_gpus_is_one_finding():
    said = {"groups": {"pid": "4711"}}
    known = catalogue(fault("page-fault", **PROCESS))
    assert found(known, hit("page-fault", **said), hit("page-fault", PEER, 5, **said)) == [("page-fault", "pid 4711", 2)]


def test_other_subjects():
    known = catalogue(
        fault("config", where="packages", subject="package", patterns=[r"config of (?P<package>\S+)"], words=["config"]),
        fault("build", where="dkms", subject="kernel", patterns=[r"build for (?P<kernel>\S+)"], words=["build"]),
        fault("module", subject="node"), fault("aer", subject="link"))
    hits = (node_hit("config", where="packages", groups={"package": "amdgpu-dkms"}),
            node_hit("build", where="dkms", groups={"kernel": "6.8.0-44-generic"}), hit("module"), hit("module", PEER),
            hit("aer"))
    assert sorted(found(known, *hits)) == [
        ("aer", GPU, 1), ("build", "6.8.0-44-generic", 1), ("config", "amdgpu-dkms", 1), ("module", "node", 2)]
    assert found(known, node_hit("build", where="dkms")) == [("build", "node", 1)]
