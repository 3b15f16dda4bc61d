# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Making initramfs images and the GRUB menu, each within a time."""

from __future__ import annotations

import typing as t

from .._core.errors import FleetError
from .._core.look.boot import Boot
from .._core.look.shape import Kernel
from .._node import boot, driver, kernel
from .._node.machine import Machine
from .process import clean_end, run

ROOT = "/"


def seen() -> tuple[Kernel, Boot]:
    """Kernels and what they boot with."""
    machine = Machine(ROOT)
    kernels = kernel.read(machine)
    modules = driver.read(machine, kernels.running, kernels.next_boot)
    return kernels, boot.read(machine, None, kernels, modules)


def make_image(tool: str | None, release: str, image: str | None, timeout: float) -> None:
    """Make the initramfs of a kernel. ``image``: the path of the one that is there.

    Raises:
        FleetError: no known program makes images here, or it failed, or did not end.
    """
    if tool is None:
        raise FleetError(f"initramfs of {release}", "cannot be made: neither initramfs-tools nor dracut is installed")
    if tool == "dracut":  # in place of the one that the boot loader reads; else dracut knows its name
        _run(["dracut", "--force", *([image] if image else []), "--kver", release], timeout)
    else:
        _run(["update-initramfs", "-u" if image else "-c", "-k", release], timeout)


def write_menu(timeout: float) -> None:
    """Write grub.cfg.

    Raises:
        FleetError: its program failed, or did not end.
    """
    _run(["update-grub"], timeout)


def _run(command: t.Sequence[str], timeout: float) -> None:
    with clean_end():
        done = run(command, timeout)
    if done.timed_out:
        raise FleetError(" ".join(command), f"did not end within {timeout:.0f} s", "what it was doing may be half done")
    if done.code:
        said = " ".join((done.err or done.out).split()[-60:])
        raise FleetError(" ".join(command), f"ended with {done.code}: {said}", "is there room in /boot?")
