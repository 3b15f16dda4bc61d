# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A process by what /proc tells: when it began, and who is above it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.life import Life, above, catches, parse

TAIL = "1 7 7 0 -1 {flags} 0 0 0 0 0 0 0 0 20 0 1 0 {start} 0 0"


@pytest.mark.parametrize(("text", "life"), [
    ("7 (python3) S " + TAIL.format(flags=4194304, start=993), Life(993, "S", 1, 7, False)),
    ("7 (a) b) (c) Z " + TAIL.format(flags=4194308, start=5), Life(5, "Z", 1, 7, False)),
    ("2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 4 0 0", Life(4, "S", 0, 0, True)),
    ("", None), ("7 (python3) S 1 7", None), ("7 (x) S " + TAIL.format(flags="x", start=5), None),
], ids=["a process", "a name with brackets", "a thread of the kernel", "nothing", "cut off", "no number"])
def test_what_a_line_tells(text: str, life: Life | None) -> None:
    assert parse(text) == life


@pytest.mark.parametrize(("state", "threads", "ended"), [("S", 1, False), ("Z", 1, True), ("X", 1, True), ("Z", 2, False)])
def test_a_process_whose_first_thread_ended_lives(state: str, threads: int, ended: bool) -> None:
    life = parse(f"7 (x) {state} " + TAIL.replace("20 0 1 0", f"20 0 {threads} 0").format(flags=0, start=5))
    assert life is not None and (life.threads, life.ended) == (threads, ended)


@pytest.mark.parametrize(("status", "caught"), [
    ("SigIgn:\t0000000000000200\nSigCgt:\t0000000000000200\n", True), ("SigIgn:\t0000000000000200\nSigCgt:\t0000000000000100\n", False), ("", False)])
def test_what_a_process_catches(status: str, caught: bool) -> None:
    assert catches(status, 10) is caught


def test_the_kernels_own_line() -> None:
    life = parse(Path("/proc/self/stat").read_text(encoding="utf-8"))
    assert life is not None and (life.parent, life.group, life.kernel) == (os.getppid(), os.getpgrp(), False)


@pytest.mark.parametrize(("parents", "expected"), [
    ({9: 5, 5: 3, 3: 1}, {9, 5, 3, 1}), ({9: 1}, {9, 1}), ({}, {9, 1}), ({9: 5, 5: 9}, {9, 5, 1}), ({9: 0}, {9, 1}),
], ids=["a line of parents", "a child of init", "gone meanwhile", "a circle", "no parent"])
def test_who_is_above(parents: dict[int, int], expected: set[int]) -> None:
    assert above(9, lambda pid: Life(1, "S", parents[pid], 1, False) if pid in parents else None) == expected
