# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""node_boot on a tree of files, with stand-ins for update-initramfs and update-grub."""

from __future__ import annotations

import os
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import boot, lock
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.modules import node_boot
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module

OLD, NEW = "6.1.0-56-amd64", "6.1.0-57-amd64"
OK = Done(0, "", "", 1)
ENTRY = "menuentry 'Debian, with Linux {0}' {{\n    linux /boot/vmlinuz-{0} ro\n}}\n"


class Node:
    """Two kernels: the image of the old one is fresh, the new one has none; both have a driver."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.log: list[str] = []
        self.ends: dict[str, Done] = {}
        self.makes = True
        self.write("usr/sbin/update-initramfs", 10)
        for kernel in (OLD, NEW):
            self.write(f"boot/vmlinuz-{kernel}", 10)
            self.write(f"lib/modules/{kernel}/updates/dkms/amdgpu.ko", 20)
            self.write(f"lib/modules/{kernel}/modules.dep", 20, "updates/dkms/amdgpu.ko:\n")
        self.write(f"boot/initrd.img-{OLD}", 30)
        self.menu(OLD)

    def write(self, path: str, time: int, text: str = "") -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        os.utime(file, (time, time))

    def menu(self, first: str) -> None:
        kernels = [first, *({OLD, NEW} - {first})]
        self.write("boot/grub/grub.cfg", 40, 'set default="0"\n' + "".join(map(ENTRY.format, kernels)))

    def run(self, argv: t.Sequence[str], timeout: float, cwd: str = "/", **environment: str) -> Done:
        self.log.append(" ".join(argv))
        done = self.ends.get(argv[0], OK)
        if done is OK and self.makes:
            if argv[0] == "update-initramfs":
                self.write(f"boot/initrd.img-{argv[-1]}", 50)
            elif argv[0] == "dracut":
                self.write(argv[2][1:] if argv[2] != "--kver" else f"boot/initramfs-{argv[-1]}.img", 50)
            else:
                self.menu(NEW)
        return done


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    made = Node(tmp_path)
    monkeypatch.setattr(boot, "ROOT", str(tmp_path))
    monkeypatch.setattr(boot, "run", made.run)
    monkeypatch.setattr(lock, "LOCK", str(tmp_path / "lock"))
    return made


def test_what_is_missing_is_made_and_the_menu_is_proved(node: Node) -> None:
    asked = {"images": [OLD, NEW], "next": NEW}
    words = [f"make the initramfs of {NEW}: there is none", "write the GRUB menu"]
    assert (run_module(node_boot, asked, check=True)["actions"], node.log) == (words, [])
    result = run_module(node_boot, asked)
    assert (result["failed"], result["actions"], result["next_boot"]) == (False, words, NEW)
    assert node.log == [f"update-initramfs -c -k {NEW}", "update-grub"]


def test_an_old_image_is_made_anew_once(node: Node) -> None:
    node.write(f"lib/modules/{OLD}/updates/dkms/amdgpu.ko", 35)
    assert run_module(node_boot, {"images": [OLD]})["actions"] == [f"make the initramfs of {OLD}: it is older than the driver"]
    assert run_module(node_boot, {"images": [OLD]}) == {"actions": [], "changed": False, "failed": False, "diff": [], "next_boot": OLD}
    assert node.log == [f"update-initramfs -u -k {OLD}"]


def test_a_fresh_image_is_made_anew_on_demand(node: Node) -> None:
    assert run_module(node_boot, {"images": [OLD], "anew": [OLD]})["actions"] == [
        f"make the initramfs of {OLD}: what is copied into it changed"]
    assert node.log == [f"update-initramfs -u -k {OLD}"]


def test_dracut_writes_the_image_that_the_boot_loader_reads(node: Node) -> None:
    (node.root / "usr/sbin/update-initramfs").unlink()
    assert run_module(node_boot, {"images": [NEW]})["msg"] == (
        f"initramfs of {NEW}: cannot be made: neither initramfs-tools nor dracut is installed")
    node.write("usr/bin/dracut", 10)
    (node.root / f"boot/initrd.img-{OLD}").rename(node.root / f"boot/initrd-{OLD}")
    node.write(f"lib/modules/{OLD}/updates/dkms/amdgpu.ko", 35)
    assert len(run_module(node_boot, {"images": [OLD, NEW]})["actions"]) == 2
    assert node.log == [f"dracut --force /boot/initrd-{OLD} --kver {OLD}", f"dracut --force --kver {NEW}"]
    assert run_module(node_boot, {"images": [OLD, NEW]})["actions"] == []


# id, how programs end, whether they do anything, options, sentence
REFUSALS: list[tuple[str, dict[str, Done], bool, dict[str, t.Any], str]] = [
    ("an image that hangs", {"update-initramfs": Done(-9, "", "", 5, timed_out=True)}, True, {"images": [NEW], "timeout": 5},
     f"update-initramfs -c -k {NEW}: did not end within 5 s; what it was doing may be half done"),
    ("a full disk", {"update-initramfs": Done(1, "", "zstd: error 70:\n No space left\n", 5)}, True, {"images": [NEW]},
     f"update-initramfs -c -k {NEW}: ended with 1: zstd: error 70: No space left; is there room in /boot?"),
    ("an image that was not made", {}, False, {"images": [NEW]},
     f"initramfs of {NEW}: was made, and there is none all the same; is there room in /boot?"),
    ("a menu that hangs", {"update-grub": Done(-9, "", "", 600, timed_out=True)}, True, {"next": NEW},
     "update-grub: did not end within 600 s; what it was doing may be half done"),
    ("another kernel boots", {}, False, {"next": NEW},
     f"GRUB: boots {OLD} next, not {NEW}; look for another GRUB_DEFAULT in /etc/default/grub.d, and for its entry in grub.cfg"),
    ("no kernel", {}, True, {"images": ["-k all"]},
     "kernels: '-k all' is not a kernel release; give it as uname -r prints it"),
]


@pytest.mark.parametrize(("ends", "makes", "options", "sentence"), [c[1:] for c in REFUSALS], ids=[c[0] for c in REFUSALS])
def test_what_goes_wrong_is_one_sentence(node: Node, ends, makes, options, sentence) -> None:
    node.ends, node.makes = ends, makes
    assert run_module(node_boot, options)["msg"] == sentence
