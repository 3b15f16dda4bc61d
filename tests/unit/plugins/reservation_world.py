# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node of a whole GPU and one in halves, whose files, groups, doors and units are kept here and not on this machine."""

from __future__ import annotations

import contextlib
import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.fileset import Change, Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import text_set
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_access import Access, Node
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_groups import Seen as Accounts
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_groups import Step
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_names import TIMER
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.plugins.module_utils._reservation import apply
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree
from ansible_collections.instinct.fleet.tests.unit.support.granted import (
    FIRST,
    GPUS,
    HALF,
    OTHER_HALF,
    RESEARCH,
    VISION,
    grant,
)

RECORD = Record((RESEARCH, VISION), (grant("half", "research", HALF), grant("serve", "vision", FIRST, priority="P0")), (), (OTHER_HALF,))
RENDER = Access("render")
UIDS = {"alice": 1001, "bob": 1002, "carol": 1003, "erin": 1005}


class World:
    """What is there, and what was done, in order."""

    def __init__(self, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
        tree.pci(GPUS[0])
        tree.pci(GPUS[3])
        for number, location, minor in ((2, 0x500, 128), (3, 0x6500, 152), (4, 0x6501, 153)):
            tree.kfd_node(number, location, minor)
        self.tree = tree
        self.files: dict[str, bytes] = {}
        self.groups: dict[str, tuple[int, tuple[str, ...]]] = {"render": (110, ())}
        self.doors = dict.fromkeys(("/dev/kfd", *(f"/dev/dri/renderD{minor}" for minor in (128, 152, 153))), RENDER)
        self.done: list[str] = []
        self.unread = self.timer = self.unreadable = False
        self.strangers: set[str] = set()  # users whom the node does not know
        self.logins: dict[int, frozenset[int]] = {}
        self.failing: dict[str, Exception] = {}  # path of a file or a device node to why it cannot be set
        monkeypatch.setattr(apply, "Machine", lambda timeout: tree.machine())
        monkeypatch.setattr(apply, "see", lambda path: Seen("file", self.files[path], 0, 0, "root", "root", 0o644)
                            if path in self.files else Seen())
        monkeypatch.setattr(apply, "replace_all", self._replace)
        monkeypatch.setattr(apply, "node_lock", self._lock)
        monkeypatch.setattr(apply.doors, "nodes", self._nodes)
        monkeypatch.setattr(apply.doors, "seen", self.doors.get)
        monkeypatch.setattr(apply.doors, "put", self._put)
        monkeypatch.setattr(apply.accounts, "seen", lambda users: Accounts(
            dict(self.groups), {user: UIDS[user] for user in users if user not in self.strangers}, logins=self.logins))
        monkeypatch.setattr(apply.accounts, "carry_out", self._groups)
        monkeypatch.setattr(apply.managers, "unread", lambda: self.unread)
        monkeypatch.setattr(apply.managers, "runs", lambda unit: self.timer)
        monkeypatch.setattr(apply.managers, "tell", self._tell)
        monkeypatch.setattr(apply.managers, "settle", lambda: self.done.append("settle"))
        monkeypatch.setattr(apply.managers, "until_told", self._until_told)

    def _nodes(self, _machine: object, gpus: t.Collection[str]) -> tuple[Node, ...]:
        assert set(gpus) == {GPUS[0], GPUS[3]}
        if self.unreadable:
            raise UnreadableError("/sys/class/drm: permission denied")
        return tuple(Node(path, "kfd" if path == "/dev/kfd" else "render") for path in self.doors)

    @contextlib.contextmanager
    def _lock(self, timeout: float) -> t.Iterator[None]:
        self.done.append(f"lock {timeout:.0f}")
        yield

    @contextlib.contextmanager
    def _until_told(self, commands: t.Sequence[tuple[str, ...]]) -> t.Iterator[None]:
        self.unread = self.unread or bool(commands)
        yield
        self.unread = False

    def _tell(self, commands: t.Sequence[tuple[str, ...]]) -> None:
        for command in commands:
            self._fail(command[0])
            self.done.append(" ".join(command))
            if command[-1] == TIMER:
                self.timer = command[1] == "restart"

    def _fail(self, name: str) -> None:
        if name in self.failing:
            raise self.failing[name]

    def _replace(self, changes: t.Sequence[Change]) -> None:
        for change in changes:
            self._fail(change.wanted.path)
        self.done.extend(change.words for change in changes)
        for change in changes:
            if change.wanted.content is None:
                self.files.pop(change.wanted.path, None)
            else:
                self.files[change.wanted.path] = change.wanted.content

    def _put(self, path: str, wanted: Access) -> None:
        self._fail(path)
        self.done.append(f"{path} {wanted.text}")
        self.doors[path] = wanted

    def _groups(self, steps: t.Iterable[Step]) -> None:
        for step in steps:
            self._fail(step.words)
            name = step.argv[-1]
            gid, members = self.groups.get(name, (900 + len(self.groups), ()))
            if step.argv[1] == "--add":
                members = (*members, step.argv[2])
            elif step.argv[1] == "--delete":
                members = tuple(one for one in members if one != step.argv[2])
            self.groups[name] = (gid, members)
            self.done.append(step.words)

    def run(self, record: Record | None = RECORD, **options: t.Any) -> apply.Outcome:
        """Run it with the settings that the node has."""
        site = options.pop("site", {})

        def asked() -> apply.Request:
            there = self.files.get(text_set.PATH)
            kept = text_set.read(there.decode()) if there else text_set.Settings()
            return apply.Request(record, dc.replace(kept, **site), **options)

        return apply.run(asked)
