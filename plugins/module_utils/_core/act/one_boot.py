# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A kernel that boots once, while the one that is known to work stays the default: whether that can be, and what of it.

source: the manual of GRUB, "The GRUB environment block"; grub-reboot(8); util/grub.d/00_header.in of grub 2.12
"""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import FleetError
from ..formats.grub import ONCE, ONE_BOOT
from ..look.shape import Kernel

MODES = ("auto", "require", "none")
# GRUB reads grubenv there, and cannot write it: what is chosen for once would be chosen for ever.
# source: grub-reboot(8); function check_writable of Debian's and Ubuntu's 00_header
_LAYERS = {"diskfilter": "a software RAID", "lvm": "a logical volume"}
_FILE_SYSTEMS = ("btrfs", "cpiofs", "newc", "odc", "romfs", "squash4", "tarfs", "zfs")
# What the entry of a kernel on trial is given where each has a file of its own, and how it is known again: the kernel
# passes over a name with a point that no module has. source: dracut.cmdline(7), rd.emergency; linux:init/main.c
MARK = "instinct.once"
TRIAL = f"{ONE_BOOT} rd.shell=0 rd.emergency=reboot {MARK}"
_PANIC = re.compile(r"(?:^|\s)panic=(?P<seconds>-?\d+)(?=\s|$)")
_BUILT_IN = re.compile(r"^CONFIG_PANIC_TIMEOUT=(?P<seconds>-?\d+)$", re.MULTILINE)


@dc.dataclass(frozen=True)
class Place:
    """Where grubenv is, as grub-probe tells. ``failed``: why it does not."""

    directory: str
    file_system: str = ""
    layers: tuple[str, ...] = ()
    failed: str = ""


@dc.dataclass(frozen=True)
class Fallback:
    """What becomes of a node whose next kernel does not come up.

    Attributes:
        once: whether that kernel boots once, and the default is another.
        why: why it is not so; empty where it is.
        panic: what makes a kernel that panics start the machine anew; empty if nothing does.
        words: what a person should know; empty where the default comes back by itself, or is what boots.
    """

    once: bool
    why: str
    panic: str
    words: str = ""

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data."""
        return dc.asdict(self)


def why_not(place: Place) -> str:
    """Why GRUB could not forget there what was chosen for one boot; empty if it can."""
    if place.failed:
        return f"whether GRUB can write to {place.directory} is unknown: {place.failed}"
    layer = next((_LAYERS[name] for name in place.layers if name in _LAYERS), None)
    if layer:
        return f"GRUB cannot write to {place.directory}, which is on {layer}"
    if place.file_system in _FILE_SYSTEMS:
        return f"GRUB cannot write to {place.directory}, which is on {place.file_system}"
    return ""


def panic(kernel: Kernel, release: str, config: str, once: bool) -> str:
    """What makes this kernel start the machine anew when it panics; empty if nothing does.

    ``config``: text of its /boot/config, "" if there is none. The last argument of a name is the one that counts.
    """
    entry = kernel.boot_arguments.get(release, "")
    given = entry.replace(f"${ONCE}", (kernel.boots_once or "") if once else "")
    found = [match["seconds"] for match in _PANIC.finditer(given)]
    if found:
        return f"panic={found[-1]}" if found[-1] != "0" else ""
    built_in = _BUILT_IN.search(config)
    return built_in[0] if built_in and built_in["seconds"] != "0" else ""


def to_write(kernel: Kernel, following: str, has_part: bool, unseen: bool) -> bool:
    """Whether grub.cfg must be written before this kernel can be chosen.

    ``has_part``: there is a part of ours in /etc/grub.d; ``unseen``: its initramfs was made after the menu.
    """
    here = kernel.boots_saved and following in kernel.boot_entries
    return not here or unseen or (has_part and not kernel.boots_once)


