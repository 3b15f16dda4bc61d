# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Making initramfs images and the GRUB menu, each within a time; and choosing what boots."""

from __future__ import annotations

import typing as t

from .._core.act.one_boot import Place
from .._core.errors import FleetError
from .._core.formats.grub import parse_environment
from .._core.look.boot import Boot
from .._core.look.shape import Driver, Kernel
from .._core.plan.managed import GRUB_ONCE
from .._node import boot, driver, kernel
from .._node.machine import Machine
from .process import clean_end, run

ROOT = "/"
_WRITERS = ("/usr/sbin/update-grub", "/usr/bin/update-grub")
_PROBES = ("grub-probe", "grub2-probe")  # the RHEL family and SUSE have a 2 in the names of all programs
_EDITORS = ("grub-editenv", "grub2-editenv")
_FOLDERS = ("/usr/sbin", "/usr/bin", "/sbin", "/bin")


def seen() -> tuple[Kernel, Boot, Driver]:
    """Kernels, what they boot with, and the driver."""
    machine = Machine(ROOT)
    kernels = kernel.read(machine)
    modules = driver.read(machine, kernels.running, kernels.next_boot)
    return kernels, boot.read(machine, None, kernels, modules), modules


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


def writes_menus() -> bool:
    """Whether there is a program that writes grub.cfg with our parts in it. Elsewhere packages of kernels write it."""
    machine = Machine(ROOT)
    return any(machine.exists(path) for path in _WRITERS)


def has_part() -> bool:
    """Whether there is a part of ours for grub.cfg."""
    return Machine(ROOT).exists(GRUB_ONCE)


def write_menu(timeout: float) -> None:
    """Write grub.cfg.

    Raises:
        FleetError: its program failed, or did not end.
    """
    _run(["update-grub"], timeout)


def edits_entries() -> bool:
    """Whether there is a program that changes the entry of one kernel, as on the RHEL family."""
    return any(Machine(ROOT).exists(f"{folder}/grubby") for folder in _FOLDERS)


def edit_entry(release: str, option: str, arguments: str, timeout: float) -> None:
    """Give arguments to the entry of a kernel (``--args``), or take them away (``--remove-args``).

    Raises:
        FleetError: the program failed, or did not end.
    """
    _run(["grubby", f"--update-kernel=/boot/vmlinuz-{release}", f"{option}={arguments}"], timeout)


def place(timeout: float) -> Place:
    """Where grubenv is, links followed: it may be on the EFI partition. What grub-probe does not tell is a reason."""
    directory = Machine(ROOT).real(f"{_directory()}/grubenv").rpartition("/")[0]
    said = {}
    for target in ("fs", "abstraction"):
        done = run([_program(_PROBES), f"--target={target}", directory], timeout)
        if done.code or done.timed_out:
            return Place(directory, failed=" ".join((done.err or "grub-probe did not end").split()[-40:]))
        said[target] = done.out.split()
    return Place(directory, "".join(said["fs"][:1]), tuple(said["abstraction"]))


def config(release: str) -> str:
    """How a kernel was built; empty if that is not told."""
    return Machine(ROOT).text(f"/boot/config-{release}") or ""


def environment() -> dict[str, str]:
    """What grubenv says."""
    return parse_environment(Machine(ROOT).text(f"{_directory()}/grubenv") or "")


def tell(values: t.Mapping[str, str], timeout: float) -> None:
    """Write grubenv, all values at once.

    Raises:
        FleetError: that failed.
    """
    path = Machine(ROOT).outside(f"{_directory()}/grubenv")
    _run([_program(_EDITORS), path, "set", *(f"{name}={value}" for name, value in values.items())], timeout)


def _directory() -> str:
    directory = kernel.grub_directory(Machine(ROOT))
    if directory is None:
        raise FleetError("boot loader", "is not GRUB, so which kernel boots cannot be chosen", "choose it by hand")
    return directory


def _program(names: t.Sequence[str]) -> str:
    machine = Machine(ROOT)
    found = (name for name in names if any(machine.exists(f"{folder}/{name}") for folder in _FOLDERS))
    return next(found, names[0])


def _run(command: t.Sequence[str], timeout: float) -> None:
    with clean_end():
        done = run(command, timeout)
    if done.timed_out:
        raise FleetError(" ".join(command), f"did not end within {timeout:.0f} s", "what it was doing may be half done")
    if done.code:
        said = " ".join((done.err or done.out).split()[-60:])
        raise FleetError(" ".join(command), f"ended with {done.code}: {said}", "is there room in /boot?")
