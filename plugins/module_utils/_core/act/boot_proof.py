# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What boots next: which images to make, and whether it is so afterwards."""

from __future__ import annotations

import re
import typing as t

from ..errors import DataError, FleetError
from ..look.boot import Boot, why_stale
from ..look.shape import Kernel

MISSING = "there is none"
CHANGED = "what is copied into it changed"
_KERNEL = re.compile(r"^[A-Za-z0-9][A-Za-z0-9.+~_-]*$")


def checked(kernels: t.Iterable[str]) -> None:
    """Check what will be part of commands.

    Raises:
        DataError: a name is not of the form it must have.
    """
    for kernel in kernels:
        if not _KERNEL.match(kernel):
            raise DataError("kernels", f"{kernel!r} is not a kernel release", "give it as uname -r prints it")


def to_make(boot: Boot, kernels: t.Sequence[str], anew: t.Collection[str] = ()) -> dict[str, str]:
    """The kernels whose initramfs is missing, older than what is copied into it, or wanted anew: kernel -> why."""
    reasons = {kernel: why_stale(boot, kernel, settings=True) for kernel in kernels}
    reasons.update({kernel: CHANGED for kernel in anew if reasons.get(kernel) == ""})
    return {kernel: why for kernel, why in reasons.items() if why}


def refuse_unmade(boot: Boot, kernels: t.Iterable[str]) -> None:
    """Refuse to call it done when an image is not there, or is the old one.

    Raises:
        FleetError: names the first.
    """
    for kernel, why in to_make(boot, list(kernels)).items():
        raise FleetError(f"initramfs of {kernel}", f"was made, and {why} all the same", "is there room in /boot?")


def refuse_other(kernel: Kernel, wanted: str) -> None:
    """Refuse to call it done when another kernel boots next.

    Raises:
        FleetError: names it, or says why that is unknown.
    """
    if kernel.next_boot is None:
        why = kernel.unknown.get("next_boot", "no boot loader was found")
        what = f"was told to boot {wanted}, and what boots next is unknown: {why}"
        raise FleetError("GRUB", what, "look at grub.cfg")
    if kernel.next_boot != wanted:
        raise FleetError("GRUB", f"boots {kernel.next_boot} next, not {wanted}",
                         "look for another GRUB_DEFAULT in /etc/default/grub.d, and for its entry in grub.cfg")
