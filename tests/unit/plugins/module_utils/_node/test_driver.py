# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The loaded module against the one on disk; what keeps it from loading."""

from __future__ import annotations

import lzma
import struct

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Driver, OnDisk
from ansible_collections.instinct.fleet.plugins.module_utils._node import driver
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

K, NEXT = "6.1.0-56-amd64", "6.12.111+deb12-amd64"
DKMS, IN_TREE = "updates/dkms/amdgpu.ko", "kernel/drivers/gpu/drm/amd/amdgpu/amdgpu.ko"


def module(version: str | None, srcversion: str) -> bytes:
    """A module file: an ELF header, .modinfo, the names of sections, three section headers."""
    fields = (f"version={version}\0" if version else "") + f"srcversion={srcversion}\0"
    names, info = b"\0.modinfo\0.shstrtab\0", fields.encode()
    headers = bytes(64) + b"".join(struct.pack("<2I4Q2I2Q", name, 1, 0, 0, offset, size, 0, 0, 1, 0) for name, offset, size in (
        (1, 64, len(info)), (10, 64 + len(info), len(names))))
    head = struct.pack("<2HI3QI6H", 1, 62, 1, 0, 0, 64 + len(info) + len(names), 0, 64, 0, 0, 64, 3, 2)
    return b"\x7fELF\x02\x01\x01" + bytes(9) + head + info + names + headers


def install(tree: Tree, release: str, path: str, data: bytes = b"") -> OnDisk:
    """Put a module on disk where depmod chose it."""
    tree.write(f"/lib/modules/{release}/modules.dep", f"kernel/x.ko:\n{path}: kernel/x.ko\n")
    tree.write(f"/lib/modules/{release}/{path}", data)
    kind = "dkms" if path.startswith("updates/dkms") else "in_tree"
    return OnDisk(release, f"/lib/modules/{release}/{path}", kind, "6.14.14", "AAAA")


def load(tree: Tree, **files: str) -> None:
    """Load a module: its files in sysfs."""
    tree.fill({f"/sys/module/amdgpu/{name}": f"{text}\n" for name, text in {"initstate": "live", **files}.items()})


def test_read_a_converged_node(tree: Tree) -> None:
    here = install(tree, K, DKMS, module("6.14.14", "AAAA"))
    load(tree, version="6.14.14", srcversion="AAAA")
    tree.fill({"/sys/module/amdgpu/parameters/runpm": "-1\n", "/proc/cmdline": "ro\n"})
    assert driver.read(tree.machine(), K, K) == Driver(
        loaded=True, initstate="live", version="6.14.14", srcversion="AAAA", on_disk=(here,), loaded_is_on_disk=True,
        parameters={"runpm": "-1"})
    assert tree.asked == []


def test_read_a_node_without_driver(tree: Tree) -> None:
    assert driver.read(tree.machine(), K, None) == Driver(loaded=False)


# id, module on disk, srcversion of the loaded one, same, reason
LOADED = [
    ("a reload is pending", module("6.16.13", "BBBB"), "AAAA", False, {}),
    ("the loaded one says no srcversion", module("6.14.14", "AAAA"), "", None,
     {"loaded_is_on_disk": "no srcversion of the loaded module"}),
    ("the file is damaged", b"text", "AAAA", None, {
        f"on_disk.{K}": f"/lib/modules/{K}/{DKMS}: is not a 64-bit ELF file",
        "loaded_is_on_disk": f"no srcversion in /lib/modules/{K}/{DKMS}"}),
]


@pytest.mark.parametrize(("data", "srcversion", "same", "unknown"), [c[1:] for c in LOADED], ids=[c[0] for c in LOADED])
def test_loaded_is_on_disk(tree: Tree, data: bytes, srcversion: str, same: bool | None, unknown: dict[str, str]) -> None:
    install(tree, K, DKMS, data)
    load(tree, srcversion=srcversion)
    seen = driver.read(tree.machine(), K, None)
    assert (seen.loaded_is_on_disk, seen.unknown) == (same, unknown)


