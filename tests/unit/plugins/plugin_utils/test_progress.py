# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that go on, results in words, and the numbers at the end."""

from __future__ import annotations

import types
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.plugin_utils.progress import (
    Board,
    Done,
    going_on,
    recap,
    sentence,
    words,
)


def board() -> Board:
    board = Board()
    board.start("node-10", "gpu_driver: Install the driver", 5)
    board.start("b", "Look", 3)
    board.start("c", "Look", 4)
    return board


def test_lines_show_the_longest_running_first_and_the_time_on_the_right() -> None:
    assert board().lines(65, 50, 9) == [
        "b        Look                          1 min 02 s",
        "c        Look                          1 min 01 s",
        "node-10  gpu_driver: Install the driv  1 min 00 s",
    ]


@pytest.mark.parametrize(
    ("height", "shown"), [(3, ["b", "c", "node-10"]), (2, ["b", "and 2 more"]), (1, ["and 3 more"]), (0, [])]
)
def test_lines_that_do_not_fit_are_counted(height: int, shown: list[str]) -> None:
    lines = board().lines(5, 40, height)
    assert [line if line.startswith("and") else line.split()[0] for line in lines] == shown


@pytest.mark.parametrize("width", [0, 1, 5, 10, 20, 40, 200])
def test_lines_never_reach_the_last_column(width: int) -> None:
    assert max(len(line) for line in board().lines(9999, width, 2)) <= max(width - 1, 0)


def test_end_says_how_long_and_forgets() -> None:
    running = board()
    assert running.end("b", 10) == 7
    assert running.end("b", 11) == 0
    assert [line.split()[0] for line in running.lines(10, 40, 9)] == ["c", "node-10"]
    running.clear()
    assert running.lines(10, 40, 9) == []


def test_overdue_tells_each_step_once_in_a_while() -> None:
    running = Board()
    running.start("a", "Build", 0)
    told = {now: running.overdue(now, 60) for now in range(0, 200, 10)}
    assert {now: lines for now, lines in told.items() if lines} == {
        60: ["a  still in  Build (1 min 00 s)"],
        120: ["a  still in  Build (2 min 00 s)"],
        180: ["a  still in  Build (3 min 00 s)"],
    }


def test_note_renames_a_step_that_goes_on() -> None:
    running = Board()
    running.note("a", "Nothing")
    running.start("a", "Build", 0)
    running.note("a", "Build, attempt 2")
    assert running.overdue(60, 60) == ["a  still in  Build, attempt 2 (1 min 00 s)"]


@pytest.mark.parametrize(("result", "text"), [
    ({"attempts": 1}, "Wait, attempt 2"), ({}, "Wait, attempt 1"), ({"attempts": 3, "waiting": ""}, "Wait, attempt 4"),
    ({"attempts": 3, "waiting": "1 job (7 of al\x1bice)"}, "Wait: 1 job (7 of al ice)")])
def test_a_step_that_is_tried_again(result: dict[str, t.Any], text: str) -> None:
    assert going_on("Wait", result) == text


WORDS: dict[str, tuple[dict[str, t.Any], list[str]]] = {
    "changed": ({"changed": True, "actions": ["write /a", "hold\x1b[2Jb"]}, ["write /a", "hold [2Jb"]),
    "not changed": ({"changed": False, "actions": ["write /a"]}, []),
    "no words": ({"changed": True}, []),
    "something else under that name": ({"changed": True, "actions": "x"}, []),
    "items": (
        {
            "changed": True,
            "results": [{"changed": True, "actions": ["a"]}, {"changed": False}, {"changed": True, "actions": ["b"]}],
        },
        ["a", "b"],
    ),
    "hidden items": ({"changed": True, "results": [{"censored": "x", "changed": True}, "y"]}, []),
}


@pytest.mark.parametrize(("result", "found"), WORDS.values(), ids=WORDS)
def test_words(result: dict[str, t.Any], found: list[str]) -> None:
    assert words(result) == found


