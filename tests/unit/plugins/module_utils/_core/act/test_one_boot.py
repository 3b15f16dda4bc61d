# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a kernel can boot once, and what makes it go away again."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act import one_boot as core
from ansible_collections.instinct.fleet.plugins.module_utils._core.act.one_boot import Fallback, Place
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Kernel

OLD, NEW = "6.1.0-56-amd64", "6.1.0-57-amd64"
ENTRY = "root=/dev/sda1 ro quiet $instinct_once"
KERNELS = Kernel(running=OLD, boot_entries={OLD: f"A>{OLD}", NEW: f"A>{NEW}"}, boot_arguments={OLD: ENTRY, NEW: ENTRY},
                 boots_saved=True, boots_once="panic=30", default_boot=OLD)
DISK = Place("/boot/grub", "ext2")
RAID = Place("/boot/grub", "ext2", ("diskfilter", "mdraid1x"))

PLACES = [
    (DISK, ""),
    (Place("/boot/grub2", "xfs"), ""),
    (RAID, "GRUB cannot write to /boot/grub, which is on a software RAID"),
    (Place("/boot/grub", "ext2", ("lvm",)), "GRUB cannot write to /boot/grub, which is on a logical volume"),
    (Place("/boot/grub2", "btrfs"), "GRUB cannot write to /boot/grub2, which is on btrfs"),
    (Place("/boot/grub", "zfs"), "GRUB cannot write to /boot/grub, which is on zfs"),
    (Place("/boot/grub", failed="no such disk"), "whether GRUB can write to /boot/grub is unknown: no such disk"),
]


@pytest.mark.parametrize(("place", "why"), PLACES)
def test_grub_forgets_what_was_chosen_for_once_only_where_it_can_write(place: Place, why: str) -> None:
    assert core.why_not(place) == why


# id, arguments, built in, once, what starts the machine anew
PANICS = [
    ("our part, for once", ENTRY, "", True, "panic=30"),
    ("our part, for ever", ENTRY, "", False, ""),
    ("the site's own", "ro panic=-1 quiet", "", False, "panic=-1"),
    ("the last one counts", "ro panic=10 panic=0", "", True, ""),
    ("ours comes last", "ro panic=0 $instinct_once", "", True, "panic=30"),
    ("no other argument", "ro softlockup_panic=1 nopanic=5", "", True, ""),
    ("built in", "ro", "CONFIG_X=y\nCONFIG_PANIC_TIMEOUT=-1\n", True, "CONFIG_PANIC_TIMEOUT=-1"),
    ("built in as never", "ro", "CONFIG_PANIC_TIMEOUT=0\n", True, ""),
    ("an argument before what is built in", "panic=0", "CONFIG_PANIC_TIMEOUT=5\n", True, ""),
]


@pytest.mark.parametrize(("entry", "config", "once", "found"), [c[1:] for c in PANICS], ids=[c[0] for c in PANICS])
def test_what_makes_a_kernel_that_panics_go_away(entry: str, config: str, once: bool, found: str) -> None:
    assert core.panic(dc.replace(KERNELS, boot_arguments={NEW: entry}), NEW, config, once) == found


def test_without_a_menu_that_was_read_nothing_is_given() -> None:
    assert core.panic(dc.replace(KERNELS, boots_once=None), NEW, "", once=True) == ""
    assert core.panic(Kernel(), NEW, "", once=True) == ""


BARE = dc.replace(KERNELS, boot_arguments={OLD: "ro", NEW: "ro"})
AT_ONCE = f"kernel {NEW} is the default at once: {{}}; {OLD} does not come back by itself"
STAYS = f"kernel {NEW} stays where it is if it panics, and {OLD} comes back with the next power cycle"
# id, kernels, default, place, mode, fallback
JUDGED = [
    ("one boot", KERNELS, OLD, DISK, "require", Fallback(True, "", "panic=30")),
    ("the kernel that runs", KERNELS, NEW, DISK, "require", Fallback(False, "it is the default itself", "")),
    ("none asked for", KERNELS, OLD, DISK, "none", Fallback(False, "none is asked for", "", AT_ONCE.format("none is asked for"))),
    ("a RAID", KERNELS, OLD, RAID, "auto", Fallback(False, core.why_not(RAID), "", AT_ONCE.format(core.why_not(RAID)))),
    ("a default that is gone", KERNELS, "6.0", DISK, "auto",
     Fallback(False, "6.0 has no entry in the menu", "", AT_ONCE.format("6.0 has no entry in the menu").replace(OLD, "6.0"))),
    ("nothing that ends a panic", BARE, OLD, DISK, "auto", Fallback(True, "", "", STAYS)),
]


@pytest.mark.parametrize(("kernels", "default", "place", "mode", "fallback"), [c[1:] for c in JUDGED], ids=[c[0] for c in JUDGED])
def test_what_becomes_of_a_kernel_that_does_not_come_up(kernels, default, place, mode, fallback) -> None:
    assert core.judge(kernels, NEW, default, place, "", mode) == fallback
    assert fallback.to_dict() == dc.asdict(fallback)


