# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which kernel starts next."""

from __future__ import annotations

from pathlib import Path

import pytest
from instinct_sim import grub
from instinct_sim.errors import SimError

ADVANCED = "Advanced options for Debian GNU/Linux"
OLD, NEW = "6.1.0-9-amd64", "6.12.117+deb12-amd64"


def config(default: str = "0") -> str:
    """A grub.cfg as grub-mkconfig writes it, newest kernel first."""
    entries = "".join(
        f"\tmenuentry 'Debian GNU/Linux, with Linux {release}{words}' --class os $menuentry_id_option 'gnulinux-{release}-{kind}-1' {{\n"
        f"\t\tif [ x$grub_platform = xxen ]; then insmod xzio; fi\n"
        f"\t\tlinux\t/boot/vmlinuz-{release} root=/dev/sda1 ro {single} quiet\n\t\tinitrd\t/boot/initrd.img-{release}\n\t}}\n"
        for release in (NEW, OLD) for kind, words, single in (("advanced", "", ""), ("recovery", " (recovery mode)", "single"))
    )  # fmt: skip
    return f"""
if [ "${{next_entry}}" ] ; then
   set default="${{next_entry}}"
   set next_entry=
else
   set default="{default}"
fi
function load_video {{
  if [ x$feature_all_video_module = xy ]; then
    insmod all_video
  fi
}}
menuentry 'Debian GNU/Linux' --class os $menuentry_id_option 'gnulinux-simple-1' {{
\tlinux\t/boot/vmlinuz-{NEW} root=/dev/sda1 ro  quiet
\tinitrd\t/boot/initrd.img-{NEW}
}}
submenu '{ADVANCED}' $menuentry_id_option 'gnulinux-advanced-1' {{
{entries}}}
menuentry 'Memory test' $menuentry_id_option 'memtest' {{
\tlinux16\t/boot/memtest
}}
"""


def machine(folder: Path, text: str | None, environment: dict[str, str], *releases: str) -> Path:
    """A /boot."""
    (folder / "grub").mkdir()
    for release in releases or (OLD, NEW):
        (folder / f"vmlinuz-{release}").touch()
    if text is not None:
        (folder / "grub" / "grub.cfg").write_text(text, encoding="utf-8")
    grub.write_environment(folder / "grub" / "grubenv", environment)
    return folder


CHOICES = [
    ("the first entry", "0", {}, NEW),
    ("an entry by numbers", "1>2", {}, OLD),
    ("an entry by titles", f"{ADVANCED}>Debian GNU/Linux, with Linux {OLD}", {}, OLD),
    ("an entry by ids", f"gnulinux-advanced-1>gnulinux-{OLD}-advanced-1", {}, OLD),
    ("a submenu alone means its first entry", "1", {}, NEW),
    ("an unknown entry means the first", "nothing of that name", {}, NEW),
    ("the saved entry", "${saved_entry}", {"saved_entry": "1>2"}, OLD),
    ("nothing saved means the first", "${saved_entry}", {}, NEW),
    ("a saved entry that is not asked for", "0", {"saved_entry": "1>2"}, NEW),
    (
        "the next entry before all others",
        "${saved_entry}",
        {"saved_entry": "0", "next_entry": f"1>gnulinux-{OLD}-advanced-1"},
        OLD,
    ),
]


@pytest.mark.parametrize(("default", "environment", "release"), [pytest.param(*one[1:], id=one[0]) for one in CHOICES])
def test_grub_starts(default: str, environment: dict[str, str], release: str, tmp_path: Path) -> None:
    assert grub.choose(machine(tmp_path, config(default), environment)).release == release


def test_next_entry_is_used_up(tmp_path: Path) -> None:
    boot = machine(tmp_path, config(), {"next_entry": "1>2", "other": "kept"})
    assert [grub.choose(boot).release for _ in range(2)] == [OLD, NEW]
    assert grub.read_environment(boot / "grub" / "grubenv") == {"next_entry": "", "other": "kept"}
    assert (boot / "grub" / "grubenv").stat().st_size == 1024


def test_entry_carries_its_command_line(tmp_path: Path) -> None:
    entry = grub.choose(machine(tmp_path, config("1>3"), {}))
    assert (entry.image, entry.arguments, entry.initrd) == (
        f"/boot/vmlinuz-{OLD}",
        "root=/dev/sda1 ro single quiet",
        f"/boot/initrd.img-{OLD}",
    )


ONCE = 'if [ "${boot_once}" = true ]; then\n  set more="panic=30"\n  export more\nfi\n'


@pytest.mark.parametrize(("environment", "arguments"), [
    ({"saved_entry": "0"}, "root=/dev/sda1 ro quiet"), ({"next_entry": "0"}, "root=/dev/sda1 ro quiet panic=30")])  # fmt: skip
def test_a_variable_is_set_in_a_boot_for_once_alone(tmp_path: Path, environment: dict[str, str], arguments: str) -> None:
    text = ONCE + config("${saved_entry}").replace("quiet", "quiet $more ${other}")
    assert grub.choose(machine(tmp_path, text, environment)).arguments == arguments


def test_without_grub_the_highest_kernel_starts(tmp_path: Path) -> None:
    assert grub.choose(machine(tmp_path, None, {}, "6.1.0-9-amd64", "6.1.0-10-amd64")).release == "6.1.0-10-amd64"


def test_kernel_that_is_gone_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(SimError, match=r"file '/boot/vmlinuz-6\.12.*' not found: the node does not start"):
        grub.choose(machine(tmp_path, config(), {}, OLD))


def test_no_kernel_at_all(tmp_path: Path) -> None:
    with pytest.raises(SimError, match="there is no kernel to start"):
        grub.choose(tmp_path)


EL_OLD, EL_NEW = "5.14.0-570.12.1.el9_6.x86_64", "5.14.0-570.58.1.el9_6.x86_64"


@pytest.mark.parametrize(("environment", "release"), [
    ({}, EL_NEW), ({"saved_entry": f"id-{EL_OLD}"}, EL_OLD), ({"saved_entry": f"Rocky ({EL_OLD})"}, EL_OLD),
    ({"saved_entry": f"id-{EL_OLD}", "next_entry": f"id-{EL_NEW}"}, EL_NEW), ({"saved_entry": "1"}, EL_OLD),
])  # fmt: skip
def test_kernels_with_a_file_each(tmp_path: Path, environment: dict[str, str], release: str) -> None:
    for folder in ("grub2", "loader/entries"):
        (tmp_path / folder).mkdir(parents=True)
    for kernel in (EL_OLD, EL_NEW):
        (tmp_path / f"vmlinuz-{kernel}").touch()
        (tmp_path / "loader" / "entries" / f"id-{kernel}.conf").write_text(
            f"title Rocky ({kernel})\nlinux /boot/vmlinuz-{kernel}\ninitrd /boot/initramfs-{kernel}.img\noptions ro quiet\n"
        )
    (tmp_path / "grub2" / "grub.cfg").write_text('set default="${saved_entry}"\ninsmod blscfg\nblscfg\n')
    grub.write_environment(tmp_path / "grub2" / "grubenv", environment)
    entry = grub.choose(tmp_path)
    assert (entry.release, entry.image, entry.arguments) == (release, f"/boot/vmlinuz-{release}", "ro quiet")
    assert not grub.read_environment(tmp_path / "grub2" / "grubenv").get("next_entry")
