# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Known lines are counted by subject, in bounded memory."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.faults import scan as scanning
from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.scan import MOST_HITS, Scan, address
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.klog import KernelLine
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.log import Hit, LogRead

PATTERNS = (
    {"id": "probe", "where": "kernel", "words": ["probe"], "patterns": [
        r"amdgpu: probe of (?P<bdf>[0-9a-f:.]+) failed with error (?P<code>-\d+)",
        r"probe with driver amdgpu failed with error (?P<code>-\d+)"]},
    {"id": "errors", "where": "kernel", "words": ["hardware error"], "patterns": [
        r"(?P<new_count>\d+) new correctable hardware errors? detected in (?P<block>\w+) block"]},
    {"id": "reset", "where": "kernel", "words": ["gpu reset", "recovery"], "patterns": [r"GPU (?:reset|recovery) begin"]},
    {"id": "reset-at-all", "where": "kernel", "words": ["reset"], "patterns": [r"(?i)reset"]},
    {"id": "build", "where": "dkms", "words": ["bad return"], "patterns": [r"Bad return status"]},
)


def scan(lines, where="kernel", boots="this", patterns=PATTERNS):
    found = Scan(patterns, where, "kmsg", boots)
    for line in lines:
        found.feed(line)
    return found


def brief(lines, **options):
    return [(hit.id, hit.subject, hit.count) for hit in scan(lines, **options).result()[1]]


def test_a_hit_says_what_and_where():
    lines = [KernelLine("nothing known", "1.0", 0, 1, 1.0),
             KernelLine("amdgpu: probe of 0000:83:00.0 failed with error -12", "9.2", 0, 1, 9.2),
             KernelLine("amdgpu 0000:83:00.0: amdgpu: probe with driver amdgpu failed with error -22", "9.5", 0, 1, 9.5)]
    read, hits = scan(lines).result()
    assert read == LogRead("kernel", "kmsg", 3, False, 1)
    assert hits == (Hit(
        "probe", "kernel", "kmsg", "0000:83:00.0", 2, 1, 2, {"bdf": "0000:83:00.0", "code": "-22"}, {},
        ("amdgpu: probe of 0000:83:00.0 failed with error -12",
         "amdgpu 0000:83:00.0: amdgpu: probe with driver amdgpu failed with error -22"), "9.2", "9.5"),)


SUBJECTS = [
    ("amdgpu: probe of 0000:83:00.0 failed with error -12", "0000:83:00.0"),
    ("amdgpu: probe of 83:00.0 failed with error -12", "0000:83:00.0"),
    ("amdgpu: probe of 0:b7:0:0 failed with error -12", "0000:b7:00.0"),
    ("amdgpu: probe of ... failed with error -12", "node"),
    ("amdgpu 0000:3D:00.0: probe with driver amdgpu failed with error -12", "0000:3d:00.0"),
    ("0000:3d:00.0: probe with driver amdgpu failed with error -12", "0000:3d:00.0"),
    ("amdgpu 10000:e1:00.0: probe with driver amdgpu failed with error -12", "10000:e1:00.0"),
    ("pcieport 0000:00:03.1: xx 0000:3d:00.0 probe with driver amdgpu failed with error -12", "0000:00:03.1"),
    ("somewhere: probe with driver amdgpu failed with error -12", "node"),
    ("here is 0000:3d:00.0: probe with driver amdgpu failed with error -12", "node"),
]


@pytest.mark.parametrize(("line", "subject"), SUBJECTS)
def test_what_a_line_is_about(line, subject):
    assert brief([line]) == [("probe", subject, 1)]


@pytest.mark.parametrize(("text", "expected"), [
    ("0000:05:00.0", "0000:05:00.0"), ("05:00.1", "0000:05:00.1"), ("C7E9:00:00.0", "c7e9:00:00.0"),
    ("0:b7:0:0", "0000:b7:00.0"), ("", None), ("05:00", None), ("0000:05:00.8", None), ("0000:05:00.0.", "0000:05:00.0"),
])
def test_addresses_of_any_form(text, expected):
    assert address(text) == expected


