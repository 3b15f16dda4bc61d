# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pieces of files, devices and programs."""

from __future__ import annotations

import os
import sys
import time
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._node import stream
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError


def soon() -> float:
    """A time that no test reaches."""
    return time.monotonic() + 60


def python(words: str) -> list[str]:
    """A program of Python."""
    return [sys.executable, "-c", f"import os, sys, time; {words}"]


def test_a_file_comes_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"x" * 100_000)
    assert [len(piece) for piece in stream.file(str(path), soon())] == [65536, 34464]


def test_a_device_ends_when_it_has_nothing_to_say(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[bytes | type[OSError]] = [b"6,9,1,-;first\n", BrokenPipeError, b"6,12,1,-;later\n", BlockingIOError]

    def read(handle: int, size: int) -> bytes:
        answer = answers.pop(0)
        if isinstance(answer, bytes):
            return answer
        raise answer

    monkeypatch.setattr(os, "read", read)
    assert list(stream.file(os.devnull, soon())) == [b"6,9,1,-;first\n", b"6,12,1,-;later\n"]


def test_a_file_is_closed_and_time_ends(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"x")
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(UnreadableError, match=r"^the time is used up$"):
        list(stream.file(str(path), time.monotonic()))
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_program_that_says_much_on_both_sides() -> None:
    words = "sys.stderr.write('e' * 300000); sys.stderr.flush(); sys.stdout.write('o' * 300000)"
    assert sum(map(len, stream.program(python(words), soon()))) == 300_000


@pytest.mark.parametrize(("argv", "why"), [
    (["/no/such/program"], r"^/no/such/program cannot be run: No such file or directory$"),
    (python("sys.exit('first\\nlast words')"), r": last words$"), (python("sys.exit(3)"), r": it ends with 3$")])
def test_a_program_that_fails(argv: list[str], why: str) -> None:
    with pytest.raises(UnreadableError, match=why):
        list(stream.program(argv, soon()))


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split()[2] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("patience", [True, False], ids=["nobody wants more", "the time is used up"])
def test_a_program_that_does_not_end_is_killed(patience: bool) -> None:
    pieces: t.Any = stream.program(python("print(os.getpid(), flush=True); time.sleep(600)"), time.monotonic() + (60 if patience else 1))
    pid = int(next(pieces))
    if patience:
        pieces.close()
    else:
        with pytest.raises(UnreadableError, match=r"^the time is used up$"):
            next(pieces)
    assert not alive(pid)
