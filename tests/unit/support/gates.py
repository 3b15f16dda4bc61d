# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node that a gate looks at: it shows one look after the other, and keeps its files in a folder."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.log import Hit, LogRead
from ansible_collections.instinct.fleet.plugins.module_utils._gate import gate, state


class Shown:
    """Looks in the order in which they are shown; the last one again and again. ``asked``: sections of each."""

    def __init__(self, *looks: lk.Look) -> None:
        self.looks = list(looks)
        self.asked: list[tuple[str, ...]] = []

    def __call__(self, _machine: t.Any, _wanted: t.Any) -> Shown:
        return self

    def take(self, sections: tuple[str, ...]) -> lk.Look:
        self.asked.append(sections)
        return self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]


def show(monkeypatch: pytest.MonkeyPatch, *looks: lk.Look) -> Shown:
    """Let the gate see these looks."""
    shown = Shown(*looks)
    monkeypatch.setattr(gate, "Sight", shown)
    return shown


def keep_in(monkeypatch: pytest.MonkeyPatch, folder: Path) -> state.State:
    """Let all gates keep their files in a folder, and return how they are read."""
    monkeypatch.setattr(state.State.__init__, "__defaults__", (str(folder), None))
    return state.State(str(folder))


def lost(bdf: str) -> lk.Log:
    """A log in which a GPU fell off the bus."""
    hit = Hit("gpu-off-bus", "kernel", "kmsg", bdf, 1, 10, 10, sample=("device lost from bus!",))
    return lk.Log((LogRead("kernel", "kmsg", 99, True),), (hit,))
