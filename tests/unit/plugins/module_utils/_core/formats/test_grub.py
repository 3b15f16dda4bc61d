# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which kernel boots next, for the configurations that grub-mkconfig writes; anything else is unknown."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import grub

OLD, NEW = "6.1.0-56-amd64", "6.12.111+deb12-amd64"
ADVANCED = "Advanced options for Debian GNU/Linux"
OLD_PATH, NEW_PATH = (f"{ADVANCED}>Debian GNU/Linux, with Linux {k}" for k in (OLD, NEW))


def entry(title: str, release: str, arguments: str = "ro quiet", identifier: str = "") -> str:
    """One menu entry as grub-mkconfig nests and quotes it."""
    option = f"$menuentry_id_option '{identifier}' " if identifier else ""
    return f"""menuentry '{title}' --class gnu-linux {option}{{
    load_video
    if [ x$grub_platform = xxen ]; then insmod xzio; insmod lzopio; fi
    set root='hd0,msdos1'
    if [ x$feature_platform_search_hint = xy ]; then
      search --no-floppy --fs-uuid --set=root 51a0
    else
      search --no-floppy --set=root 51a0
    fi
    echo    'Loading Linux {release} ...'
    linux   /boot/vmlinuz-{release} root=UUID=51a0 {arguments}
    initrd  /boot/initrd.img-{release}
}}
"""


def configuration(default: str = "0", entries: str = "", end: str = "") -> str:
    """A whole grub.cfg with the two kernels, the newer one first."""
    head = f"""#
# made by grub-mkconfig
if [ -s $prefix/grubenv ]; then
  set have_grubenv=true
  load_env
fi
if [ "${{next_entry}}" ] ; then
   set default="${{next_entry}}"
   set next_entry=
   save_env next_entry
   set boot_once=true
else
   set default="{default}"
fi
if [ x"${{feature_menuentry_id}}" = xy ]; then
  menuentry_id_option="--id"
else
  menuentry_id_option=""
fi
function savedefault {{
  if [ -z "${{boot_once}}" ]; then
    saved_entry="${{chosen}}"
    save_env saved_entry
  fi
}}
function recordfail {{
  set recordfail=1
  if [ -n "${{have_grubenv}}" ]; then if [ -z "${{boot_once}}" ]; then save_env recordfail; fi; fi
}}
"""
    menu = entries or "".join([
        entry("Debian GNU/Linux", NEW, identifier="gnulinux-simple-51a0"),
        f"submenu '{ADVANCED}' $menuentry_id_option 'gnulinux-advanced-51a0' {{\n",
        *(entry(f"Debian GNU/Linux, with Linux {k}", k, identifier=f"gnulinux-{k}-advanced-51a0")
          + entry(f"Debian GNU/Linux, with Linux {k} (recovery mode)", k, "ro single") for k in (NEW, OLD)),
        "}\n",
    ])
    return head + menu + end


UEFI = """if [ "$grub_platform" = "efi" ]; then
    menuentry 'UEFI Firmware Settings' $menuentry_id_option 'uefi-firmware' {
        fwsetup
    }
fi
"""
CUSTOM = """if [ -f  ${config_directory}/custom.cfg ]; then
  source ${config_directory}/custom.cfg
fi
"""
MEMTEST = "menuentry 'Memory test' {\n    linux16 /boot/memtest86+.bin\n}\n"

# id, configuration, environment, release
KNOWN = [
    ("the first entry", configuration(), {}, NEW),
    ("a number in the top menu", configuration("1>2"), {}, OLD),
    ("a path of titles", configuration(OLD_PATH), {}, OLD),
    ("a path of ids", configuration(f"gnulinux-advanced-51a0>gnulinux-{OLD}-advanced-51a0"), {}, OLD),
    ("a title and a number", configuration(f"{ADVANCED}>2"), {}, OLD),
    ("an id of the top menu", configuration("gnulinux-simple-51a0"), {}, NEW),
    ("grub-set-default", configuration("${saved_entry}"), {"saved_entry": OLD_PATH}, OLD),
    ("nothing saved yet", configuration("${saved_entry}"), {}, NEW),
    ("grub-reboot wins once", configuration("${saved_entry}"), {"saved_entry": NEW_PATH, "next_entry": OLD_PATH}, OLD),
    ("next_entry spent", configuration("1>2"), {"next_entry": ""}, OLD),
    ("firmware entry behind the default", configuration("1>2", end=UEFI), {}, OLD),
    ("custom.cfg behind the default", configuration(OLD_PATH, end=CUSTOM), {}, OLD),
    ("separate boot partition", configuration().replace("/boot/vmlinuz", "/vmlinuz"), {}, NEW),
    ("efi loader", configuration().replace("linux  ", "linuxefi "), {}, NEW),
]


@pytest.mark.parametrize(("text", "environment", "release"), [c[1:] for c in KNOWN], ids=[c[0] for c in KNOWN])
def test_next_kernel_is_what_grub_boots(text: str, environment: dict[str, str], release: str) -> None:
    assert grub.next_kernel(grub.parse_menu(text), environment) == release


