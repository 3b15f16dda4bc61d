# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of an image: links stay in it, and nothing in it makes a reader wait."""

from __future__ import annotations

import errno
import os
import pathlib
import stat
import time
import tracemalloc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._image import tree as trees
from ansible_collections.instinct.fleet.plugins.module_utils._image.tree import Tree
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError


@pytest.fixture
def root(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "secret").write_text("of the node")
    tree = tmp_path / "tree"
    for folder in ("etc", "usr/lib", "proc", "dev"):
        (tree / folder).mkdir(parents=True)
    (tree / "etc/os-release").write_text("ID=debian\n")
    (tree / "proc/version").write_text("of the node")
    return tree


@pytest.mark.parametrize("target", ["../../secret", "../../../../../../../../secret", "{outside}", "/etc/../../secret"])
def test_no_link_leads_out(root: pathlib.Path, target: str) -> None:
    (root / "etc/leak").symlink_to(target.format(outside=root.parent / "secret"))
    assert Tree(str(root)).text("/etc/leak") is None


def test_a_link_within_is_followed_from_the_trees_own_root(root: pathlib.Path) -> None:
    (root / "etc/again").symlink_to("/etc/os-release")
    assert Tree(str(root)).text("/etc/again") == "ID=debian\n"


def test_a_folder_that_leads_out_leads_nowhere(root: pathlib.Path) -> None:
    (root / "opt").symlink_to(str(root.parent))
    assert Tree(str(root)).text("/opt/secret") is None
    assert [path for path, _status in Tree(str(root)).walk()] == ["/opt", "/etc/os-release"]


def test_what_is_no_plain_file_is_not_waited_for(root: pathlib.Path) -> None:
    os.mkfifo(root / "etc/group")
    start = time.monotonic()
    with pytest.raises(UnreadableError, match="/etc/group is no plain file"):
        Tree(str(root)).text("/etc/group")
    assert time.monotonic() - start < 5


def test_a_large_file_is_not_read(root: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "_LARGEST", 9)
    with pytest.raises(UnreadableError, match="is larger than"):
        Tree(str(root)).data("/etc/os-release")


def test_parts_of_a_file(root: pathlib.Path) -> None:
    assert Tree(str(root)).reading("/etc/os-release", lambda window: (window[3:9], window[5:5], window[9:3])) == (b"debian", b"", b"")
    assert Tree(str(root)).reading("/etc/none", lambda window: 1) is None


@pytest.mark.parametrize(("part", "found"), [
    (slice(1 << 63, (1 << 63) + 8), b""), (slice(1 << 200, 1 << 201), b""), (slice(0, 1 << 200), b"ID=debian\n"),
    (slice(7, 1 << 63), b"an\n"), (slice(-5, 3), b"ID="), (slice(10, 10), b"")])
def test_ends_that_are_far_out_are_those_of_the_file(root: pathlib.Path, part: slice, found: bytes) -> None:
    assert Tree(str(root)).reading("/etc/os-release", lambda window: window[part]) == found


def test_a_file_with_a_hole_is_not_taken_into_memory(root: pathlib.Path) -> None:
    with open(root / "etc/hole", "wb") as file:
        file.truncate(1 << 40)
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableError, match="/etc/hole"):
            Tree(str(root)).reading("/etc/hole", lambda window: window[0:1 << 40])
        with pytest.raises(UnreadableError, match="/etc/hole is larger than"):
            Tree(str(root)).data("/etc/hole")
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_disk_that_fails_is_told(root: pathlib.Path) -> None:
    def fail(_window: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    with pytest.raises(UnreadableError, match="/etc/os-release: Input/output error"):
        Tree(str(root)).reading("/etc/os-release", fail)


def test_the_walk_leaves_out_what_is_the_nodes(root: pathlib.Path) -> None:
    assert [path for path, _status in Tree(str(root)).walk()] == ["/etc/os-release"]
    (root / "dev/kfd").touch()
    assert [path for path, _status in Tree(str(root)).walk("/dev")] == ["/dev/kfd"]


def test_a_folder_of_devices_that_is_mounted_is_walked(root: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As of ``--volume /dev/infiniband:/dev/infiniband``; what is no device stays out."""
    for name in ("infiniband/uverbs0", "shm/large", "pts/0"):
        (root / "dev" / name).parent.mkdir(exist_ok=True)
        (root / "dev" / name).touch()
    (root / "srv/data").mkdir(parents=True)
    (root / "srv/data/file").touch()
    real = os.lstat

    def elsewhere(path: str) -> os.stat_result:
        """Each folder is a file system of its own."""
        found = list(real(path))
        found[2] = hash(path) if stat.S_ISDIR(found[0]) else found[2]
        return os.stat_result(found)
    monkeypatch.setattr(trees.os, "lstat", elsewhere)
    assert [path for path, _status in Tree(str(root)).walk("/dev")] == ["/dev/infiniband/uverbs0"]
    assert [path for path, _status in Tree(str(root)).walk()] == ["/etc/os-release"]


def test_the_walk_ends_with_the_time(root: pathlib.Path) -> None:
    with pytest.raises(UnreadableError, match="the time of 0 s is used up"):
        list(Tree(str(root), timeout=0).walk())


def test_what_goes_away_meanwhile_is_not_there(root: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tree, "names", lambda _self, path: ("gone",) if path == "/" else ())
    assert list(Tree(str(root)).walk()) == []
