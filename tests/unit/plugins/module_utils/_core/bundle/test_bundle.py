# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files given one after another become one look with holes."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.bundle.bundle import Bundle
from ansible_collections.instinct.fleet.plugins.module_utils._core.bundle.facts import UNTOLD
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import ALL_SECTIONS, Look

PATTERNS = [
    {"id": "reset", "where": "kernel", "words": ["gpu reset"], "patterns": ["GPU reset begin"]},
    {"id": "denied", "where": "library", "words": ["permission"], "patterns": ["Permission denied"]},
    {"id": "gone", "where": "dkms", "words": ["missing"], "patterns": ["Built modules are missing"]},
    {"id": "scriptlet", "where": "packages", "words": ["scriptlet"], "patterns": ["Error in POSTIN scriptlet"]},
]
NAMES = [{"name": "HSA_ENABLE_SDMA", "kind": "environment"}, {"name": "iommu", "kind": "kernel_parameter"}]


def look(**files: str) -> Look:
    """The look of files; ``__`` in a name is a dot."""
    bundle = Bundle(PATTERNS, NAMES)
    for name, text in files.items():
        bundle.text(name.replace("__", "."), text)
    return bundle.look()


def sections(seen: Look) -> set[str]:
    return {name for name in ALL_SECTIONS if getattr(seen, name) is not None}


def test_no_file_is_no_section() -> None:
    assert sections(look()) == set()


@pytest.mark.parametrize(("text", "there"), [
    ("ID=ubuntu\n", {"os"}), ("6.8.0-60-generic\n", {"kernel"}), ("BOOT_IMAGE=/x ro\n", {"kernel", "settings"}),
    ("amdgpu/6.12.12, 6.8.0-60-generic, x86_64: installed\n", {"dkms"}), ("rocm-core-7.0.2-56.el9.x86_64 x\n", {"packages"}),
    ("ROCk module is NOT loaded\n", {"driver", "gpus"}), ("crw-rw-rw- 1 root render 1, 0 x /dev/kfd\n", {"devices"}),
    ("[    1.000000] amdgpu: x\n", {"log"}), ("AMDSMI Tool: 26 | AMDSMI Library version: 26.1.0 | x", {"smi"}),
])
def test_each_file_gives_its_sections_and_no_other(text: str, there: set[str]) -> None:
    assert sections(look(x=text)) == there


def test_what_no_file_tells_is_unknown_with_a_reason() -> None:
    seen = look(a="Linux x 6.8.0-60-generic #1 SMP x86_64\n", b="Module Size Used by\namdgpu 1 1\n")
    assert seen.kernel is not None
    assert seen.driver is not None
    assert seen.os is not None
    assert seen.kernel.unknown["cmdline"] == seen.driver.unknown["version"] == seen.os.unknown["id"] == UNTOLD
    assert "running" not in seen.kernel.unknown
    assert "loaded" not in seen.driver.unknown


def test_hits_of_each_kind_of_log() -> None:
    seen = look(dmesg="[    1.000000] amdgpu 0000:05:00.0: GPU reset begin!\n", out="x: Permission denied\n",
                dkms="amdgpu/6.1, 6.8, x86_64: installed (Built modules are missing in the kernel modules folder)\n",
                dnf="Error in POSTIN scriptlet in rpm package amdgpu-dkms\n").log
    assert seen is not None
    assert {(hit.id, hit.where) for hit in seen.hits} == {
        ("reset", "kernel"), ("denied", "library"), ("gone", "dkms"), ("scriptlet", "packages")}
    assert {(read.where, read.lines) for read in seen.read} == {("kernel", 1), ("packages", 1)}
    assert seen.unknown == {"dkms": UNTOLD}


def test_messages_that_two_logs_hold_count_once() -> None:
    line = "amdgpu 0000:05:00.0: GPU reset begin!\n"
    seen = look(dmesg=f"[    1.000000] {line}", kern__log=f"[    1.000000] {line}[    2.000000] {line}[    3.000000] amdgpu: x\n",
                out="x: Permission denied\n", err="x: Permission denied\n").log
    assert seen is not None
    assert [(hit.id, hit.origin, hit.count) for hit in seen.hits if hit.where == "kernel"] == [("reset", "kern.log", 2)]
    assert [hit.origin for hit in seen.hits if hit.where == "library"] == ["out", "err"]


def test_log_in_pieces() -> None:
    bundle = Bundle(PATTERNS, ())
    assert bundle.is_log("dmesg", "[    1.000000] amdgpu: x")
    assert not bundle.is_log("uname", "6.8.0-60-generic")
    assert bundle.log("dmesg", "[    1.000000] amdgpu: x", [b"[    1.000000] amdgpu: GPU re", b"set begin!\n"]) == "kernel log: 1 lines"
    assert bundle.log("other", "roses", [b"roses\n"]) == "output: 1 lines"


