# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""host_tuning on a fabricated node whose kernel, systemd, setpci and boot loader do what they are told."""

from __future__ import annotations

import dataclasses as dc
import struct
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import boot, files, tuning, tuning_seen
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning import texts
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.plugins.modules import host_tuning
from ansible_collections.instinct.fleet.plugins.plugin_utils import tuning_data
from ansible_collections.instinct.fleet.tests.unit.plugins.config_space import ACS_AT, config_space
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree
from ansible_collections.instinct.fleet.tests.unit.plugins.owners import Owners
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module
from ansible_collections.instinct.fleet.tests.unit.support.tuning import ALL, IOMMU, KERNEL, STAYS, SYSCTL

Result = dict[str, t.Any]
CHOSEN = [setting.told for setting in ALL]
BRIDGE = "/sys/bus/pci/devices/0000:00:01.1/config"
PROC = "/proc/sys/vm/compaction_proactiveness"
WANTS = f"/etc/systemd/system/multi-user.target.wants/{texts.UNIT_NAME}"


class Node:
    """A Debian node. Everything that it is told to do is in ``told``."""

    def __init__(self, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tree, self.told = tree, list[str]()
        self.boot_words = "root=/dev/sda1 ro quiet"
        tree.fill({"/proc/cmdline": f"{self.boot_words}\n", PROC: "0\n", "/etc/apt/apt.conf.d/01keep": "",
                   "/usr/bin/setpci": "", "/usr/sbin/update-grub": "", "/boot/grub/grubenv": "# GRUB Environment Block\n"})
        tree.write(BRIDGE, bytes(config_space(port=0x4, acs=0x1D)))
        self.menu()
        tree.commands["systemctl show"] = Ran(0, "DefaultLimitMEMLOCK=8388608\nDefaultLimitMEMLOCKSoft=8388608\n", "")
        Owners(monkeypatch)
        monkeypatch.setattr(tuning_seen, "Machine", lambda _root: tree.machine())
        monkeypatch.setattr(boot, "ROOT", str(tree.root))
        monkeypatch.setattr(boot, "run", self.run)
        monkeypatch.setattr(tuning, "run", self.run)
        monkeypatch.setattr(tuning, "proc", lambda name: f"{tree.root}{tuning_seen.proc(name)}")
        monkeypatch.setattr(tuning, "replace_all", lambda changes: files.replace_all(
            [dc.replace(change, wanted=dc.replace(change.wanted, path=f"{tree.root}{change.wanted.path}")) for change in changes]))

    def menu(self) -> None:
        """Make grub.cfg of what our part appends."""
        part = self.tree.root / texts.GRUB.lstrip("/")
        words = texts.appended_by(part.read_text()) if part.exists() else ()
        line = f"linux /boot/vmlinuz-{KERNEL} {' '.join((self.boot_words, *words))}"
        self.tree.write("/boot/grub/grub.cfg", f"set default=\"0\"\nmenuentry 'Debian, {KERNEL}' {{\n  {line}\n}}\n")

    def run(self, argv: t.Sequence[str], _timeout: float) -> Done:
        """Do what a program would do."""
        command, wants = " ".join(argv), self.tree.root / WANTS.lstrip("/")
        self.told.append(command)
        if command == "update-grub":
            self.menu()
        elif command.startswith("systemctl enable"):
            self.tree.link(WANTS, f"/etc/systemd/system/{texts.UNIT_NAME}")
        elif command.startswith("systemctl disable"):
            wants.unlink()
        elif command.startswith("systemctl restart"):
            self.registers(0)
        elif command == "systemctl daemon-reload":
            conf = self.tree.root / texts.MANAGER.lstrip("/")
            limit = conf.read_text().rpartition("=")[2].strip() if conf.exists() else "8388608"
            self.tree.commands["systemctl show"] = Ran(0, f"DefaultLimitMEMLOCK={limit}\n", "")
        elif command.startswith("setpci"):
            self.registers(int(argv[-1].rpartition("=")[2], 16))
        return Done(0, "", "", 0)

    def registers(self, value: int) -> None:
        space = bytearray((self.tree.root / BRIDGE.lstrip("/")).read_bytes())
        struct.pack_into("<H", space, ACS_AT + 6, value)
        self.tree.write(BRIDGE, bytes(space))

    def text(self, path: str) -> str:
        return (self.tree.root / path.lstrip("/")).read_text()


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    return Node(Tree(tmp_path), monkeypatch)


def states(result: Result) -> dict[str, str]:
    return {one["id"]: one["state"] for one in result["settings"]}


def test_a_node_is_tuned_checked_left_alone_and_given_back(node: Node) -> None:
    before = {path: path.read_bytes() for path in node.tree.root.rglob("*") if path.is_file()}
    checked = run_module(host_tuning, {"chosen": CHOSEN}, check=True)
    assert (checked["changed"], checked["as_wanted"], node.told) == (True, False, [])
    assert {path: path.read_bytes() for path in node.tree.root.rglob("*") if path.is_file()} == before
    done = run_module(host_tuning, {"chosen": CHOSEN})
    assert (done["failed"], done["actions"], done["diff"]) == (False, checked["actions"], checked["diff"])
    assert states(done) == {s.id: "reboot" if s is IOMMU else "ok" for s in ALL}
    assert (done["as_wanted"], done["reboot_required"], node.text(PROC)) == (False, True, "20\n")
    assert node.told == ["systemctl daemon-reload", f"systemctl enable {texts.UNIT_NAME}", f"systemctl restart {texts.UNIT_NAME}", "update-grub"]
    again = run_module(host_tuning, {"chosen": CHOSEN})
    assert (again["changed"], again["actions"], again["diff"], len(node.told)) == (False, [], [], 4)
    node.tree.write("/proc/cmdline", f"{node.boot_words} iommu=pt\n")
    verified = run_module(host_tuning, {"chosen": CHOSEN, "state": "verified"})
    assert (verified["as_wanted"], verified["reboot_required"], verified["changed"]) == (True, False, False)
    back = run_module(host_tuning, {"state": "absent"})
    assert (back["settings"], back["reboot_required"], node.text(PROC)) == ([], True, "0\n")
    assert "setpci -s 0000:00:01.1 ECAP_ACS+6.w=001d" in node.told and "iommu" not in node.text("/boot/grub/grub.cfg")
    node.tree.write("/proc/cmdline", f"{node.boot_words}\n")
    left = {path: path.read_bytes() for path in node.tree.root.rglob("*") if path.is_file()}
    assert left == before
    assert run_module(host_tuning, {"state": "absent"})["changed"] is False


def picked(**options: t.Any) -> list[Result]:
    """What the controller chooses of our settings for a node of one MI300X, as the module gets it."""
    seen = shape.Look(gpus=shape.Gpus((shape.Gpu(0, "0000:01:00.0", "74a1"),)), host=shape.Host(cpu_vendor="AuthenticAMD"))
    given: Result = {"profile": "", "also": [], "skip": [], "values": {}, "catalogue_dirs": [], **options}
    return [setting.told for setting in tuning_data.chosen(given, seen)[0].settings]


def test_display_adapters_are_kept_out_beside_those_that_are(node: Node) -> None:
    node.boot_words += " modprobe.blacklist=nouveau"
    node.menu()
    node.tree.write("/proc/cmdline", f"{node.boot_words}\n")
    result = run_module(host_tuning, {"chosen": picked(also=["blacklist-ast", "blacklist-mgag200"])})
    assert (result["failed"], states(result)) == (False, {"blacklist-ast": "reboot", "blacklist-mgag200": "reboot"})
    assert "nouveau modprobe.blacklist=ast modprobe.blacklist=mgag200\n" in node.text("/boot/grub/grub.cfg")
    node.tree.write("/proc/cmdline", f"{node.boot_words} modprobe.blacklist=ast modprobe.blacklist=mgag200\n")
    asked = picked(also=["blacklist-ast", "blacklist-mgag200"])
    assert run_module(host_tuning, {"chosen": asked, "state": "verified"})["as_wanted"] is True


def test_huge_pages_are_set_and_read_back(node: Node) -> None:
    pages = "/proc/sys/vm/nr_hugepages"
    node.tree.write(pages, "0\n")
    asked = picked(also=["huge-pages"], values={"huge-pages": 1024})
    result = run_module(host_tuning, {"chosen": asked})
    assert (states(result), node.text(pages), result["settings"][0]["found"]) == ({"huge-pages": "ok"}, "1024\n", "1024")
    assert "vm.nr_hugepages = 1024\n" in node.text(texts.SYSCTLS)
    node.tree.write(pages, "700\n")  # the kernel found no more
    result = run_module(host_tuning, {"chosen": asked, "state": "verified"})
    assert (states(result), result["settings"][0]["why"]) == ({"huge-pages": "differs"}, "the running kernel has 700")


@pytest.mark.parametrize(("file", "state"), [
    ("", "none"), ("[commands]\napply_updates = yes\n", "unknown"), ("[commands]\napply_updates = perhaps\n", "unknown"),
])
def test_a_node_of_dnf_that_updates_itself_is_not_taken_for_one_that_does_not(node: Node, file: str, state: str) -> None:
    (node.tree.root / "etc/apt/apt.conf.d/01keep").unlink()
    (node.tree.root / "etc/apt/apt.conf.d").rmdir()
    node.tree.fill({"/usr/bin/dnf": "", "/etc/dnf/automatic.conf": file, "/etc/systemd/system/timers.target.wants/dnf-automatic.timer": ""})
    result = run_module(host_tuning, {"chosen": [STAYS.told]})
    assert (result["failed"], states(result), result["as_wanted"]) == (False, {STAYS.id: state}, state == "none")


def test_verifying_does_not_fail_where_nothing_is_as_wanted(node: Node) -> None:
    node.tree.write("/etc/sysctl.conf", f"{SYSCTL.name} = 0\n")
    result = run_module(host_tuning, {"chosen": CHOSEN, "state": "verified"})
    assert (result["failed"], result["changed"], result["as_wanted"], set(states(result).values())) == (False, False, False, {"differs"})
    why = next(one["why"] for one in result["settings"] if one["id"] == SYSCTL.id)
    assert why.startswith(f"/etc/sysctl.conf: sets {SYSCTL.name} to 0 after setting compaction, which wants 20; ")


CONFLICTS = [
    ("/etc/sysctl.d/99-site.conf", f"{SYSCTL.name}=0\n", f"/etc/sysctl.d/99-site.conf: sets {SYSCTL.name} to 0 after "),
    ("/usr/lib/sysctl.d/95-x.conf", f"{SYSCTL.name}=0\n", f"/usr/lib/sysctl.d/95-x.conf: sets {SYSCTL.name} to 0 after "),
    ("/etc/security/limits.d/95-site.conf", "* soft memlock 64\n", "/etc/security/limits.d/95-site.conf: sets memlock to 64 after "),
    ("/boot/grub/grub.cfg", f"set default=\"0\"\nmenuentry 'x' {{\n  linux /boot/vmlinuz-{KERNEL} iommu=off\n}}\n",
     f"kernel argument iommu=pt: is wanted by the setting iommu-pt, and the boot entry of {KERNEL} has iommu=off; "),
    (texts.RECORD, "torn", f"{texts.RECORD}: is not JSON; remove the file: "),
]


@pytest.mark.parametrize(("path", "text", "sentence"), CONFLICTS)
def test_what_contradicts_is_refused_before_the_first_change(node: Node, path: str, text: str, sentence: str) -> None:
    node.tree.write(path, text)
    result = run_module(host_tuning, {"chosen": CHOSEN})
    assert (result["failed"], node.told, (node.tree.root / texts.SYSCTLS.lstrip("/")).exists()) == (True, [], False)
    assert result["msg"].startswith(sentence)


@pytest.mark.parametrize(("path", "text"), [
    ("/etc/sysctl.d/10-site.conf", f"{SYSCTL.name}=0\n"), ("/etc/sysctl.d/99-site.conf.bak", f"{SYSCTL.name}=0\n"),
    ("/etc/security/limits.d/10-site.conf", "* soft memlock 64\n"), ("/usr/lib/sysctl.d/90-instinct-tuning.conf", f"{SYSCTL.name}=0\n"),
])
def test_what_is_read_before_ours_is_no_conflict(node: Node, path: str, text: str) -> None:
    node.tree.write(path, text)
    assert run_module(host_tuning, {"chosen": CHOSEN})["failed"] is False


def test_a_file_of_the_site_hides_one_of_a_package(node: Node) -> None:
    node.tree.fill({"/usr/lib/sysctl.d/95-x.conf": f"{SYSCTL.name}=0\n", "/etc/sysctl.d/95-x.conf": ""})
    assert run_module(host_tuning, {"chosen": CHOSEN})["failed"] is False


def test_what_was_set_and_is_not_there_fails_with_all_settings(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "_sysctl", lambda _name, _value: None)
    result = run_module(host_tuning, {"chosen": CHOSEN})
    assert result["msg"] == (f"host_tuning: what was set is not there: setting compaction: {SYSCTL.name} should be 20: the running kernel has 0; "
                             "find out what sets it otherwise")
    assert (result["failed"], states(result)["acs-off"]) == (True, "ok")


@pytest.mark.parametrize(("done", "sentence"), [
    (Done(1, "", "no such\nunit", 0), f"systemctl enable {texts.UNIT_NAME}: ended with 1: no such unit; see journalctl -u {texts.UNIT_NAME}"),
    (Done(-9, "", "", 5, timed_out=True), f"systemctl enable {texts.UNIT_NAME}: did not end within 5 s; what it was doing may be half done"),
])
def test_a_program_that_fails_is_named(node: Node, monkeypatch: pytest.MonkeyPatch, done: Done, sentence: str) -> None:
    real = node.run
    monkeypatch.setattr(tuning, "run", lambda argv, timeout: done if argv[1] == "enable" else real(argv, timeout))
    assert run_module(host_tuning, {"chosen": CHOSEN, "timeout": 5})["msg"] == sentence


def test_a_kernel_that_does_not_take_a_value_is_named(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "proc", lambda name: f"/nowhere/{name}")
    assert run_module(host_tuning, {"chosen": CHOSEN})["msg"] == (
        f"sysctl {SYSCTL.name}: the kernel does not take 20: No such file or directory; correct the value, or name the setting in "
        "host_tuning_skip")


def test_a_node_that_cannot_be_read_is_not_changed(node: Node) -> None:
    (node.tree.root / PROC.lstrip("/")).unlink()
    (node.tree.root / PROC.lstrip("/")).mkdir()
    result = run_module(host_tuning, {"chosen": CHOSEN})
    assert (result["msg"], node.told) == (f"this node: {PROC}: Is a directory; run as root (become: true)", [])


def test_an_entry_is_edited_where_grubby_is(node: Node) -> None:
    (node.tree.root / "usr/sbin/update-grub").unlink()
    node.tree.write("/usr/sbin/grubby")
    run_module(host_tuning, {"chosen": [IOMMU.told]})
    assert node.told == [f"grubby --update-kernel=/boot/vmlinuz-{KERNEL} --args=iommu=pt"]


def test_who_is_not_root_sees_no_registers(node: Node) -> None:
    node.tree.write(BRIDGE, bytes(config_space(acs=0))[:64])
    result = run_module(host_tuning, {"chosen": CHOSEN, "state": "verified"})
    assert states(result)["acs-off"] == "unknown"


def test_a_node_without_systemd_says_what_is_unknown(node: Node) -> None:
    node.tree.commands.clear()
    assert states(run_module(host_tuning, {"chosen": CHOSEN, "state": "verified"}))["memlock-services"] == "unknown"