def test_one_line_may_meet_several():
    assert brief(["amdgpu 0000:05:00.0: amdgpu: GPU reset begin!"]) == [
        ("reset", "0000:05:00.0", 1), ("reset-at-all", "0000:05:00.0", 1)]


def test_a_word_that_begins_another_finds_both():
    patterns = [{"id": "long", "where": "kernel", "words": ["gpu reset"], "patterns": ["GPU reset"]},
                {"id": "short", "where": "kernel", "words": ["gpu"], "patterns": ["GPU"]}]
    assert brief(["GPU reset", "GPU", "reset"], patterns=patterns) == [("long", "node", 1), ("short", "node", 2)]


def test_a_word_is_not_enough():
    assert brief(["the probe is fine", "gpu resetting", "PROBE OF x"]) == [("reset-at-all", "node", 1)]


def test_repeated_lines_and_new_errors_add_up():
    line = "amdgpu 0000:3d:00.0: {1}socket: 0, die: 3, %d new correctable hardware errors detected in %s block"
    (hit,) = scan([KernelLine(line % (3, "gfx")), KernelLine(line % (2, "umc"), times=4)]).result()[1]
    assert (hit.count, hit.sums, hit.groups) == (5, {"new_count": 11}, {"new_count": "2", "block": "umc"})


def test_a_number_too_large_is_no_number():
    patterns = [{"id": "n", "where": "kernel", "words": ["new"], "patterns": [r"(?P<new_count>\S+) new"]}]
    lines = ["9" * 190 + " new"] * 3 + ["٣ new", "x new", KernelLine("9" * 15 + " new", times=10**9)]
    (hit,) = scan(lines, patterns=patterns).result()[1]
    assert hit.sums == {"new_count": 10**15}


def test_only_lines_of_the_kernel_count_in_its_log():
    lines = [KernelLine("GPU reset begin", source=source) for source in ("", "kernel", "python3", "other")]
    assert brief(lines)[0] == ("reset", "node", 2)
    build = [KernelLine("Bad return status", source="dkms")]
    assert brief(build, where="dkms") == [("build", "node", 1)]


def test_a_log_of_another_kind_has_other_lines():
    assert brief(["GPU reset begin", "Bad return status"], where="dkms") == [("build", "node", 1)]
    assert brief(["GPU reset begin"], where="tool") == []


BOOTS = [KernelLine("GPU reset begin", boot=0, seconds=0.5), KernelLine("x", boot=1, seconds=0.0),
         KernelLine("GPU reset begin", boot=1, seconds=5.0), KernelLine("GPU reset begin", boot=1, seconds=6.0)]


def test_only_the_last_boot_counts():
    read, hits = scan(BOOTS).result()
    assert read == LogRead("kernel", "kmsg", 4, True, 2)
    assert [(hit.id, hit.count, hit.first, hit.last) for hit in hits] == [("reset", 2, 2, 3), ("reset-at-all", 2, 2, 3)]


def test_all_boots_count_if_asked_for():
    read, hits = scan(BOOTS, boots="all").result()
    assert read.boots == 2
    assert [(hit.id, hit.count, hit.first) for hit in hits] == [("reset", 3, 0), ("reset-at-all", 3, 0)]


COMPLETE = [
    ([KernelLine("x", seconds=0.2)], True),
    ([KernelLine("x", seconds=9.2)], False),
    ([KernelLine("x")], None),
    ([KernelLine("x"), KernelLine("y", boot=1)], True),
    ([KernelLine("x", seconds=0.0), KernelLine("y", boot=1, seconds=77.0)], False),
    ([], None),
]


@pytest.mark.parametrize(("lines", "complete"), COMPLETE)
def test_whether_a_boot_is_there_from_its_start(lines, complete):
    assert scan(lines).result()[0].complete is complete


def test_a_log_that_is_not_the_kernels_has_no_boots():
    assert scan([KernelLine("x", seconds=0.1)], where="dkms").result()[0] == LogRead("dkms", "kmsg", 1)


def test_an_empty_log_has_none():
    assert scan([]).result() == (LogRead("kernel", "kmsg", 0), ())


def test_nothing_is_looked_for():
    assert scan(["GPU reset begin"], patterns=[]).result()[1] == ()


