# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""node_boot on a tree of files, with stand-ins for update-initramfs and GRUB's programs."""

from __future__ import annotations

import os
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import boot, choice, lock
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.modules import node_boot
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module

OLD, NEW = "6.1.0-56-amd64", "6.1.0-57-amd64"
OK = Done(0, "", "", 1)
ENTRY = "menuentry 'Debian, with Linux {0}' {{\n    linux /boot/vmlinuz-{0} ro{1}\n}}\n"
SAVED = 'if [ "${next_entry}" ] ; then\nset default="${next_entry}"\nelse\nset default="${saved_entry}"\nfi\n'
PART = 'if [ "${boot_once}" = true ]; then\n  set instinct_once="panic=30"\nfi\n'
ONCE = {"saved_entry": f"Debian, with Linux {OLD}", "next_entry": f"Debian, with Linux {NEW}"}
MADE = f"make {NEW} the kernel that boots"
TRIED = f"boot {NEW} once, with {OLD} as the default"


class Node:
    """Two kernels: the image of the old one is fresh, the new one has none; both have a driver. The menu is not ours yet."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.log: list[str] = []
        self.ends: dict[str, Done] = {}
        self.makes = True
        self.disk = {"fs": "ext2\n", "abstraction": ""}
        self.write("usr/sbin/update-initramfs", 10)
        self.write("usr/sbin/update-grub", 10)
        self.write("etc/grub.d/01_instinct_once", 10)
        self.boot(OLD, "b1")
        for kernel in (OLD, NEW):
            self.write(f"boot/vmlinuz-{kernel}", 10)
            self.write(f"lib/modules/{kernel}/updates/dkms/amdgpu.ko", 20)
            self.write(f"lib/modules/{kernel}/modules.dep", 20, "updates/dkms/amdgpu.ko:\n")
        self.write(f"boot/initrd.img-{OLD}", 30)
        self.write("boot/grub/grub.cfg", 40, 'set default="0"\n' + "".join(ENTRY.format(k, "") for k in (OLD, NEW)))

    def write(self, path: str, time: int, text: str = "") -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        os.utime(file, (time, time))

    def boot(self, kernel: str, identity: str) -> None:
        self.write("proc/sys/kernel/osrelease", 50, kernel)
        self.write("proc/sys/kernel/random/boot_id", 50, identity)

    def ours(self) -> None:
        """The menu as it is once our parts are in it."""
        self.write("boot/grub/grub.cfg", 40, SAVED + PART + "".join(ENTRY.format(k, " $instinct_once") for k in (NEW, OLD)))

    def environment(self) -> dict[str, str]:
        lines = (self.root / "boot/grub/grubenv").read_text().splitlines()
        return {name: value for name, equals, value in (line.partition("=") for line in lines) if value}

    def run(self, argv: t.Sequence[str], timeout: float, cwd: str = "/", **environment: str) -> Done:
        program = os.path.basename(argv[0])
        done = self.ends.get(program, OK)
        if program.endswith("-probe"):
            return done if done is not OK else Done(0, self.disk[argv[1].rpartition("=")[2]], "", 1)
        self.log.append(" ".join(argv).replace(str(self.root), ""))
        if done is OK and self.makes:
            if program == "update-initramfs":
                self.write(f"boot/initrd.img-{argv[-1]}", 50)
            elif program == "dracut":
                self.write(argv[2][1:] if argv[2] != "--kver" else f"boot/initramfs-{argv[-1]}.img", 50)
            elif program.endswith("-editenv"):
                Path(argv[1]).write_text("\n".join(argv[3:]))
            else:
                self.ours()
        return done


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    made = Node(tmp_path)
    monkeypatch.setattr(boot, "ROOT", str(tmp_path))
    monkeypatch.setattr(boot, "run", made.run)
    monkeypatch.setattr(choice.time, "sleep", lambda _seconds: made.log.append("sleep"))
    monkeypatch.setattr(lock, "LOCK", str(tmp_path / "lock"))
    return made


def edited(**values: str) -> str:
    return "grub-editenv /boot/grub/grubenv set " + " ".join(f"{name}={value}" for name, value in values.items())


def test_what_is_missing_is_made_and_the_kernel_is_chosen_and_read_back(node: Node) -> None:
    asked = {"images": [OLD, NEW], "next": NEW}
    words = [f"make the initramfs of {NEW}: there is none", "write the GRUB menu", MADE]
    assert (run_module(node_boot, asked, check=True)["actions"], node.log) == (words, [])
    result = run_module(node_boot, asked)
    assert (result["failed"], result["actions"], result["next_boot"], result["default_boot"]) == (False, words, NEW, NEW)
    assert node.log == [f"update-initramfs -c -k {NEW}", "update-grub", edited(saved_entry=f"Debian, with Linux {NEW}")]
    assert run_module(node_boot, asked)["actions"] == []


def test_a_kernel_boots_once_and_the_other_stays_the_default(node: Node) -> None:
    asked = {"next": NEW, "default": OLD, "fallback": "require"}
    told = {"once": True, "why": "", "panic": "panic=30", "words": ""}
    found = run_module(node_boot, asked, check=True)
    assert (found["actions"], found["fallback"], node.log) == (["write the GRUB menu", TRIED], told, [])
    result = run_module(node_boot, asked)
    assert (result["next_boot"], result["default_boot"], result["boot_id"], result["fallback"]) == (NEW, OLD, "b1", told)
    assert (node.log, node.environment()) == (["update-grub", edited(**ONCE)], ONCE)
    assert run_module(node_boot, asked)["actions"] == []


def test_what_is_only_asked_is_what_check_mode_tells(node: Node) -> None:
    for disk, mode in (("", "require"), ("diskfilter mdraid1x\n", "auto")):
        node.disk["abstraction"] = disk
        found = choice.asked(NEW, OLD, mode, 5)
        assert found.to_dict() == run_module(node_boot, {"next": NEW, "default": OLD, "fallback": mode}, check=True)["fallback"]
        assert (found.once, node.log) == (disk == "", [])
    with pytest.raises(FleetError, match="cannot be booted on trial"):
        choice.asked(NEW, OLD, "require", 5)
    (node.root / "boot/grub/grub.cfg").unlink()
    assert choice.asked(NEW, OLD, "auto", 5).words.startswith("which kernel boots was not chosen: ")


def test_the_menu_is_not_written_for_another_choice(node: Node) -> None:
    node.ours()
    assert run_module(node_boot, {"next": NEW, "default": OLD})["actions"] == [TRIED]
    assert run_module(node_boot, {"next": NEW})["actions"] == [MADE]
    assert node.log == [edited(**ONCE), edited(saved_entry=f"Debian, with Linux {NEW}", next_entry="")]


def test_where_grub_cannot_write_the_kernel_is_the_default_at_once_or_refused(node: Node) -> None:
    node.ours()
    node.disk["abstraction"] = "diskfilter mdraid1x\n"
    asked = {"next": NEW, "default": OLD}
    why = "GRUB cannot write to /boot/grub, which is on a software RAID"
    assert run_module(node_boot, {**asked, "fallback": "require"})["msg"].startswith(
        f"kernel {NEW}: cannot be booted on trial with {OLD} as what comes back: {why}; ")
    assert node.log == []
    result = run_module(node_boot, asked)
    assert (result["actions"], result["default_boot"], result["fallback"]["why"]) == ([MADE], NEW, why)


def test_where_kernels_write_the_menu_nothing_else_is_promised(node: Node) -> None:
    (node.root / "usr/sbin/update-grub").unlink()
    node.write("usr/bin/grub2-editenv", 10)
    node.write("boot/grub/grub.cfg", 40, SAVED + ENTRY.format(OLD, "") + ENTRY.format(NEW, " panic=5"))
    assert run_module(node_boot, {"next": NEW, "default": OLD}, check=True)["fallback"]["panic"] == "panic=5"
    result = run_module(node_boot, {"next": OLD, "default": NEW})
    assert result["fallback"]["words"] == (
        f"kernel {OLD} stays where it is if it panics, and {NEW} comes back with the next power cycle")
    assert node.log[0].startswith("grub2-editenv /boot/grub/grubenv set ")


def test_without_a_menu_nothing_is_chosen_and_it_is_said_or_refused(node: Node) -> None:
    (node.root / "boot/grub/grub.cfg").unlink()
    why = "no grub.cfg and no /vmlinuz: another boot loader decides"
    result = run_module(node_boot, {"next": NEW, "default": OLD})
    assert (result["actions"], result["next_boot"], result["fallback"]["words"]) == (
        [], None, f"which kernel boots was not chosen: {why}")
    assert run_module(node_boot, {"next": NEW, "default": OLD, "fallback": "require"})["msg"].startswith(
        f"kernel {NEW}: cannot be booted on trial with {OLD} as what comes back: {why}; ")
    assert run_module(node_boot, {"next": OLD, "fallback": "require"})["failed"] is False


def test_grubenv_may_be_a_link_to_the_efi_partition(node: Node) -> None:
    node.ours()
    node.disk["fs"] = "zfs"
    node.write("boot/efi/EFI/redhat/grubenv", 40)
    (node.root / "boot/grub/grubenv").symlink_to("../efi/EFI/redhat/grubenv")
    result = run_module(node_boot, {"next": NEW, "default": OLD}, check=True)
    assert result["fallback"]["why"] == "GRUB cannot write to /boot/efi/EFI/redhat, which is on zfs"


def test_what_grub_probe_does_not_tell_is_a_reason(node: Node) -> None:
    node.ours()
    node.ends["grub-probe"] = Done(1, "", "error: no such\n disk", 1)
    result = run_module(node_boot, {"next": NEW, "default": OLD}, check=True)
    assert result["fallback"]["why"] == "whether GRUB can write to /boot/grub is unknown: error: no such disk"


def proof(**values: t.Any) -> dict[str, t.Any]:
    return {"next": NEW, "proof": {"boot_id": "b1", "wait": 0, **values}}


def test_only_a_node_that_was_rebooted_into_the_kernel_keeps_it(node: Node) -> None:
    node.ours()
    node.write("boot/grub/grubenv", 40, f"saved_entry={ONCE['saved_entry']}\n")
    assert run_module(node_boot, proof())["msg"].startswith("reboot: did not happen: this is still the boot b1; ")
    node.boot(OLD, "b2")
    assert run_module(node_boot, proof())["msg"].startswith(f"kernel {NEW}: did not come up: the node came back by itself with {OLD}; ")
    assert node.environment() == {"saved_entry": ONCE["saved_entry"]}
    node.boot(NEW, "b2")
    assert run_module(node_boot, proof())["default_boot"] == NEW


def test_a_driver_on_its_way_is_waited_for_and_one_that_does_not_come_is_refused(node: Node) -> None:
    node.ours()
    node.boot(NEW, "b2")
    node.write(f"lib/modules/{NEW}/updates/dkms/amdgpu.ko", 20)
    said = run_module(node_boot, proof(kind="in_tree", gpus=2, wait=1))["msg"]
    assert said.startswith(f"/lib/modules/{NEW}/updates/dkms/amdgpu.ko: modprobe would load ")
    assert "sleep" in node.log


def test_a_kernel_whose_driver_drives_too_few_gpus_does_not_become_the_default(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    node.ours()
    node.write("boot/grub/grubenv", 40, f"saved_entry={ONCE['saved_entry']}\n")
    node.boot(NEW, "b2")
    own = f"lib/modules/{NEW}/kernel/drivers/gpu/drm/amd/amdgpu/amdgpu.ko"
    (node.root / f"lib/modules/{NEW}/updates/dkms/amdgpu.ko").unlink()
    node.write(own, 20)
    node.write(f"lib/modules/{NEW}/modules.dep", 20, own.partition(f"{NEW}/")[2] + ":\n")
    node.write("sys/module/amdgpu/initstate", 50, "live")
    monkeypatch.setattr(choice.amdgpu, "gpus", lambda: 1)
    monkeypatch.setattr(choice.amdgpu, "_unbound", lambda: ["0000:26:00.0"])
    said = run_module(node_boot, proof(kind="in_tree", gpus=2))["msg"]
    assert said.startswith("amdgpu: KFD shows 1 of 2 GPUs after 0 s; without driver: 0000:26:00.0; ")
    assert node.environment() == {"saved_entry": ONCE["saved_entry"]}
    monkeypatch.setattr(choice.amdgpu, "gpus", lambda: 2)
    assert run_module(node_boot, proof(kind="in_tree", gpus=2))["default_boot"] == NEW


def test_an_old_image_is_made_anew_once(node: Node) -> None:
    node.write(f"lib/modules/{OLD}/updates/dkms/amdgpu.ko", 35)
    assert run_module(node_boot, {"images": [OLD]})["actions"] == [f"make the initramfs of {OLD}: it is older than the driver"]
    again = run_module(node_boot, {"images": [OLD]})
    assert again == {"actions": [], "changed": False, "failed": False, "diff": [], "next_boot": OLD, "default_boot": OLD, "boot_id": "b1"}
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
    ("a kernel that is not installed", {}, True, {"next": "6.2"},
     "GRUB: has no menu entry for 6.2; look for its image in /boot, and at grub.cfg"),
    ("no kernel", {}, True, {"images": ["-k all"]},
     "kernels: '-k all' is not a kernel release; give it as uname -r prints it"),
]


@pytest.mark.parametrize(("ends", "makes", "options", "sentence"), [c[1:] for c in REFUSALS], ids=[c[0] for c in REFUSALS])
def test_what_goes_wrong_is_one_sentence(node: Node, ends, makes, options, sentence) -> None:
    node.ends, node.makes = ends, makes
    assert run_module(node_boot, options)["msg"] == sentence
