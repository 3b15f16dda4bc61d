# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels as package managers and boot loaders leave them."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import InstalledKernel, Kernel
from ansible_collections.instinct.fleet.plugins.module_utils._node import kernel
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

OLD, NEW = "6.1.0-56-amd64", "6.12.111+deb12-amd64"
GRUB = f"""if [ "${{next_entry}}" ] ; then
   set default="${{next_entry}}"
else
   set default="0"
fi
menuentry 'Debian, with Linux {NEW}' {{
    linux /boot/vmlinuz-{NEW} ro
}}
menuentry 'Debian, with Linux {OLD}' {{
    linux /boot/vmlinuz-{OLD} ro
}}
"""
EFI = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"


def test_read_a_whole_node(tree: Tree) -> None:
    tree.fill({
        "/proc/sys/kernel/osrelease": f"{OLD}\n", "/proc/sys/kernel/random/boot_id": "b00t\n",
        "/proc/cmdline": "ro quiet\n", "/boot/grub/grub.cfg": GRUB, "/boot/grub/grubenv": "# GRUB Environment Block\n####",
        f"/boot/vmlinuz-{OLD}": "", f"/boot/initrd.img-{OLD}": "", f"/boot/vmlinuz-{NEW}": "", f"/boot/config-{NEW}": "",
        f"/lib/modules/{OLD}/modules.dep": "", f"/lib/modules/{OLD}/kernel/x.ko": "", f"/lib/modules/{NEW}/kernel/x.ko": "",
        f"/usr/src/linux-headers-{OLD}/Makefile": "", "/lib/modules/6.5.0-gone/updates/dkms/amdgpu.ko": "",
    })
    tree.link(f"/lib/modules/{OLD}/build", f"/usr/src/linux-headers-{OLD}")
    tree.link(f"/lib/modules/{NEW}/build", f"/usr/src/linux-headers-{NEW}")
    tree.write(EFI, b"\x06\0\0\0\x01")
    assert kernel.read(tree.machine()) == Kernel(
        running=OLD, boot_id="b00t", cmdline="ro quiet", next_boot=NEW, default_boot=NEW, next_boot_source="grub", secure_boot=True,
        boot_entries={k: f"Debian, with Linux {k}" for k in (NEW, OLD)}, boots_saved=False, boots_once="",
        boot_arguments={NEW: "ro", OLD: "ro"},
        installed=(InstalledKernel(OLD, f"/boot/vmlinuz-{OLD}", f"/boot/initrd.img-{OLD}", headers=True, modules=True),
                   InstalledKernel(NEW, f"/boot/vmlinuz-{NEW}", None, headers=False, modules=False)))


def test_read_names_initrds_of_other_distributions(tree: Tree) -> None:
    release = "5.14.0-570.58.1.el9_6.x86_64"
    tree.fill({f"/boot/vmlinuz-{release}": "", f"/boot/initramfs-{release}.img": ""})
    assert kernel.installed(tree.machine()) == (
        InstalledKernel(release, f"/boot/vmlinuz-{release}", f"/boot/initramfs-{release}.img"),)


def test_images_that_are_no_kernel_of_their_own(tree: Tree) -> None:
    release = "6.4.0-150700.53.3-default"
    tree.fill({f"/boot/vmlinuz-{release}": "", f"/boot/initrd-{release}": "", f"/boot/vmlinux-{release}.gz": "",
               "/boot/vmlinuz-0-rescue-5f3a5e6bd3f64a6f9b1c8e0a7d2b4c61": ""})
    assert kernel.installed(tree.machine()) == (
        InstalledKernel(release, f"/boot/vmlinuz-{release}", f"/boot/initrd-{release}"),)


EL = "5.14.0-570.58.1.el9_6.x86_64"
BLS = {"/boot/loader/entries/5f3a-" + EL + ".conf": f"title Rocky Linux ({EL})\nlinux /vmlinuz-{EL}\n",
       "/boot/loader/entries/5f3a-0-rescue.conf": "linux /vmlinuz-0-rescue-5f3a\n", "/boot/loader/entries/.lock": "x"}
BLSCFG = "set default=\"${saved_entry}\"\ninsmod blscfg\nblscfg\n"


@pytest.mark.parametrize("directory", ["/boot/grub2", "/boot/efi/EFI/redhat"])
def test_menu_entries_in_files_of_their_own(tree: Tree, directory: str) -> None:
    tree.fill({f"{directory}/grub.cfg": BLSCFG, f"{directory}/grubenv": f"saved_entry=5f3a-{EL}\n", **BLS})
    seen = kernel.read(tree.machine())
    assert (seen.next_boot, seen.next_boot_source, seen.boot_entries, seen.boots_saved) == (
        EL, "grub", {EL: f"5f3a-{EL}"}, True)


def test_grubenv_decides_once(tree: Tree) -> None:
    tree.fill({"/boot/grub2/grub.cfg": GRUB, "/boot/grub2/grubenv": "# GRUB Environment Block\nnext_entry=1\n"})
    seen = kernel.read(tree.machine())
    assert (seen.next_boot, seen.default_boot) == (OLD, NEW)


def test_without_grub_a_symlink_decides(tree: Tree) -> None:
    tree.link("/vmlinuz", f"boot/vmlinuz-{NEW}")
    seen = kernel.read(tree.machine())
    assert (seen.next_boot, seen.next_boot_source, seen.boot_entries) == (NEW, "symlink", {})


# id, files, reasons
UNKNOWN = [
    ("another boot loader", {}, dict.fromkeys(("next_boot", "default_boot"), "no grub.cfg and no /vmlinuz: another boot loader decides")),
    ("grub.cfg that does not end", {"/boot/grub/grub.cfg": "menuentry 'a' {\n"},
     dict.fromkeys(("next_boot", "default_boot", "boot_entries"), "a block of grub.cfg does not end")),
    ("grubenv after a failed boot", {"/boot/grub/grub.cfg": GRUB, "/boot/grub/grubenv": "initrdfail=1\n"},
     dict.fromkeys(("next_boot", "default_boot"), "grubenv holds initrdfail=1: the last boot failed")),
]


@pytest.mark.parametrize(("files", "reasons"), [c[1:] for c in UNKNOWN], ids=[c[0] for c in UNKNOWN])
def test_next_boot_is_unknown_with_a_reason(tree: Tree, files: dict[str, str], reasons: dict[str, str]) -> None:
    seen = kernel.read(tree.fill(files).machine())
    assert (seen.next_boot, seen.unknown) == (None, reasons)


def test_secure_boot_is_off_without_efi_and_when_the_variable_says_so(tree: Tree) -> None:
    assert kernel.read(tree.machine()).secure_boot is False
    tree.write(EFI, b"\x06\0\0\0\0")
    assert kernel.read(tree.machine()).secure_boot is False