def test_a_log_without_lines_was_not_read() -> None:
    bundle = Bundle(PATTERNS, ())
    assert bundle.text("journal.txt", "-- No entries --\n") == "kernel log: 0 lines"
    assert bundle.look().log is None


@pytest.mark.parametrize(("text", "what"), [("\x00" * 50, "is no text"), (" \n", "is empty"), ("roses", "not understood")])
def test_text_that_tells_nothing_is_refused(text: str, what: str) -> None:
    with pytest.raises(DataError, match=what):
        Bundle(PATTERNS, ()).text("x", text)


def test_a_file_of_the_kfd_is_known_by_its_path() -> None:
    assert Bundle(PATTERNS, ()).text("sys/class/kfd/kfd/topology/nodes/1/gpu_id", "4711\n") == "KFD topology"


def test_wishes_are_no_state() -> None:
    script = "#!/bin/sh\nmodprobe amdgpu\n"
    assert Bundle(PATTERNS, ()).text("repair", script) == "wishes or words, not the state of a node"


def test_settings_of_files_and_of_the_kernel() -> None:
    bundle = Bundle(PATTERNS, NAMES)
    assert bundle.text("etc/default/x.conf", "words\nHSA_ENABLE_SDMA=0\n") == "settings: 1 of those that are known"
    bundle.text("cmdline", "BOOT_IMAGE=/x iommu=pt\n")
    settings = bundle.look().settings
    assert settings is not None
    assert [(item.name, item.value, item.file) for item in settings.settings] == [
        ("HSA_ENABLE_SDMA", "0", "etc/default/x.conf"), ("iommu", "pt", "/proc/cmdline")]
    assert settings.files == 1


def test_a_terminal_with_several_commands() -> None:
    bundle = Bundle(PATTERNS, ())
    assert bundle.text("notes.txt", "$ uname -r\n6.8.0-60-generic\n$ dkms status\namdgpu/6.1, 6.8, x86_64: built\n$ dmesg\n"
                       "[    1.000000] amdgpu: GPU reset begin!\n") == "kernel 6.8.0-60-generic; dkms status: 1 lines; kernel log: 1 lines"
    assert sections(bundle.look()) == {"kernel", "dkms", "log"}


@pytest.mark.parametrize(("release", "manager"), [("ID=sles\nID_LIKE=suse\n", "zypper"), ("ID=rocky\nID_LIKE=rhel\n", "dnf")])
def test_manager_of_rpm_is_that_of_the_system(release: str, manager: str) -> None:
    seen = look(a=release, b="rocm-core-7.0.2-56.x86_64 x\n").packages
    assert seen is not None
    assert (seen.manager, seen.unknown["broken"]) == (manager, UNTOLD)


def test_the_list_that_tells_more_counts() -> None:
    seen = look(dpkg_b="hi  rocm-core 7.0.2 amd64 x\n", packages="aa\t1\nbb\t2\n")
    assert seen.packages is not None
    assert (seen.packages.manager, seen.packages.holds, seen.packages.unknown) == ("apt", ("rocm-core",), {
        "interrupted": UNTOLD, "torn_lists": UNTOLD, "misheld": UNTOLD, "obeys_holds": UNTOLD})


def test_driver_of_the_kernel_is_known_to_have_no_version() -> None:
    seen = look(a="ROCk module is loaded\n").driver
    assert seen is not None
    assert (seen.loaded, seen.version, "version" in seen.unknown) == (True, None, False)


def test_driver_that_is_not_loaded_has_no_version_whoever_says_so() -> None:
    seen = look(a="filename: /lib/modules/6.8/updates/dkms/amdgpu.ko\nversion: 6.12\n", b="Module Size Used by\next4 1 1\n").driver
    assert seen is not None
    assert (seen.loaded, seen.version, seen.on_disk[0].version) == (False, None, "6.12")


def test_smi_that_failed_says_why() -> None:
    seen = look(a="AMDSMI_STATUS_NO_PERM\n").smi
    assert seen is not None
    assert (seen.source, seen.error) == ("none", "AMDSMI_STATUS_NO_PERM")


def test_nodes_of_devices_tell_nothing_of_displays() -> None:
    seen = look(a="crw-rw-rw- 1 root render 1, 0 x /dev/kfd\n").devices
    assert seen is not None
    assert (seen.displays, seen.unknown) == (None, {"groups": UNTOLD, "nodes.gid": UNTOLD, "displays": UNTOLD})


def test_look_can_be_taken_again() -> None:
    bundle = Bundle(PATTERNS, NAMES)
    bundle.text("cmdline", "BOOT_IMAGE=/x iommu=pt\n")
    assert dc.asdict(bundle.look()) == dc.asdict(bundle.look())