def test_memory_is_bounded():
    lines = [KernelLine(f"amdgpu: probe of 0000:{bus:02x}:{device:02x}.0 failed with error -12 " + "x" * 60000, times=2)
             for bus in range(64) for device in range(32)]
    found = scan(lines)
    hits = found.result()[1]
    assert len(hits) == MOST_HITS == 1000
    assert found.dropped == 2 * (64 * 32 - MOST_HITS)
    assert found.note == "2096 further lines matched: only the first 1000 different ones are kept"
    assert all(len(text) <= 300 for hit in hits for text in hit.sample)
    # What is kept is still counted.
    found.feed("amdgpu: probe of 0000:00:00.0 failed with error -12")
    assert found.result()[1][0].count == 3


def test_what_was_dropped_of_an_earlier_boot_does_not_matter(monkeypatch):
    monkeypatch.setattr(scanning, "MOST_HITS", 1)
    found = scan(["amdgpu: probe of 01:00.0 failed with error -12", "amdgpu: probe of 02:00.0 failed with error -12"])
    assert found.dropped == 1
    found.feed(KernelLine("x", boot=1))
    assert (found.dropped, found.note) == (0, None)


def test_a_line_is_cut_before_it_is_matched():
    assert brief(["x" * 1994 + " GPU reset begin"]) == []
    assert brief(["x" * 1900 + " GPU reset begin"])[0] == ("reset", "node", 1)


def test_values_are_cut():
    patterns = [{"id": "n", "where": "kernel", "words": ["name"], "patterns": [r"name (?P<process>.*)"]}]
    (hit,) = scan(["name " + "y" * 900], patterns=patterns).result()[1]
    assert hit.groups == {"process": "y" * 200}


FAULTS = ({"id": "fault", "where": "kernel", "words": ["fault", "process"], "keep": ["pid", "process"], "patterns": [
    r"page fault", r"for process (?P<process>\w+)(?: pid (?P<pid>\d+))?", r"killed process (?P<pid>\d+)"]},)
_FAULT, _BY = "amdgpu 0000:05:00.0: page fault", "amdgpu 0000:05:00.0: for process %s pid %d"


def names(lines, patterns=FAULTS):
    return [(hit.groups.get("pid", hit.groups.get("process")), hit.count, hit.first, hit.last)
            for hit in scan(lines, patterns=patterns).result()[1]]


NAMES = [
    ([_BY % ("a", 1), _BY % ("b", 2), _BY % ("a", 1)], [("1", 2, 0, 2), ("2", 1, 1, 1)]),
    ([_FAULT, _BY % ("a", 1), _FAULT, _BY % ("b", 2)], [("1", 2, 0, 1), ("2", 2, 2, 3)]),
    ([_BY % ("a", 1), _FAULT, _FAULT, _BY % ("a", 1)], [("1", 4, 0, 3)]),
    ([_FAULT, _FAULT], [(None, 2, 0, 1)]),
    ([_FAULT, *["x"] * 50, _BY % ("a", 1)], [(None, 1, 0, 0), ("1", 1, 51, 51)]),
    ([_FAULT, *["x"] * 49, _BY % ("a", 1)], [("1", 2, 0, 50)]),
    ([_FAULT, *["x"] * 50, _FAULT, _BY % ("a", 1), _FAULT], [(None, 2, 0, 53), ("1", 2, 51, 52)]),
    ([_FAULT, "amdgpu 0000:15:00.0: for process b pid 2", _BY % ("a", 1)], [("1", 2, 0, 2), ("2", 1, 1, 1)]),
    (["for process a", "for process a pid 1", "killed process 1"], [("a", 1, 0, 0), ("1", 2, 1, 2)]),
]


@pytest.mark.parametrize(("lines", "expected"), NAMES)
def test_each_process_is_a_hit_of_its_own(lines, expected):
    assert names(lines) == expected


def test_what_names_nobody_tells_of_all_its_lines_at_any_time():
    found = scan([_FAULT, *["x"] * 50, _FAULT], patterns=FAULTS)
    for count in (2, 3):
        (hit,) = found.result()[1]
        assert (hit.count, hit.first) == (count, 0)
        found.feed(_FAULT)


