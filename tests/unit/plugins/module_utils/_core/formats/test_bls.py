# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernels of the RHEL family: menu entries in files, the default in grubenv."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import bls, grub

ID = "5f3a5e6bd3f64a6f9b1c8e0a7d2b4c61"
OLD, NEW = "5.14.0-570.12.1.el9_6.x86_64", "5.14.0-570.58.1.el9_6.x86_64"
# The parts of a grub.cfg of RHEL 9 that decide, as its grub2-mkconfig writes them.
CONFIG = """
if [ -f ${config_directory}/grubenv ]; then
  load_env -f ${config_directory}/grubenv
elif [ -s $prefix/grubenv ]; then
  load_env
fi
if [ "${next_entry}" ] ; then
   set default="${next_entry}"
   set next_entry=
   save_env next_entry
   set boot_once=true
else
   set default="${saved_entry}"
fi
function load_video {
  insmod all_video
}
insmod increment
if [ -n "${boot_counter}" -a "${boot_success}" = "0" ]; then
  if  [ "${boot_counter}" = "0" -o "${boot_counter}" = "-1" ]; then
    set default=1
    set boot_counter=-1
  else
    decrement boot_counter
  fi
  save_env boot_counter
fi
insmod blscfg
blscfg
if [ "$grub_platform" = "efi" ]; then
\tmenuentry 'UEFI Firmware Settings' $menuentry_id_option 'uefi-firmware' {
\t\tfwsetup
\t}
fi
"""


def text(release: str, title: str = "Rocky Linux", image: str = "/vmlinuz-") -> str:
    """An entry as kernel-install writes it."""
    return (f"title {title} ({release}) 9.6 (Blue Onyx)\nversion {release}\nlinux {image}{release}\n"
            f"initrd /initramfs-{release}.img $tuned_initrd\noptions root=/dev/vda2 ro\nid rocky-{release}\n"
            "grub_users $grub_users\ngrub_arg --unrestricted\ngrub_class rocky\n")


ENTRIES = [bls.entry(text(OLD), f"{ID}-{OLD}"), bls.entry(text("0-rescue-" + ID), f"{ID}-0-rescue"),
           bls.entry(text(NEW), f"{ID}-{NEW}")]


def menu() -> grub.Menu:
    """The whole menu."""
    return bls.into(grub.parse_menu(CONFIG), ENTRIES)


def test_entry() -> None:
    assert ENTRIES[0] == grub.Entry(f"Rocky Linux ({OLD}) 9.6 (Blue Onyx)", f"{ID}-{OLD}", 0, None, OLD, "root=/dev/vda2 ro", bls=True)
    assert ENTRIES[1].recovery
    assert bls.entry("linux /boot/vmlinuz-6.12.0-55.el10_0.x86_64\n", "custom") == grub.Entry(
        "custom", "custom", 0, None, "6.12.0-55.el10_0.x86_64", bls=True)
    assert bls.entry("efi /EFI/tool.efi\n", "tool").release is None


def test_entries_stand_where_the_command_does_and_the_newest_is_first() -> None:
    assert [e.id for e in menu().entries] == [f"{ID}-{NEW}", f"{ID}-{OLD}", f"{ID}-0-rescue", "uefi-firmware"]
    assert menu().paths() == {NEW: f"{ID}-{NEW}", OLD: f"{ID}-{OLD}"}


def test_names_that_are_no_version_have_an_order_too() -> None:
    names = [e.id for e in bls.into(grub.parse_menu("blscfg\n"), [bls.entry("", name) for name in ("a", "custom", "b-2-1", "b-10-1")]).entries]
    assert names == ["b-10-1", "b-2-1", "custom", "a"]


def test_a_menu_without_the_command_has_no_such_entries() -> None:
    plain = grub.parse_menu("menuentry 'a' {\nlinux /vmlinuz-1\n}\n")
    assert bls.into(plain, ENTRIES) == plain


# id, grubenv, kernel that boots
DEFAULTS = [
    ("nothing saved: the first entry", {}, NEW),
    ("saved by id, as grubby does", {"saved_entry": f"{ID}-{OLD}", "boot_success": "0"}, OLD),
    ("saved by title", {"saved_entry": f"Rocky Linux ({OLD}) 9.6 (Blue Onyx)"}, OLD),
    ("saved by number", {"saved_entry": "1"}, OLD),
    ("once only", {"saved_entry": f"{ID}-{NEW}", "next_entry": f"{ID}-{OLD}"}, OLD),
]


@pytest.mark.parametrize(("environment", "kernel"), [c[1:] for c in DEFAULTS], ids=[c[0] for c in DEFAULTS])
def test_next_kernel(environment: dict[str, str], kernel: str) -> None:
    assert grub.next_kernel(menu(), environment) == kernel


@pytest.mark.parametrize(("environment", "why"), [
    ({"saved_entry": "gone"}, "no entry 'gone'"), ({"boot_counter": "1", "saved_entry": "0"}, "under a condition"),
])
def test_next_kernel_is_unknown(environment: dict[str, str], why: str) -> None:
    with pytest.raises(grub.BootUnknownError, match=why):
        grub.next_kernel(menu(), environment)


def test_the_menu_follows_what_is_saved() -> None:
    assert menu().saved
    assert not grub.parse_menu('set default="0"\n').saved
