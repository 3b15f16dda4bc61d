# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files, links and time of a machine below a folder."""

from __future__ import annotations

import os

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._node import machine as subject
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree


def test_files_are_read_or_absent(tree: Tree) -> None:
    tree.fill({"/etc/one": " word \n", "/etc/empty": "\n"})
    machine = tree.machine()
    assert (machine.data("/etc/one"), machine.text("/etc/one"), machine.word("/etc/one")) == (b" word \n", " word \n", "word")
    assert [machine.word("/etc/empty"), machine.word("/etc/none"), machine.text("/etc/one/below")] == [None, None, None]
    assert [machine.exists("/etc/one"), machine.exists("/etc/none")] == [True, False]
    assert [machine.names("/etc"), machine.names("/none")] == [("empty", "one"), ()]


def test_a_folder_is_no_file(tree: Tree) -> None:
    tree.folder("/etc/folder")
    with pytest.raises(UnreadableError, match="/etc/folder: Is a directory"):
        tree.machine().text("/etc/folder")


# id, links, path, real path
LINKS = [
    ("no link", {}, "/opt/rocm/lib", "/opt/rocm/lib"),
    ("absolute link stays in the tree", {"/opt/rocm": "/etc/alternatives/rocm", "/etc/alternatives/rocm": "/opt/rocm-7.0.2"},
     "/opt/rocm/lib", "/opt/rocm-7.0.2/lib"),
    ("relative link", {"/opt/rocm": "rocm-7.0.2"}, "/opt/rocm", "/opt/rocm-7.0.2"),
    ("link upwards", {"/opt/a/b": "../../usr/c"}, "/opt/a/b/./d", "/usr/c/d"),
    ("link above the root", {"/a": "../../../b"}, "/a", "/b"),
    ("the root", {}, "/", "/"),
]


@pytest.mark.parametrize(("links", "path", "real"), [c[1:] for c in LINKS], ids=[c[0] for c in LINKS])
def test_real_follows_links(tree: Tree, links: dict[str, str], path: str, real: str) -> None:
    for link, target in links.items():
        tree.link(link, target)
    assert tree.machine().real(path) == real


def test_a_circle_of_links_is_unreadable(tree: Tree) -> None:
    tree.link("/a", "/b")
    tree.link("/b", "/a")
    with pytest.raises(UnreadableError, match="/a is a circle of links"):
        tree.machine().text("/a")


def test_links_are_told_as_they_are_written(tree: Tree) -> None:
    tree.link("/opt/rocm", "/opt/rocm-7.0.2")
    tree.write("/opt/rocm-7.0.2/lib/x")
    tree.link("/opt/rocm-7.0.2/driver", "../../bus/amdgpu")
    machine = tree.machine()
    assert [machine.link("/opt/rocm"), machine.link("/opt/rocm/lib")] == ["/opt/rocm-7.0.2", None]
    assert [machine.link_name("/opt/rocm/driver"), machine.link_name("/none")] == ["amdgpu", None]


def test_accounts_are_names_or_numbers(tree: Tree) -> None:
    tree.fill({"/etc/passwd": "root:x:0:0::/:/bin/sh\n", "/etc/group": "root:x:0:\nrender:x:105:\n"})
    machine = tree.machine()
    assert [machine.user(0), machine.user(7), machine.group(105), machine.group(7)] == ["root", "7", "render", "7"]
    assert machine.groups() == {"root": 0, "render": 105}


def test_status_of_what_a_path_leads_to(tree: Tree) -> None:
    tree.write("/dev/kfd").chmod(0o660)
    tree.link("/dev/link", "/dev/kfd")
    status = tree.machine().stat("/dev/link")
    assert status is not None
    assert subject.mode_text(status) == "0660"
    assert tree.machine().stat("/dev/none") is None


def test_time_that_is_used_up_is_a_reason(tree: Tree) -> None:
    tree.commands["true"] = Ran(0, "", "")
    machine = tree.machine(timeout=0)
    with pytest.raises(UnreadableError, match="the time of 0 s is used up"):
        machine.run("true")
    assert tree.asked == []


def test_commands_get_what_is_left(tree: Tree) -> None:
    tree.commands.update({"true": Ran(0, "", ""), "hang": None})
    machine = tree.machine(timeout=3)
    assert machine.run("true") == Ran(0, "", "")
    with pytest.raises(UnreadableError, match="it did not end in 3 s"):
        machine.run("hang")
    with pytest.raises(UnreadableError, match="it did not end in 1 s"):
        machine.run("hang", most=1)


@pytest.mark.parametrize(("uid", "root"), [(0, True), (1000, False)])
def test_root_user(tree: Tree, uid: int, root: bool) -> None:
    assert tree.machine(uid=uid).root_user is root
    assert tree.machine().root_user is (os.geteuid() == 0)


def test_without_a_folder_it_is_this_machine() -> None:
    machine = subject.Machine()
    assert machine.word("/proc/sys/kernel/osrelease") == os.uname().release
    assert machine.real("/proc/self/exe") == os.path.realpath("/proc/self/exe")
    assert machine.run("/bin/echo", "hi") == Ran(0, "hi\n", "")
    assert machine.apart(lambda: 1).result(5) == 1


def test_changed_is_of_the_path_itself(tree: Tree) -> None:
    tree.fill({"/a/file": "", "/b/x": ""})
    tree.link("/a/link", "/b")
    tree.link("/c", "/a")
    machine = tree.machine()
    assert machine.changed("/c/link") == os.lstat(tree.root / "a/link").st_ctime
    assert machine.changed("/a/file") == os.stat(tree.root / "a/file").st_ctime
    assert machine.changed("/a/none") is None
