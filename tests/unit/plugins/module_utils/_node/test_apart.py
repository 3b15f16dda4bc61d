# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A child process that answers, refuses, dies, hangs; the parent always goes on."""

from __future__ import annotations

import os
import signal
import time
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import Apart, UnreadableError, kill_group

LONG = "x" * 300_000  # more than a pipe holds


def noisy() -> str:
    """Print where a module must never print."""
    os.write(1, b"noise")
    os.write(2, b"noise")
    return "said"


ANSWERS: list[tuple[str, t.Callable[[], t.Any], t.Any]] = [
    ("plain data", lambda: {"a": [1, None, "ü"]}, {"a": [1, None, "ü"]}),
    ("nothing", lambda: None, None),
    ("more than a pipe holds", lambda: LONG, LONG),
    ("noise on standard output", noisy, "said"),
]


@pytest.mark.parametrize(("function", "result"), [c[1:] for c in ANSWERS], ids=[c[0] for c in ANSWERS])
def test_result_comes_back(function: t.Callable[[], t.Any], result: t.Any, capfd: pytest.CaptureFixture[str]) -> None:
    assert Apart(function).result(10) == result
    assert capfd.readouterr() == ("", "")


def refuse() -> t.NoReturn:
    """Say that something cannot be read."""
    raise UnreadableError("permission denied")


def die() -> t.NoReturn:
    """Die without a word."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


REASONS: list[tuple[str, t.Callable[[], t.Any], str]] = [
    ("it says why", refuse, "permission denied"),
    ("it crashes", die, "the reading process died of SIGKILL"),
    ("it ends without an answer", lambda: os._exit(3), "the reading process died"),
    ("it hangs", signal.pause, "no answer from the driver in 0 s"),
]


@pytest.mark.parametrize(("function", "reason"), [c[1:] for c in REASONS], ids=[c[0] for c in REASONS])
def test_result_that_cannot_be_read_is_a_reason(function: t.Callable[[], t.Any], reason: str) -> None:
    start = time.monotonic()
    with pytest.raises(UnreadableError) as unreadable:
        Apart(function).result(0.3)
    assert str(unreadable.value) == reason
    assert time.monotonic() - start < 5


def test_a_defect_of_ours_is_not_hidden() -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError: division by zero"):
        Apart(lambda: 1 / 0).result(10)


def test_a_hanging_child_is_gone_afterwards() -> None:
    apart = Apart(signal.pause)
    with pytest.raises(UnreadableError):
        apart.result(0.05)
    with pytest.raises(ChildProcessError):
        os.waitpid(apart._pid, 0)


def test_kill_group_of_nothing_is_nothing() -> None:
    kill_group(2**22 - 1)