def test_a_loaded_module_whose_file_is_gone_is_not_the_one_on_disk(tree: Tree) -> None:
    load(tree, srcversion="AAAA")
    assert driver.read(tree.machine(), K, None).loaded_is_on_disk is False


def test_modules_dep_may_name_a_file_that_is_gone(tree: Tree) -> None:
    tree.write(f"/lib/modules/{K}/modules.dep", f"{DKMS}:\n")
    assert driver.read(tree.machine(), K, None).unknown == {
        f"on_disk.{K}": f"/lib/modules/{K}/{DKMS} is in modules.dep but does not exist; run depmod"}


def test_in_tree_modules_are_opened_only_for_the_running_and_the_next_kernel(tree: Tree) -> None:
    for release in ("5.10.0-1-amd64", K, NEXT):
        install(tree, release, f"{IN_TREE}.xz", lzma.compress(module(None, "CCCC")))
    seen = driver.read(tree.machine(), K, NEXT)
    assert [(d.kernel, d.kind, d.version, d.srcversion) for d in seen.on_disk] == [
        ("5.10.0-1-amd64", "in_tree", None, None), (K, "in_tree", None, "CCCC"), (NEXT, "in_tree", None, "CCCC")]
    assert seen.unknown == {}


def test_a_damaged_archive_is_unknown(tree: Tree) -> None:
    install(tree, K, f"{DKMS}.xz", lzma.compress(module(None, "CCCC"))[:-9])
    assert driver.read(tree.machine(), K, None).unknown == {f"on_disk.{K}": f"/lib/modules/{K}/{DKMS}.xz is damaged"}


def test_zstd_is_left_to_modinfo(tree: Tree) -> None:
    install(tree, K, f"{DKMS}.zst")
    command = f"modinfo /lib/modules/{K}/{DKMS}.zst"
    tree.commands[command] = Ran(0, "version:        6.14.14\nsrcversion:     AAAA\nsigner:         mok\n", "")
    assert driver.read(tree.machine(), K, None).on_disk == (
        OnDisk(K, f"/lib/modules/{K}/{DKMS}.zst", "dkms", "6.14.14", "AAAA", "mok"),)
    tree.commands[command] = Ran(1, "", "modinfo: ERROR: could not get modinfo\n")
    assert driver.read(tree.machine(), K, None).unknown == {
        f"on_disk.{K}": f"modinfo /lib/modules/{K}/{DKMS}.zst: modinfo: ERROR: could not get modinfo"}


def test_dkms_on_other_distributions_is_known_by_its_link(tree: Tree) -> None:
    tree.link(f"/var/lib/dkms/amdgpu/kernel-{K}-x86_64", "6.14.14-1/x/x86_64")
    install(tree, K, "extra/amdgpu.ko", module("6.14.14", "AAAA"))
    assert [d.kind for d in driver.read(tree.machine(), K, None).on_disk] == ["dkms"]


def test_blacklists_of_files_and_the_command_line(tree: Tree) -> None:
    tree.fill({
        "/etc/modprobe.d/a.conf": "# none\n", "/usr/lib/modprobe.d/a.conf": "blacklist amdgpu\n",
        "/run/modprobe.d/b.conf": "blacklist amdgpu\n", "/etc/modprobe.d/c.conf.bak": "blacklist amdgpu\n",
        "/lib/modprobe.d/d.conf": "install amdgpu /bin/false\n", "/proc/cmdline": "ro modprobe.blacklist=amdgpu\n"})
    assert driver.read(tree.machine(), K, None).blacklisted_by == (
        "/run/modprobe.d/b.conf: blacklist amdgpu", "/lib/modprobe.d/d.conf: install amdgpu /bin/false",
        "kernel command line: modprobe.blacklist=amdgpu")