SENTENCES: dict[str, tuple[dict[str, t.Any], str]] = {
    "message": ({"msg": "gpu 1: busy"}, "gpu 1: busy"),
    "several": ({"msg": ["a", "b"]}, "a; b"),
    "lines and control characters": ({"msg": "a\nb\x1b[0m"}, "a b [0m"),
    "since 2.19": ({"msg": "Task failed: Module failed: a: b"}, "a: b"),
    "hidden": ({"censored": "the output has been hidden", "msg": "secret"}, "the output has been hidden"),
    "command of 2.18": ({"msg": "non-zero return code", "stderr": "a\nls: no\n\n"}, "non-zero return code: ls: no"),
    "command of 2.21": (
        {
            "msg": "Task failed: Module failed: The command exited with a non-zero return code.",
            "stderr": "",
            "stdout": "no",
        },
        "The command exited with a non-zero return code: no",
    ),
    "silent command": ({"msg": "non-zero return code", "rc": 3, "stderr": ""}, "non-zero return code: exit code 3"),
    "crashed module": (
        {"msg": "MODULE FAILURE\nSee stdout", "module_stderr": "T\nKeyError: 'a'"},
        "MODULE FAILURE See stdout: KeyError: 'a'",
    ),
    "Python that is too old for the module": (
        {
            "msg": "Task failed: Action failed: Module result deserialization failed: No start of json char found",
            "module_stderr": "",
            "module_stdout": "  File \"x.py\", line 9\r\nSyntaxError: invalid syntax\r\n",
        },
        "Module result deserialization failed: No start of json char found: SyntaxError: invalid syntax",
    ),
    "apt on a full disk": (
        {
            "msg": "Task failed: Module failed: '/usr/bin/apt-get -y install 'a=1'' failed: debconf: x\nE: Sub-process",
            "stderr": "debconf: x\nE: Sub-process /usr/bin/dpkg returned an error code (1)\n",
            "stdout": "dpkg: error: '/opt/a.dpkg-new': failed to write (No space left on device)\n",
        },
        "/opt/a: no space is left on the device; make room there, then run again",
    ),
    "apt that gives no reason": (
        {"msg": "'/usr/bin/apt-get -y install 'a=1'' failed: debconf: x", "stderr": "debconf: x"},
        "apt-get: debconf: x",
    ),
    "reason": ({"reason": "x"}, "x"),
    "nothing": ({}, "no reason was given; run again with -v"),
}


@pytest.mark.parametrize(("result", "said"), SENTENCES.values(), ids=SENTENCES)
def test_sentence(result: dict[str, t.Any], said: str) -> None:
    assert sentence(result) == said


def test_done_reads_results_of_every_ansible_core() -> None:
    host = types.SimpleNamespace(get_name=lambda: "a")
    old = types.SimpleNamespace(_host=host, _task="t", _result={"x": 1})
    new = types.SimpleNamespace(host=host, task="t", result={"x": 1})
    assert Done.of(old, "a") == Done.of(new, "a") == Done("a", "a", "t", {"x": 1})
    assert Done.of(new, "a").after(2.0).seconds == 2.0


NUMBERS = {
    "nothing to do": ({"a": {}, "b": {}}, False, "2 hosts: 0 changed, 2 unchanged, 0 failed"),
    "one": ({"a": {"changed": 1}}, False, "1 host: 1 changed, 0 failed"),
    "in check mode": ({"a": {"changed": 1}, "b": {}}, True, "2 hosts: 1 would change, 1 unchanged, 0 failed"),
    "the worst counts": (
        {"a": {"changed": 1, "failures": 1}, "b": {"failures": 1, "unreachable": 1}},
        False,
        "2 hosts: 0 changed, 1 failed, 1 unreachable",
    ),
}


@pytest.mark.parametrize(("numbers", "check", "said"), NUMBERS.values(), ids=NUMBERS)
def test_recap(numbers: dict[str, dict[str, int]], check: bool, said: str) -> None:
    assert recap(numbers, check) == said