def written(kernel: Kernel, following: str, default: str) -> Kernel:
    """The kernels as they will be once grub.cfg is written, where only that can be known: in check mode."""
    like = kernel.boot_arguments.get(following, kernel.boot_arguments.get(default, ""))
    given = like if f"${ONCE}" in like else f"{like} ${ONCE}".lstrip()
    return dc.replace(kernel, boots_once=ONE_BOOT, boot_arguments={**kernel.boot_arguments, following: given})


def on_trial(kernel: Kernel, release: str) -> bool:
    """Whether the entry of a kernel says that it is on trial."""
    return MARK in kernel.boot_arguments.get(release, "").split()


def judge(kernel: Kernel, following: str, default: str, place: Place, config: str, mode: str) -> Fallback:
    """Whether the following kernel can boot once, and what makes it go away again.

    Raises:
        FleetError: that is required, and it cannot be.
    """
    why = ""
    if default == following:
        why = "it is the default itself"
    elif mode == "none":
        why = "none is asked for"
    elif default not in kernel.boot_entries:
        why = f"{default} has no entry in the menu"
    else:
        why = why_not(place)
    fallback = Fallback(not why, why, panic(kernel, following, config, not why))
    fallback = dc.replace(fallback, words=_words(fallback, following, default) if default != following else "")
    if mode == "require" and default != following:
        refuse_without(fallback, following, default)
    return fallback


def unread(kernel: Kernel, following: str, default: str, mode: str) -> Fallback:
    """What becomes of the following kernel where no menu of GRUB was read, so that none can be chosen.

    Raises:
        FleetError: something must come back, and nobody knows what.
    """
    why = kernel.unknown.get("boot_entries") or kernel.unknown.get("next_boot") or "there is no menu of GRUB"
    fallback = Fallback(once=False, why=why, panic="", words=f"which kernel boots was not chosen: {why}")
    if mode == "require" and default != following:
        refuse_without(fallback, following, default)
    return fallback


def _words(fallback: Fallback, following: str, default: str) -> str:
    if not fallback.once:
        return f"kernel {following} is the default at once: {fallback.why}; {default} does not come back by itself"
    if not fallback.panic:
        return f"kernel {following} stays where it is if it panics, and {default} comes back with the next power cycle"
    return ""


def refuse_without(fallback: Fallback, following: str, default: str) -> None:
    """Refuse where a kernel that does not come up would not be followed by the default.

    Raises:
        FleetError: says why it would not.
    """
    if not fallback.once:
        raise FleetError(f"kernel {following}", f"cannot be booted on trial with {default} as what comes back: "
                         f"{fallback.why}", "set node_maintenance_fallback to none if somebody can reach the console")
    if not fallback.panic:
        raise FleetError(f"kernel {following}", f"would stay where it is if it panicked, and {default} would not come "
                         "back by itself", "put panic=30 on its command line")


def settings(kernel: Kernel, following: str, default: str, fallback: Fallback) -> dict[str, str]:
    """What grubenv must say. One write makes all of it true.

    Raises:
        FleetError: a kernel has no entry in the menu.
    """
    lasting = default if fallback.once else following
    for release in (lasting, following):
        if release not in kernel.boot_entries:
            raise FleetError("GRUB", f"has no menu entry for {release}", "look for its image in /boot, and at grub.cfg")
    once = kernel.boot_entries[following] if fallback.once else ""
    return {"saved_entry": kernel.boot_entries[lasting], "next_entry": once, "prev_saved_entry": ""}


def refuse_other_default(kernel: Kernel, wanted: str) -> None:
    """Refuse to call it done when another kernel boots where nothing is chosen for once.

    Raises:
        FleetError: names it, or says why that is unknown.
    """
    if kernel.default_boot != wanted:
        why = kernel.unknown.get("default_boot", "no boot loader was found")
        found = kernel.default_boot or f"what is unknown ({why})"
        raise FleetError("GRUB", f"boots {found} by default, not {wanted}", "look at grub.cfg and at grubenv beside it")
