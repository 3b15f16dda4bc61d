# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The foot of the terminal makes way for output, and other processes leave it alone."""

from __future__ import annotations

import os
import threading

import pytest

from ansible_collections.instinct.fleet.plugins.plugin_utils.live import Foot, Screen, Ticker


class Display:
    """As Ansible's: one method that everything else uses."""

    def __init__(self, out: list[str]) -> None:
        self.out = out

    def display(self, text: str, color: str = "") -> str:
        """Show it."""
        self.out.append(text + "\n")
        return text

    def warning(self, text: str) -> None:
        """Show it by way of display."""
        self.display("warning: " + text)


def test_foot_erases_exactly_what_it_drew() -> None:
    out: list[str] = []
    foot = Foot(out.append)
    foot.erase()
    foot.draw(["a", "b"])
    foot.draw(["c"])
    foot.draw([])
    foot.erase()
    assert out == ["a\nb\n", "\x1b[2F\x1b[J", "c\n", "\x1b[1F\x1b[J"]


def test_screen_lets_output_pass_above_the_foot() -> None:
    out: list[str] = []
    display = Display(out)
    screen = Screen(display, Foot(out.append), lambda: ["running"])
    screen.open()
    assert display.display("one", color="red") == "one"
    display.warning("two")
    screen.close()
    display.display("three")
    erase = "\x1b[1F\x1b[J"
    assert out == ["one\n", "running\n", erase, "warning: two\n", "running\n", erase, "three\n"]


def test_screen_redraws() -> None:
    out: list[str] = []
    lines = [["1 s"], ["2 s"]]
    screen = Screen(Display(out), Foot(out.append), lambda: lines.pop(0))
    screen.redraw()
    screen.redraw()
    assert out == ["1 s\n", "\x1b[1F\x1b[J", "2 s\n"]


def test_a_forked_worker_passes_output_on_and_touches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    out: list[str] = []
    display = Display(out)
    screen = Screen(display, Foot(out.append), lambda: ["running"])
    screen.open()
    screen.redraw()
    monkeypatch.setattr(os, "getpid", lambda: 1)
    display.display("from a worker")
    assert out == ["running\n", "from a worker\n"]


def test_ticker_ticks_until_it_is_stopped() -> None:
    ticked = threading.Event()
    ticker = Ticker(0.001, ticked.set)
    ticker.start()
    assert ticked.wait(10)
    ticker.stop()
    ticked.clear()
    assert not [thread for thread in threading.enumerate() if thread.name == "instinct-fleet-ticker"]


def test_ticker_can_be_stopped_before_it_starts() -> None:
    Ticker(1, lambda: None).stop()
    assert not [thread for thread in threading.enumerate() if thread.name == "instinct-fleet-ticker"]
