# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A few lines at the foot of a terminal that are drawn anew, and that make way for everything else."""

from __future__ import annotations

import functools
import os
import threading
import typing as t

_UP_AND_CLEAR = "\x1b[{}F\x1b[J"  # source: ECMA-48, CPL and ED


class Foot:
    """The lines at the foot. ``write`` puts text on the terminal at once."""

    def __init__(self, write: t.Callable[[str], t.Any]) -> None:
        self._write = write
        self._drawn = 0

    def erase(self) -> None:
        """Take the lines away; the cursor is where the next output belongs."""
        if self._drawn:
            self._write(_UP_AND_CLEAR.format(self._drawn))
            self._drawn = 0

    def draw(self, lines: t.Sequence[str]) -> None:
        """Replace the lines by others."""
        self.erase()
        if lines:
            self._write("".join(line + "\n" for line in lines))
            self._drawn = len(lines)


class Ticker:
    """Calls ``tick`` every ``period`` seconds from a thread of its own until it is stopped."""

    def __init__(self, period: float, tick: t.Callable[[], None]) -> None:
        self._period = period
        self._tick = tick
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="instinct-fleet-ticker", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for a tick that goes on."""
        self._stopped.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self._period):
            self._tick()


class Screen:
    """Lets everything that Ansible displays pass between an erased and a redrawn foot.

    Workers are forked from this process and inherit the hook; there it does nothing but pass on.
    """

    def __init__(self, display: t.Any, foot: Foot, lines: t.Callable[[], t.Sequence[str]]) -> None:
        self._display, self._foot, self._lines = display, foot, lines
        self._pid = os.getpid()
        self._lock = threading.RLock()

    def open(self) -> None:
        """Put the hook in."""
        original = self._display.display

        @functools.wraps(original)
        def display(*args: t.Any, **kwargs: t.Any) -> t.Any:
            if os.getpid() != self._pid:
                return original(*args, **kwargs)
            with self._lock:
                self._foot.erase()
                shown = original(*args, **kwargs)
                self._foot.draw(self._lines())
                return shown

        self._display.display = display

    def redraw(self) -> None:
        """Show the lines of now."""
        with self._lock:
            self._foot.draw(self._lines())

    def close(self) -> None:
        """Take foot and hook away."""
        with self._lock:
            self._foot.erase()
            vars(self._display).pop("display", None)
