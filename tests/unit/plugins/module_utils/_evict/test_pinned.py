# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that are pinned: a signal reaches the one that was seen, or nobody."""

from __future__ import annotations

import os
import signal
import subprocess
import time
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.shape import Holder
from ansible_collections.instinct.fleet.plugins.module_utils._evict import eyes
from ansible_collections.instinct.fleet.plugins.module_utils._evict.pinned import Pinned, refuse_unable


@pytest.fixture(name="started")
def _started() -> t.Iterator[t.Callable[[], Holder]]:
    """Starts programs that do nothing."""
    programs = []

    def start() -> Holder:
        programs.append(subprocess.Popen(["sleep", "60"]))
        life = eyes.alive(programs[-1].pid)
        assert life is not None
        return Holder(programs[-1].pid, life.start)

    yield start
    for program in programs:
        program.kill()
        program.wait()


def files() -> int:
    """Open files of this process."""
    return len(os.listdir("/proc/self/fd"))


def test_those_told_end_and_the_others_go_on(started: t.Callable[[], Holder]) -> None:
    before, (one, other) = files(), (started(), started())
    with Pinned([one, other], eyes.alive) as pinned:
        assert pinned.alive == (one.pid, other.pid)
        assert pinned.send(signal.SIGTERM, [one.pid]) == (one.pid,)
        pinned.wait(5, [one.pid])
        assert (pinned.alive, list(pinned.ended)) == ((other.pid,), [one.pid])
        assert 0 < pinned.ended[one.pid] < 5
    assert files() == before


def test_waiting_has_an_end(started: t.Callable[[], Holder]) -> None:
    one, began = started(), time.monotonic()
    with Pinned([one], eyes.alive) as pinned:
        pinned.wait(0.05, [one.pid])
        assert 0.05 <= time.monotonic() - began < 1
        assert pinned.alive == (one.pid,)


def test_another_process_with_the_number_is_never_signalled(started: t.Callable[[], Holder]) -> None:
    one, before = started(), files()
    with Pinned([Holder(one.pid, (one.start or 0) - 1)], eyes.alive) as pinned:
        assert (pinned.alive, pinned.send(signal.SIGKILL, [one.pid])) == ((), ())
        assert files() == before
    assert eyes.alive(one.pid) is not None


def test_who_is_gone_cannot_be_pinned() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    with Pinned([Holder(gone.pid, 5)], eyes.alive) as pinned:
        assert pinned.alive == ()


def test_who_goes_between_two_signals_is_seen_to_have_ended(started: t.Callable[[], Holder]) -> None:
    one = started()
    with Pinned([one], eyes.alive) as pinned:
        os.kill(one.pid, signal.SIGKILL)
        os.waitpid(one.pid, 0)
        assert (pinned.send(signal.SIGTERM, [one.pid]), list(pinned.ended)) == ((), [one.pid])


def test_who_must_not_be_signalled(started: t.Callable[[], Holder], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_file: int, _number: int) -> t.NoReturn:
        raise PermissionError

    monkeypatch.setattr(signal, "pidfd_send_signal", refuse)
    one = started()
    with Pinned([one], eyes.alive) as pinned, pytest.raises(
            FleetError, match=rf"^pid {one.pid}: must not be signalled; run as root \(become: true\)$"):
        pinned.send(signal.SIGTERM, [one.pid])


def test_where_processes_cannot_be_pinned_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_unable()

    def unknown(_pid: int) -> t.NoReturn:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(os, "pidfd_open", unknown)
    with pytest.raises(FleetError, match=r"^this node: its kernel has no pidfd_open \(Function not implemented\); it takes Linux 5\.3"):
        refuse_unable()
    monkeypatch.delattr(os, "pidfd_open")
    with pytest.raises(FleetError, match=r"^this node: its Python has no pidfd_open: a signal could reach another process; it takes"):
        refuse_unable()
