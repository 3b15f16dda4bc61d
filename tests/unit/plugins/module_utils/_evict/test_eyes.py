# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an eviction sees of processes and of memory."""

from __future__ import annotations

import os
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Record
from ansible_collections.instinct.fleet.plugins.module_utils._evict import eyes
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.tests.unit.plugins.eviction_world import World
from ansible_collections.instinct.fleet.tests.unit.support.evictions import RECORD, A, B, C, D


def test_one_look(world: World) -> None:
    pid = world.start("bob", A, "end")
    world.used(A, 5)
    world.write(f"/sys/bus/pci/devices/{B}/mem_info_vram_used", "?")
    view = eyes.look()
    (one,) = view.holders
    assert (view.record, view.used) == (RECORD, {A: 5, B: None, C: None, D: None})
    assert (one.pid, one.tenant, one.trespasses, one.state) == (pid, "train", {A}, "")
    assert (one.group, one.start) == (pid, eyes.alive(pid).start)  # type: ignore[union-attr]
    assert one.seconds is not None and 0 <= one.seconds < 60


def test_a_node_that_was_never_told(world: World) -> None:
    world.record = None
    world.start("bob", A, "end")
    assert (eyes.look().record, eyes.look().holders[0].trespasses) == (None, frozenset())
    world.record = Record()
    assert eyes.look().record == Record()


def test_what_cannot_be_read_is_unknown(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def torn(path: str) -> t.NoReturn:
        raise UnreadableError(path)

    world.start("bob", A, "end")
    monkeypatch.setattr(world, "word", lambda path: torn(path) if "vram_used" in path else World.word(world, path))
    monkeypatch.setattr(world, "text", lambda path: "" if path == "/proc/uptime" else World.text(world, path))
    view = eyes.look()
    assert (view.used[A], view.holders[0].seconds) == (None, None)


def test_who_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert eyes.alive(2 ** 22 + 7) is None
    assert eyes.alive(os.getpid()) is not None
    assert eyes.machine().text("/proc/self/stat")

    def torn(_path: str) -> t.NoReturn:
        raise UnreadableError("No such process")

    node = eyes.machine()
    monkeypatch.setattr(node, "text", torn)
    assert eyes.alive(os.getpid(), node) is None