def test_processes_are_bounded_and_leave_room_for_others(monkeypatch):
    lines = [_BY % ("a", pid) for pid in range(3000)]
    hits = names(lines)
    assert (len(hits), hits[-1], hits[0]) == (51, (None, 2950, 50, 2999), ("0", 1, 0, 0))
    assert names([*lines, _FAULT, _BY % ("a", 0)])[0] == ("0", 3, 0, 3001)
    monkeypatch.setattr(scanning, "MOST_HITS", 1)
    for both in ([_FAULT, _FAULT.replace(":05:", ":06:")], [_BY % ("a", 1), _BY % ("b", 2)], [_BY % ("a", 1), _FAULT]):
        found = scan(both, patterns=FAULTS)
        assert (len(found.result()[1]), found.dropped) == (1, 1)


def test_processes_of_an_earlier_boot_do_not_count():
    found = scan([_FAULT, *(_BY % ("a", pid) for pid in range(60)), _FAULT], patterns=FAULTS)
    found.feed(KernelLine(_BY % ("a", 99), boot=1))
    assert [(hit.groups["pid"], hit.count) for hit in found.result()[1]] == [("99", 1)]


HANGS = [{"id": "hang", "where": "kernel", "words": ["blocked"], "keep": ["pid"], "followed_by": ["trace"],
          "patterns": [r"(?:amdgpu (?P<bdf>\S+): )?task (?:(?P<pid>\d+) )?blocked"]},
         {"id": "trace", "where": "kernel", "words": ["[amdgpu]"], "patterns": [r"\[amdgpu\]"]}]
_TRACE = "x+0x1/0x2 [amdgpu]"
FOLLOWED = [
    (["task 1 blocked", "x", _TRACE, _TRACE], {"1": {"trace": 2}}),
    ([_TRACE, "task 1 blocked"], {"1": {}}),
    (["task 1 blocked", *["x"] * 98, _TRACE], {"1": {"trace": 99}}),
    (["task 1 blocked", "x", "x", _TRACE, "task 1 blocked", _TRACE, "x", _TRACE], {"1": {"trace": 1}}),
    (["task 1 blocked", "nfs+0x1/0x2 [nfs]", "task 2 blocked", _TRACE], {"1": {}, "2": {"trace": 1}}),
    (["amdgpu 0000:05:00.0: task 1 blocked", "amdgpu 0000:15:00.0: task 2 blocked", f"amdgpu 0000:05:00.0: {_TRACE}"],
     {"1": {"trace": 2}, "2": {}}),
    (["amdgpu 0000:05:00.0: task 1 blocked", _TRACE], {"1": {"trace": 1}}),
    ([f"task 1 blocked {_TRACE}"], {"1": {}}),
    (["task blocked", "x", _TRACE, "task 1 blocked", "x", "x", _TRACE], {"1": {"trace": 2}}),
]


@pytest.mark.parametrize(("lines", "expected"), FOLLOWED)
def test_how_soon_something_follows(lines, expected):
    hits = scan(lines, patterns=HANGS).result()[1]
    assert {hit.groups["pid"]: hit.followed for hit in hits if hit.id == "hang"} == expected


def test_what_follows_in_another_boot_does_not_follow():
    lines = [KernelLine("task 1 blocked", boot=0), KernelLine(_TRACE, boot=1)]
    assert [hit.followed for hit in scan(lines, boots="all", patterns=HANGS).result()[1]] == [{}, {}]


def test_what_has_no_room_follows_nothing(monkeypatch):
    monkeypatch.setattr(scanning, "MOST_HITS", 1)
    (hit,) = scan(["task 1 blocked", "task 2 blocked", _TRACE], patterns=HANGS).result()[1]
    assert (hit.groups, hit.followed) == ({"pid": "1"}, {"trace": 2})


def test_a_wrong_pattern_is_named():
    with pytest.raises(DataError) as caught:
        scan([], patterns=[{"id": "bad", "where": "kernel", "words": ["x"], "patterns": ["("]}])
    assert caught.value.sentence.startswith("pattern bad: is no regular expression: missing )")
