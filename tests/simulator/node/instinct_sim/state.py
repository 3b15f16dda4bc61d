# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a node: one key=value file behind one lock, shared with the C library.

A value ends at the end of its line; a line that starts with # is a comment. Writers hold the lock, and replace the
file by renaming a complete one over it, so that readers need no lock. smi/store.c keeps the same rules.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import typing as t
from pathlib import Path

from .errors import SimError

State = dict[str, str]
DEFAULT = "/var/lib/instinct-sim/state"


class Store:
    """The state file at one path."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = Path(path or os.environ.get("INSTINCT_SIM_STATE") or DEFAULT)

    def beside(self, suffix: str) -> Path:
        """A file that belongs to the state file."""
        return self.path.with_name(self.path.name + suffix)

    def exists(self) -> bool:
        """Whether there is a state."""
        return self.path.exists()

    def read(self) -> State:
        """The whole state.

        Raises:
            SimError: there is none.
        """
        try:
            return parse(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise SimError(
                f"there is no simulated node at {self.path}; make one: instinct-sim create --product mi300x"
            ) from None

    @contextlib.contextmanager
    def locked(self, suffix: str = ".lock") -> t.Iterator[None]:
        """Hold a lock of this state."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.beside(suffix), "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    @contextlib.contextmanager
    def change(self) -> t.Iterator[State]:
        """A state to change in place; it is written when the block ends without an error.

        Raises:
            SimError: there is no state.
        """
        with self.locked():
            state = self.read()
            before = dict(state)
            yield state
            if state != before:
                self._write(state)

    def create(self, state: State) -> None:
        """Write a new state over whatever there is."""
        with self.locked():
            self._write(state)

    def _write(self, state: State) -> None:
        temporary = self.beside(".new")
        temporary.write_text("".join(f"{key}={value}\n" for key, value in sorted(state.items())), encoding="utf-8")
        temporary.replace(self.path)


def parse(text: str) -> State:
    """The keys and values of a state file."""
    lines = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
    return {key: value for key, equals, value in lines if equals}


def under(state: State, prefix: str) -> State:
    """The keys below a prefix, without it."""
    return {key[len(prefix) :]: value for key, value in state.items() if key.startswith(prefix)}


def drop(state: State, prefix: str) -> None:
    """Remove all keys below a prefix."""
    for key in [key for key in state if key.startswith(prefix)]:
        del state[key]
