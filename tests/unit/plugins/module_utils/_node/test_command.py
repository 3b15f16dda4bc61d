# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that end, fail, hang with children, or cannot be started."""

from __future__ import annotations

import os
import time

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Command, Ran, SlowError

CASES = [
    ("success", "echo out; echo err >&2", Ran(0, "out\n", "err\n")),
    ("failure", "exit 3", Ran(3, "", "")),
    ("bytes that are no text", "printf '\\377'", Ran(0, "\ufffd", "")),
    ("no input", "cat", Ran(0, "", "")),
    ("plain environment", 'echo "$LC_ALL $FLEET_TEST"', Ran(0, "C \n", "")),
    ("death by a signal", "kill -SEGV $$", Ran(-11, "", "")),
]


@pytest.mark.parametrize(("script", "ran"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_command_leaves(script: str, ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEET_TEST", "leaked")
    assert Command(["/bin/sh", "-c", script]).wait(10) == ran


def test_command_that_does_not_exist() -> None:
    with pytest.raises(UnreadableError, match="/no/such/program cannot be run: No such file or directory"):
        Command(["/no/such/program"])


def state(pid: int) -> str:
    """The letter that the kernel has for the state of a process; gone if there is none."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().split()[2]
    except OSError:
        return "gone"


def test_command_that_hangs_is_killed_with_its_children() -> None:
    start = time.monotonic()
    with pytest.raises(SlowError, match="/bin/sh did not end in 0 s") as slow:
        Command(["/bin/sh", "-c", "sleep 60 & echo $!; wait"]).wait(0.3)
    assert time.monotonic() - start < 5
    while state(int(slow.value.stdout)) not in ("gone", "Z"):  # killed, but perhaps not yet dead
        assert time.monotonic() - start < 10
        os.sched_yield()
