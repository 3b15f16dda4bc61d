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


def make_image(release: str, there: bool, timeout: float) -> None:
    """Make the initramfs of a kernel.

    Raises:
        FleetError: its program failed, or did not end.
    """
    _run(["update-initramfs", "-u" if there else "-c", "-k", release], timeout)


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
