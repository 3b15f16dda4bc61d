# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock, as the kernel answers."""

from __future__ import annotations

import ctypes
import time
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._node import clock
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.plugins.module_utils._node.notes import Notes
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree


class Library:
    """libc whose adjtimex answers a status, or refuses."""

    def __init__(self, status: int | None) -> None:
        self._status = status

    def adjtimex(self, reference: t.Any) -> int:
        """Fill the answer."""
        assert reference._obj.modes == 0, "the clock is asked, not set"
        if self._status is None:
            ctypes.set_errno(1)
            return -1
        reference._obj.status = self._status
        return 0


@pytest.mark.parametrize(("status", "answer"), [(0x2001, True), (0x40, False), (0x2041, False)])
def test_synchronized(monkeypatch: pytest.MonkeyPatch, status: int, answer: bool) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name, **_options: Library(status))
    assert clock.synchronized() is answer


def test_a_call_that_is_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name, **_options: Library(None))
    with pytest.raises(UnreadableError, match=r"^adjtimex does not answer: Operation not permitted$"):
        clock.synchronized()


def test_this_machine_is_asked_without_harm() -> None:
    notes = Notes()
    answer = notes.attempt("answer", None, clock.synchronized)
    assert (answer in (True, False)) is ("answer" not in notes)


def test_when_the_machine_was_booted(tree: Tree) -> None:
    tree.write("/proc/uptime", "3600.25 1.00\n")
    before, notes = time.time(), Notes()
    seen = clock.read(tree.machine(), notes)
    assert before <= seen.epoch <= time.time()
    assert seen.booted == seen.epoch - 3600.25
    assert "clock.booted" not in notes