REFUSED = [
    (KERNELS, RAID, f"kernel {NEW}: cannot be booted on trial with {OLD} as what comes back: {core.why_not(RAID)}; "
                    "set node_maintenance_fallback to none if somebody can reach the console"),
    (BARE, DISK, f"kernel {NEW}: would stay where it is if it panicked, and {OLD} would not come back by itself; put panic=30 on "
                 "its command line"),
]


@pytest.mark.parametrize(("kernels", "place", "sentence"), REFUSED)
def test_a_fallback_that_is_required_and_cannot_be_is_refused(kernels: Kernel, place: Place, sentence: str) -> None:
    with pytest.raises(FleetError) as refused:
        core.judge(kernels, NEW, OLD, place, "", "require")
    assert refused.value.sentence == sentence


def test_grubenv_says_both_or_one_for_ever() -> None:
    once, ever = Fallback(True, "", ""), Fallback(False, "x", "")
    assert core.settings(KERNELS, NEW, OLD, once) == {"saved_entry": f"A>{OLD}", "next_entry": f"A>{NEW}", "prev_saved_entry": ""}
    assert core.settings(KERNELS, NEW, OLD, ever) == {"saved_entry": f"A>{NEW}", "next_entry": "", "prev_saved_entry": ""}
    with pytest.raises(FleetError, match=r"GRUB: has no menu entry for 6\.2; look for its image in /boot, and at grub\.cfg"):
        core.settings(KERNELS, "6.2", OLD, once)


# id, kernels, part of ours, image made, whether to write
DUE = [
    ("all is there", KERNELS, True, False, False),
    ("an image that the menu does not know", KERNELS, True, True, True),
    ("another default", dc.replace(KERNELS, boots_saved=False), False, False, True),
    ("no menu", dc.replace(KERNELS, boots_saved=None), False, False, True),
    ("a kernel that it lacks", dc.replace(KERNELS, boot_entries={OLD: "x"}), True, False, True),
    ("a part that it lacks", dc.replace(KERNELS, boots_once=""), True, False, True),
    ("no part at all", dc.replace(KERNELS, boots_once=""), False, False, False),
]


@pytest.mark.parametrize(("kernels", "part", "unseen", "due"), [c[1:] for c in DUE], ids=[c[0] for c in DUE])
def test_the_menu_is_written_only_where_it_must_be(kernels: Kernel, part: bool, unseen: bool, due: bool) -> None:
    assert bool(core.to_write(kernels, NEW, part, unseen)) is due


def test_a_menu_that_is_still_to_come_has_our_part() -> None:
    seen = dc.replace(KERNELS, boots_once="", boot_arguments={OLD: "ro quiet"})
    after = core.written(seen, NEW, OLD)
    assert (after.boots_once, after.boot_arguments[NEW]) == ("panic=30", "ro quiet $instinct_once")
    assert core.written(KERNELS, NEW, OLD).boot_arguments[NEW] == ENTRY
    assert core.written(Kernel(), NEW, OLD).boot_arguments == {NEW: "$instinct_once"}


@pytest.mark.parametrize(("kernels", "sentence"), [
    (KERNELS, f"GRUB: boots {OLD} by default, not {NEW}; look at grub.cfg and at grubenv beside it"),
    (Kernel(unknown={"default_boot": "no menu"}), f"GRUB: boots what is unknown (no menu) by default, not {NEW}; look at grub.cfg "
                                                  "and at grubenv beside it"),
    (Kernel(), f"GRUB: boots what is unknown (no boot loader was found) by default, not {NEW}; look at grub.cfg and at grubenv "
               "beside it"),
])
def test_another_default_is_refused(kernels: Kernel, sentence: str) -> None:
    core.refuse_other_default(KERNELS, OLD)
    with pytest.raises(FleetError) as refused:
        core.refuse_other_default(kernels, NEW)
    assert refused.value.sentence == sentence


@pytest.mark.parametrize(("unknown", "why"), [
    ({"boot_entries": "a block of grub.cfg does not end", "next_boot": "x"}, "a block of grub.cfg does not end"),
    ({"next_boot": "another boot loader decides"}, "another boot loader decides"), ({}, "there is no menu of GRUB"),
])
def test_without_a_menu_nothing_comes_back(unknown: dict[str, str], why: str) -> None:
    kernels = Kernel(unknown=unknown)
    told = Fallback(False, why, "", f"which kernel boots was not chosen: {why}")
    assert core.unread(kernels, NEW, OLD, "auto") == core.unread(kernels, NEW, NEW, "require") == told
    with pytest.raises(FleetError, match="cannot be booted on trial"):
        core.unread(kernels, NEW, OLD, "require")


def test_a_kernel_whose_entry_says_so_is_on_trial() -> None:
    marked = dc.replace(KERNELS, boot_arguments={OLD: "ro", NEW: f"ro {core.MARK}"})
    assert [core.on_trial(marked, release) for release in (OLD, NEW, "6.0")] == [False, True, False]
