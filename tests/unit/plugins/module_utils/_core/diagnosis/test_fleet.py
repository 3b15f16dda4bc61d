# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Diagnoses of a fleet: as data, and as a table."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis import fleet
from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.fleet import Node, node
from ansible_collections.instinct.fleet.tests.unit.support.diagnoses import diagnosis, finding

NO_BUILD = finding("no-build", "kernel 6.8.0-44-generic has no amdgpu build", evidence=["dkms: none", "a\x1b[31mb", "3", "4", "5"],
                   consequences=[{"id": "unbound", "summary": "8 GPUs have no driver"}])
HOT = finding("hot", "GPU 0000:05:00.0 is 99 C hot", "warning")
NOTE = finding("taint", "the kernel is tainted", "info")


def said(*args: t.Any, **more: t.Any) -> dict[str, t.Any]:
    """What fleet_diagnose returned."""
    return {"diagnosis": diagnosis(*args, **more), "node": None}


BROKEN = node("a", said("fail", NO_BUILD, HOT, NOTE))
SAME = node("b", said("fail", NO_BUILD))
GOOD = node("c", said("pass", NOTE))
WARM = node("d", said("warn", HOT))
DARK = node("e", said("unknown", unknown=[{"what": "the kernel log", "why": "permission denied", "needed": True}],
                      summary="nothing is known to be wrong, but the kernel log could not be read",
                      next_action="look as root (become: true)"))
GONE = node("f", {"unreachable": True, "msg": "no route"})
CRASHED = node("g", {"failed": True, "msg": "x: y"})
OLD = node("h", None, "ansible-core needs Python 3.9")
SILENT = node("i", {})
BUNDLE = node("localhost", {**said("pass"), "node": "n17"})
FLEET = [BROKEN, SAME, GOOD, WARM, DARK, GONE, CRASHED, OLD, SILENT]


@pytest.mark.parametrize(("item", "name", "status", "verdict"), [
    (BROKEN, "a", "diagnosed", "fail"), (GOOD, "c", "diagnosed", "pass"), (BUNDLE, "n17", "diagnosed", "pass"),
    (GONE, "f", "unreachable", "unreachable"), (CRASHED, "g", "failed", "failed"),
])  # fmt: skip
def test_node(item: Node, name: str, status: str, verdict: str) -> None:
    assert (item.node, item.status, item.verdict) == (name, status, verdict)


def test_plain_data() -> None:
    assert BROKEN.to_dict() == {
        "status": "diagnosed", "verdict": "fail", "reason": None, "findings": 3,
        "root": {"id": "no-build", "kind": "fault", "severity": "error", "domain": "driver", "subject": "node",
                 "summary": "kernel 6.8.0-44-generic has no amdgpu build"},
        "summary": "kernel 6.8.0-44-generic has no amdgpu build", "next_action": "mend no-build"}  # fmt: skip
    assert OLD.to_dict() == {
        "status": "failed", "verdict": "failed", "reason": "ansible-core needs Python 3.9", "findings": 0, "root": None,
        "summary": "ansible-core needs Python 3.9", "next_action": ""}  # fmt: skip
    assert SILENT.reason == "it has no diagnosis"


def test_table() -> None:
    assert fleet.table(FLEET, 115, 100) == """\
node  GPUs        verdict      root finding                                             next action
----  ----------  -----------  -------------------------------------------------------  ---------------------------
a     8 x MI300X  fail         kernel 6.8.0-44-generic has no amdgpu build (and 1       mend no-build
                               more)
b     8 x MI300X  fail         kernel 6.8.0-44-generic has no amdgpu build              mend no-build
c     8 x MI300X  pass         nothing is wrong                                         nothing to do
d     8 x MI300X  warn         GPU 0000:05:00.0 is 99 C hot                             mend hot
e     8 x MI300X  unknown      nothing is known to be wrong, but the kernel log could   look as root (become: true)
                               not be read
f     -           unreachable  no route                                                 -
g     -           failed       x: y                                                     -
h     -           failed       ansible-core needs Python 3.9                            -
i     -           failed       it has no diagnosis                                      -

2 nodes: kernel 6.8.0-44-generic has no amdgpu build
  next: mend no-build
  a, b

1 node: unreachable: no route
  f

1 node: failed: x: y
  g

1 node: failed: ansible-core needs Python 3.9
  h

1 node: failed: it has no diagnosis
  i

2 nodes: GPU 0000:05:00.0 is 99 C hot
  next: mend hot
  a, d

9 nodes: 2 fail, 3 failed, 1 unreachable, 1 unknown, 1 warn, 1 pass"""


