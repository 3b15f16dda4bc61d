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
        self.stale, self.unreadable = False, False
        monkeypatch.setattr(apply, "Machine", lambda timeout: tree.machine())
        monkeypatch.setattr(apply, "see", lambda path: Seen("file", self.files[path], 0, 0, "root", "root", 0o644)
                            if path in self.files else Seen())
        monkeypatch.setattr(apply, "replace_all", self._replace)
        monkeypatch.setattr(apply, "node_lock", self._lock)
        monkeypatch.setattr(apply.doors, "nodes", self._nodes)
        monkeypatch.setattr(apply.doors, "seen", self.doors.get)
        monkeypatch.setattr(apply.doors, "put", self._put)
        monkeypatch.setattr(apply.accounts, "seen", lambda users: Accounts(dict(self.groups), {user: 1001 + number for number, user in enumerate(sorted(users))}))
        monkeypatch.setattr(apply.accounts, "carry_out", self._groups)
        monkeypatch.setattr(apply.managers, "stale", lambda units: self.stale)
        monkeypatch.setattr(apply.managers, "tell", lambda commands: self.done.extend(map(" ".join, commands)))

    def _nodes(self, _machine: object, gpus: t.Collection[str]) -> tuple[Node, ...]:
        assert set(gpus) == {GPUS[0], GPUS[3]}
        if self.unreadable:
            raise UnreadableError("/sys/class/drm: permission denied")
        return tuple(Node(path, "kfd" if path == "/dev/kfd" else "render") for path in self.doors)

    @contextlib.contextmanager
    def _lock(self, timeout: float) -> t.Iterator[None]:
        self.done.append(f"lock {timeout:.0f}")
        yield

    def _replace(self, changes: t.Sequence[Change]) -> None:
        self.done.extend(change.words for change in changes)
        for change in changes:
            if change.wanted.content is None:
                self.files.pop(change.wanted.path, None)
            else:
                self.files[change.wanted.path] = change.wanted.content

    def _put(self, path: str, wanted: Access) -> None:
        self.done.append(f"{path} {wanted.text}")
        self.doors[path] = wanted

    def _groups(self, steps: t.Iterable[Step]) -> None:
        for step in steps:
            verb, name = step.argv[0], step.argv[-1]
            gid, members = self.groups.get(name, (900 + len(self.groups), ()))
            if step.argv[1] == "--add":
                members = (*members, step.argv[2])
            elif step.argv[1] == "--delete":
                members = tuple(one for one in members if one != step.argv[2])
            elif step.argv[1] == "--members":
                members = tuple(filter(None, step.argv[2].split(",")))
            self.groups[name] = (gid, members)
            if verb == "groupdel":
                del self.groups[name]
            self.done.append(step.words)

    def run(self, record: Record | None = RECORD, **options: t.Any) -> apply.Outcome:
        """Run it with the settings that the node has."""
        there = self.files.get(text_set.PATH)
        kept = text_set.read(there.decode()) if there else text_set.Settings()
        return apply.run(apply.Request(record, dc.replace(kept, **options.pop("site", {})), **options))
