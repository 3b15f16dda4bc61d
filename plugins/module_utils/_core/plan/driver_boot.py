# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What the next boot loads: the kernel, its initramfs, and whatever keeps amdgpu out."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..look.boot import why_stale
from ..look.whole import WholeLook
from . import packaging
from .driver_seen import Seen
from .plan import Step
from .steps import file_steps

if t.TYPE_CHECKING:
    from ..release.resolved import Resolved

# Those that can be told to make an image; of others a person is told what is wrong.
TOOLS = ("initramfs-tools", "dracut")


def boot_steps(look: WholeLook, wanted: Resolved, seen: Seen, changes: bool, blacklist: str) -> list[Step]:
    """Lines that keep amdgpu out, the initramfs, the kernel that boots. ``changes``: the plan changes the module."""
    unlisted = _unblacklist_steps(look) if blacklist == "remove" else []
    image = _image_steps(look, wanted, seen, changes or bool(unlisted))
    return [*unlisted, *image, *_menu_steps(look, seen, rewrite=bool(image) and _lacks_image(look, wanted, seen))]


def _blacklists(look: WholeLook) -> tuple[list[str], list[str]]:
    """Lines of files as ``path: line``, and arguments of the kernel."""
    lines = [text for text in look.driver.blacklisted_by if text.startswith("/")]
    return lines, [text.partition(": ")[2] for text in look.driver.blacklisted_by if not text.startswith("/")]


def _unblacklist_steps(look: WholeLook) -> list[Step]:
    lines, _arguments = _blacklists(look)
    if not lines:
        return []
    return [Step("unblacklist", "take away what keeps amdgpu from loading: " + ", ".join(lines),
                 before="\n".join(lines), data={"module": "amdgpu"})]


def _lacks_image(look: WholeLook, wanted: Resolved, seen: Seen) -> bool:
    """Whether an installed kernel of the distribution has no initramfs: it would not find its root file system."""
    here = any(k.release == seen.kernel and k.image and k.initrd is None for k in look.kernel.installed)
    return here and bool(wanted.kernel.packages)


def _image_steps(look: WholeLook, wanted: Resolved, seen: Seen, changes: bool) -> list[Step]:
    """An initramfs may hold a copy of the driver and of modprobe.d, which would be the one that is loaded."""
    if look.boot.tool not in TOOLS:
        return []
    lacks = _lacks_image(look, wanted, seen)
    has = any(image.kernel == seen.kernel for image in look.boot.images)
    unloaded = look.driver.loaded is False and bool(look.gpus.gpus)
    why = why_stale(look.boot, seen.kernel, settings=unloaded or bool(look.driver.blacklisted_by)) if has else ""
    if not (lacks or why or changes):
        return []
    reason = "which has none" if lacks else f"for {why}" if why else "for what is copied into it changes"
    # The kernel's own module is as old as the kernel: no time tells that the copy of AMD's is in the image still.
    anew = [seen.kernel] if changes and seen.source == "in_tree" else []
    return [Step("initramfs", f"make the initramfs of {seen.kernel} anew, {reason}",
                 data={"kernel": seen.kernel, "anew": anew})]


def _menu_steps(look: WholeLook, seen: Seen, rewrite: bool) -> list[Step]:
    wanted = packaging.boot_files(look)
    files = file_steps(look, wanted)
    right = look.kernel.next_boot == seen.kernel or not look.kernel.boot_entries
    # A run that was cut off between the file and the menu leaves a menu that does not know of it.
    behind = bool(wanted) and not (look.kernel.boots_saved and look.kernel.boots_once)
    if not files and right and not rewrite and not behind:
        return []
    packaging.refuse_unsaved(look, seen.kernel)
    return [*(dc.replace(s, action="boot_file") for s in files),
            Step("boot", f"make {seen.kernel} the kernel that boots", before=look.kernel.next_boot or "unknown",
                 after=seen.kernel)]


def boot_problems(look: WholeLook, wanted: Resolved, seen: Seen, blacklist: str) -> tuple[str, ...]:
    """What keeps the driver out at boot and no step mends."""
    problems = []
    if look.boot.tool not in TOOLS and _lacks_image(look, wanted, seen):
        problems.append(f"kernel {seen.kernel} has no initramfs; make one with its own tool")
    lines, arguments = _blacklists(look)
    if look.gpus.gpus and lines and blacklist == "report":
        problems.append(f"amdgpu does not load at boot, for {', '.join(lines)}; set gpu_driver_blacklist to remove, or "
                        "to accept if the site loads it itself")
    if look.gpus.gpus and arguments and blacklist != "accept":
        problems.append(f"amdgpu does not load at boot, for the kernel is started with {' '.join(arguments)}; take it "
                        "out of GRUB_CMDLINE_LINUX and boot, or set gpu_driver_blacklist to accept")
    return tuple(problems)


def boot_notes(look: WholeLook, seen: Seen, blacklist: str) -> t.Iterator[str]:
    """What a person should know about the next boot."""
    if not look.kernel.boot_entries:
        yield f"no GRUB menu was read: whether {seen.kernel} boots next is unknown"
    if look.gpus.gpus and look.driver.blacklisted_by and blacklist == "accept":
        yield f"amdgpu is blacklisted by {', '.join(look.driver.blacklisted_by)}: it does not load at boot by itself"
