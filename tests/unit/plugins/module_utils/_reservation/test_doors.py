# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permissions of device nodes, on files that stand in for them."""

from __future__ import annotations

import errno
import grp
import os
import types
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_access import Access, Node
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_acl import encoded
from ansible_collections.instinct.fleet.plugins.module_utils._reservation import doors
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

GROUPS = {"render": 110, "gpu-vision": 998, "gpu-research": 997}
SHARED = Access("root", 0o660, ("gpu-research", "gpu-vision"))


class Door:
    """A file whose owner and list anybody may set."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path, self.owner, self.lists, self.modes = str(path), (0, 110), {}, []
        path.write_bytes(b"")
        path.chmod(0o660)
        stat, chmod = os.stat, os.chmod
        monkeypatch.setattr(os, "stat", lambda path: types.SimpleNamespace(
            st_uid=self.owner[0], st_gid=self.owner[1], st_mode=stat(path).st_mode))
        monkeypatch.setattr(os, "chown", lambda path, uid, gid: setattr(self, "owner", (uid, gid)))
        monkeypatch.setattr(os, "chmod", lambda path, mode: (self.modes.append(mode), chmod(path, mode)))
        monkeypatch.setattr(os, "getxattr", self._get)
        monkeypatch.setattr(os, "setxattr", self._set)
        monkeypatch.setattr(os, "removexattr", lambda path, name: self.lists.pop(name))
        monkeypatch.setattr(grp, "getgrnam", lambda name: types.SimpleNamespace(gr_gid=GROUPS[name]))
        monkeypatch.setattr(grp, "getgrgid", lambda gid: types.SimpleNamespace(
            gr_name={0: "root", **{number: name for name, number in GROUPS.items()}}[gid]))
        self.chmod = chmod

    def _get(self, path: str, name: str) -> bytes:
        if name not in self.lists:
            raise OSError(errno.ENODATA, "No data available")
        return self.lists[name]

    def _set(self, path: str, name: str, value: bytes) -> None:
        self.lists[name] = value
        self.chmod(path, 0o660)  # as the kernel does: owner, mask and others are the mode


@pytest.fixture
def door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Door:
    return Door(tmp_path / "renderD128", monkeypatch)


@pytest.mark.parametrize("before", [Access("render"), Access("root", 0o600), SHARED])
@pytest.mark.parametrize("wanted", [Access("gpu-vision"), Access("root", 0o600), SHARED])
def test_what_is_put_is_seen(door: Door, before: Access, wanted: Access) -> None:
    doors.put(door.path, before)
    door.modes.clear()
    doors.put(door.path, wanted)
    assert (doors.seen(door.path), door.modes[0]) == (wanted, 0)


def test_a_list_has_the_numbers_of_the_groups(door: Door) -> None:
    doors.put(door.path, SHARED)
    assert door.lists == {"system.posix_acl_access": encoded([997, 998])}


@pytest.mark.parametrize(("owner", "raw"), [((1001, 110), None), ((0, 110), encoded([998])[:-4] + b"\0\0\0\0")])
def test_what_somebody_else_set_is_nothing_of_ours(door: Door, owner: tuple, raw: bytes | None) -> None:
    door.owner = owner
    if raw:
        door.lists["system.posix_acl_access"] = raw
    assert doors.seen(door.path) is None


def test_groups_without_a_name_have_their_number(door: Door) -> None:
    door.owner = (0, 4711)
    assert doors.seen(door.path) == Access("4711")


def test_a_group_that_is_not_there_changes_nothing(door: Door) -> None:
    with pytest.raises(FleetError, match=r"^group gpu-nobody: does not exist on the node; run instinct-reservation apply$"):
        doors.put(door.path, Access("gpu-nobody"))
    assert door.modes == []


@pytest.mark.parametrize(("number", "raised"), [(errno.EOPNOTSUPP, False), (errno.EACCES, True)])
def test_a_place_without_lists_has_none(door: Door, monkeypatch: pytest.MonkeyPatch, number: int, raised: bool) -> None:
    def none(_path: str, _name: str) -> t.NoReturn:
        raise OSError(number, "no")

    monkeypatch.setattr(os, "getxattr", none)
    if raised:
        with pytest.raises(OSError, match="no"):
            doors.seen(door.path)
    else:
        assert doors.seen(door.path) == Access("render")


def test_nodes_are_those_of_the_gpus_and_of_all_partitions(tree: Tree) -> None:
    drm = "/sys/class/drm"
    for name, device in (("card0", "0000:05:00.0"), ("renderD128", "0000:05:00.0"), ("renderD129", "amdgpu_xcp_0"), ("card1", "0000:02:00.0"),
                         ("renderD130", "0000:05:00.0")):
        tree.link(f"{drm}/{name}/device", f"/sys/devices/{device}")
    for name in ("kfd", "dri/card0", "dri/renderD128", "dri/renderD129", "dri/card1"):
        tree.write(f"/dev/{name}")
    tree.folder(f"{drm}/card0-DP-1")
    assert doors.nodes(tree.machine(), ["0000:05:00.0"]) == (
        Node("/dev/kfd", "kfd"), Node("/dev/dri/card0", "card", "0000:05:00.0"), Node("/dev/dri/renderD128", "render", "0000:05:00.0"),
        Node("/dev/dri/renderD129", "render"))
