# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same trouble on many nodes is one root cause."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.groups import (
    Group,
    bracketed,
    generic,
    groups,
    places,
)

GENERIC = [
    ("kernel 6.8.0-44-generic has no amdgpu build", "kernel 6.8.0-44-generic has no amdgpu build"),
    ("GPU 0000:0c:00.0: 3 uncorrectable errors", "GPU *: * uncorrectable errors"),
    ("GPU 05:00.0 and 10000:05:00.1", "GPU * and *"),
    ("page fault of pid 4711 (python3)", "page fault of pid *"),
    ("pids 4711, 4712 hold the GPU", "pid * hold the GPU"),
    ("fault at address 0x00007f0A12345000", "fault at address *"),
    ("probe failed with error -12", "probe failed with error -12"),
    ("driver 6.16.13 on Ubuntu 24.04, x16 wide, 32 GT/s", "driver 6.16.13 on Ubuntu 24.04, x16 wide, * GT/s"),
    ("7 of 8 GPUs", "* of * GPUs"),
    ("/dev/dri/renderD128 has mode 0600", "/dev/dri/renderD128 has mode *"),
    ("wait until 12:30, then 5.", "wait until 12:30, then *."),
]


@pytest.mark.parametrize(("words", "common"), GENERIC)
def test_generic(words: str, common: str) -> None:
    assert generic(words) == common


def finding(name: str, summary: str, severity: str = "error", remedy: str = "mend it") -> dict[str, object]:
    return {"id": name, "severity": severity, "domain": "hardware", "summary": summary, "remedy": remedy, "sources": ["s"]}


def test_groups_are_by_what_is_wrong_and_worst_first() -> None:
    no_build = finding("no-build", "kernel 6.8.0-44-generic has no amdgpu build", "warning")
    other = finding("no-build", "kernel 6.8.0-45-generic has no amdgpu build", "warning")
    one = finding("ecc", "GPU 0000:05:00.0: 1 error", remedy="reset GPU 0000:05:00.0")
    two = finding("ecc", "GPU 0000:26:00.0: 2 errors", remedy="reset GPU 0000:26:00.0")
    few = finding("ecc", "GPU 0000:26:00.0: 1 error", remedy="reset GPU 0000:26:00.0")
    assert groups([("a", [no_build]), ("b", [no_build, one]), ("c", [few, two]), ("d", [other]), ("e", [])]) == (
        Group("ecc", "error", "hardware", "GPU *: * error", "reset GPU *", ("s",), ("b", "c")),
        Group("ecc", "error", "hardware", "GPU 0000:26:00.0: 2 errors", "reset GPU 0000:26:00.0", ("s",), ("c",)),
        Group("no-build", "warning", "hardware", "kernel 6.8.0-44-generic has no amdgpu build", "mend it", ("s",), ("a", "b")),
        Group("no-build", "warning", "hardware", "kernel 6.8.0-45-generic has no amdgpu build", "mend it", ("s",), ("d",)),
    )


def test_a_node_is_counted_once_however_many_of_its_gpus_have_the_trouble() -> None:
    both = [finding("ecc", "GPU 0000:05:00.0 is bad"), finding("ecc", "GPU 0000:26:00.0 is bad")]
    (group,) = groups([("a", both)])
    assert (group.words, group.nodes) == ("GPU * is bad", ("a",))


A, B, C = "0000:05:00.0", "0000:26:00.0", "0000:46:00.0"


def follows(*subjects: str) -> list[dict[str, str]]:
    return [{"id": "unbound", "summary": "x", "subject": subject} for subject in subjects]


PLACES = [
    ("no line names it", {"subject": "node", "kind": "knob"}, ()),
    ("a GPU", {"subject": A}, (A,)),
    ("words name it", {"subject": A, "summary": f"{A} is slow"}, ()),
    ("a process", {"subject": "pid 4711 (python3)"}, ("pid 4711 (python3)",)),
    ("of a fault without an address", {"subject": "node", "kind": "fault", "consequences": follows("node", A, A, B)}, (A, B)),
    ("of a fault of the whole node", {"subject": "node", "kind": "fault", "consequences": follows(A, B, C)}, ()),
    ("of a setting of the node", {"subject": "node", "kind": "precondition", "consequences": follows(A)}, ()),
]


@pytest.mark.parametrize(("change", "expected"), [case[1:] for case in PLACES], ids=[case[0] for case in PLACES])
def test_what_a_finding_is_about(change: dict[str, object], expected: tuple[str, ...]) -> None:
    one = finding("x", "a GPU is slow") | change
    assert places([one, one], str(one["summary"])) == expected


@pytest.mark.parametrize(("subjects", "words"), [((), ""), ((A,), f" [{A}]"), (tuple("abcdef"), " [a, b, c, d and 2 more]")])
def test_what_it_is_about_in_brackets(subjects: tuple[str, ...], words: str) -> None:
    assert bracketed(subjects) == words


def test_a_group_says_which_gpus_of_each_node_have_the_trouble() -> None:
    hot = [finding("hot", "hot") | {"subject": gpu} for gpu in (A, B)]
    (group,) = groups([("a", hot), ("b", [finding("hot", "hot")]), ("c", hot[1:])])
    assert group.subjects == {"a": (A, B), "c": (B,)}