UNKNOWN = [
    ("the default is a submenu", configuration("1"), {}, "the default '1' is a submenu"),
    ("no such title", configuration("Windows"), {}, "grub.cfg has no entry 'Windows'"),
    ("no such number", configuration("7"), {}, "grub.cfg has no entry '7'"),
    ("it may be in custom.cfg", configuration("mine", end=CUSTOM), {},
     "grub.cfg has no entry 'mine', but it reads 'source ${config_directory}/custom.cfg'"),
    ("a conditional entry shifts the numbers", configuration("1", UEFI + entry("Debian", NEW)), {},
     "the default is number 1, and an entry before it exists only under a condition"),
    ("the entry starts no kernel", configuration("0", MEMTEST), {}, "menu entry 'Memory test' starts no Linux kernel"),
    ("the kernel depends on a condition", configuration("0", entry("Debian", NEW).replace(
        "    linux", "    if true; then\n    linux").replace("    initrd", "    fi\n    initrd")), {}, "starts no Linux kernel"),
    ("the default is computed", configuration("${a}${b}"), {}, "grub.cfg computes its default: ${a}${b}"),
    ("the default hangs on another variable", configuration() + 'if [ "${button}" ]; then\nset default="1"\nfi\n', {},
     'grub.cfg sets its default under a condition: if [ "${button}" ]; then'),
    ("the last boot failed", configuration(), {"initrdfail": "1"}, "grubenv holds initrdfail=1: the last boot failed"),
]


@pytest.mark.parametrize(("text", "environment", "words"), [c[1:] for c in UNKNOWN], ids=[c[0] for c in UNKNOWN])
def test_next_kernel_is_unknown_rather_than_guessed(text: str, environment: dict[str, str], words: str) -> None:
    with pytest.raises(grub.BootUnknownError) as unknown:
        grub.next_kernel(grub.parse_menu(text), environment)
    assert words in str(unknown.value)


DAMAGED = [
    ("a block that does not end", configuration()[:-2], "a block of grub.cfg does not end"),
    ("a block that is not open", "}\n", "grub.cfg closes a block that is not open"),
    ("a condition that is not open", "fi\n", "fi without if in grub.cfg"),
    ("an entry over two lines", "menuentry 'a'\n{\n}\n", "menuentry of grub.cfg is not on one line"),
    ("an entry in an entry", "menuentry 'a' {\nmenuentry 'b' {\n}\n}\n", "a menu entry of grub.cfg holds another one"),
    ("a decision on one line", 'if [ "${x}" ]; then set default=1; fi\n', "grub.cfg decides within one line"),
]


@pytest.mark.parametrize(("text", "words"), [c[1:] for c in DAMAGED], ids=[c[0] for c in DAMAGED])
def test_parse_menu_refuses_what_it_does_not_model(text: str, words: str) -> None:
    with pytest.raises(grub.BootUnknownError) as unknown:
        grub.parse_menu(text)
    assert words in str(unknown.value)


PATHS = [
    ("titles that name the kernel, without recovery", configuration(), {NEW: NEW_PATH, OLD: OLD_PATH}),
    ("a lone entry without its kernel in the title", configuration("0", entry("Debian", OLD)), {OLD: "Debian"}),
    ("the first of two that name it", configuration("0", entry(f"a {OLD}", OLD) + entry(f"b {OLD}", OLD)), {OLD: f"a {OLD}"}),
    ("no kernel at all", configuration("0", MEMTEST), {}),
]


@pytest.mark.parametrize(("text", "paths"), [c[1:] for c in PATHS], ids=[c[0] for c in PATHS])
def test_paths_name_an_entry_for_each_kernel(text: str, paths: dict[str, str]) -> None:
    menu = grub.parse_menu(text)
    assert menu.paths() == paths
    assert {k: grub.next_kernel(menu, {"next_entry": path}) for k, path in paths.items()} == {k: k for k in paths}


ENVIRONMENTS = [
    ("fresh", "# GRUB Environment Block\n" + "#" * 999, {}),
    ("two values and padding", f"# GRUB Environment Block\nsaved_entry={OLD_PATH}\nnext_entry=\n" + "#" * 900,
     {"saved_entry": OLD_PATH, "next_entry": ""}),
    ("value with an equals sign", "# GRUB Environment Block\nkernelopts=root=UUID=1 ro\n###",
     {"kernelopts": "root=UUID=1 ro"}),
    ("no file", "", {}),
]


@pytest.mark.parametrize(("text", "values"), [c[1:] for c in ENVIRONMENTS], ids=[c[0] for c in ENVIRONMENTS])
def test_parse_environment_reads_a_block(text: str, values: dict[str, str]) -> None:
    assert grub.parse_environment(text) == values


ONCE = '''if [ "${boot_once}" = true ]; then
  set instinct_once="panic=30"
  export instinct_once
fi
'''


def test_what_a_boot_for_once_is_given_is_read() -> None:
    assert [grub.parse_menu(text + configuration("0")).once for text in ("", ONCE)] == ["", "panic=30"]
    assert grub.parse_menu("function f {\n  set instinct_once=x\n}\n").once == ""


def test_arguments_of_an_entry_are_those_of_its_kernel_and_not_of_its_recovery() -> None:
    menu = grub.parse_menu("menuentry 'Linux 6.1' {\n linux /boot/vmlinuz-6.1 root=/dev/sda1 ro  quiet $instinct_once\n}\n"
                           "menuentry 'Linux 6.1 (recovery)' {\n linux /boot/vmlinuz-6.1 ro single\n}\n")
    assert menu.chosen() == {"6.1": ("Linux 6.1", "root=/dev/sda1 ro quiet $instinct_once")}