def test_details() -> None:
    told = fleet.table([BROKEN, DARK, OLD, GOOD], 130, 100, details=True).split("\n\n")
    assert told[-5:-1] == [
        "a:\n"
        "  error, driver: kernel 6.8.0-44-generic has no amdgpu build [no-build]\n"
        "  because because of no-build\n"
        "  seen: dkms: none\n"
        "  seen: a [31mb\n"
        "  seen: 3\n"
        "  seen: 4\n"
        "  follows: 8 GPUs have no driver [unbound]\n"
        "  warning, driver: GPU 0000:05:00.0 is 99 C hot [hot]\n"
        "  because because of hot\n"
        "  info, driver: the kernel is tainted [taint]\n"
        "  because because of taint",
        "e:\n  not read: the kernel log: permission denied",
        "h:\n  ansible-core needs Python 3.9",
        "c:\n  info, driver: the kernel is tainted [taint]\n  because because of taint",
    ]


def test_of_a_node_of_which_nothing_more_is_known_that_is_said() -> None:
    assert "c:\n  nothing more is known\n" in fleet.table([node("c", said("pass"))], 130, 100, details=True)


@pytest.mark.parametrize(("subject", "summary", "cell"), [
    ("0000:05:00.0", "there is no room", "there is no room [0000:05:00.0]"), ("node", "there is no room", "there is no room"),
    ("0000:05:00.0", "0000:05:00.0 has no room", "0000:05:00.0 has no room"), ("pid 7 (a\x1b)", "it faults", "it faults [pid 7 (a )]"),
])  # fmt: skip
def test_the_root_says_whom_it_is_about(subject: str, summary: str, cell: str) -> None:
    assert fleet._cells(node("a", said("fail", finding("x", summary, subject=subject))))[3] == cell


def test_gpus_that_have_the_trouble_of_the_root_are_named_and_not_counted_as_other_troubles() -> None:
    hot = [finding("hot", "hot", subject=f"0000:{bus}:00.0") for bus in ("05", "26")]
    item = node("a", said("fail", hot[0], NO_BUILD, hot[1]))
    assert fleet._cells(item)[3] == "hot [0000:05:00.0, 0000:26:00.0] (and 1 more)"
    assert "1 node: hot\n  next: mend hot\n  a [0000:05:00.0, 0000:26:00.0]\n" in fleet.table([item], 130, 100)


def test_what_follows_from_a_finding_is_told_once_for_all_gpus() -> None:
    after = [{"id": "unbound", "summary": f"0000:{bus}:00.0 has no driver"} for bus in ("05", "26", "46")]
    assert fleet.follow(finding("x", "y", consequences=[*after, {"id": "count", "summary": "7 of 8 GPUs"}])) == [
        "0000:05:00.0 has no driver [unbound], and 2 more of these", "7 of 8 GPUs [count]"]


def test_files_of_a_bundle_are_told_of() -> None:
    item = node("x", said("pass", files=["dmesg.txt: kernel log: 3 lines"]))
    assert "x:\n  file dmesg.txt: kernel log: 3 lines\n" in fleet.table([item], 130, 100, details=True)


def test_of_many_nodes_the_worst_are_shown() -> None:
    lines = fleet.table(FLEET, 115, 3).splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["a", "b", "g"]
    assert lines[5:7] == ["and 6 nodes more", ""]
    good = [node(f"n{number}", said("pass")) for number in range(10_000)]
    assert fleet.table(good, 130, 3) == "and 10000 nodes more\n\n10000 nodes: 10000 pass"
    bad = [node(f"n{number}", said("fail", finding(f"f{number}", "x"))) for number in range(10_000)]
    told = fleet.table(bad, 130, 100, details=True)
    assert len(told) < 30_000
    assert "and 9900 nodes more" in told
    assert "and 9950 more root causes" in told


def test_words_of_hosts_do_not_steer_the_terminal() -> None:
    evil = finding("x", "a\x1b]0;b\x07\nc", cause="d\x9b2J", remedy="e\x1b[1A", evidence=["f\r"])
    told = fleet.table([node("a\x1b[2J", said("fail", evil))], 130, 100, details=True)
    assert [c for c in told if ord(c) < 32 or 127 <= ord(c) < 160] == ["\n"] * told.count("\n")


def test_no_nodes() -> None:
    assert fleet.table([], 80, 100) == "no nodes"
    assert fleet.table([GOOD], 80, 100).splitlines()[-1] == "1 node: 1 pass"


def test_a_long_next_action_is_cut_in_the_table_and_whole_below() -> None:
    long = "boot the kernel of the release, then build the driver for it, then load it, and look at the node again"
    broken = node("a", said("fail", finding("no-build", "no build", remedy=long), next_action=long))
    dark = node("b", said("unknown", next_action=long))
    first, *rest = fleet.table([broken, dark], 200, 100).split("\n\n")
    assert [line.rpartition("  ")[2] for line in first.splitlines()[2:]] == [
        "boot the kernel of the release, then build the driver ...", long]
    assert f"  next: {long}" in rest[0]
