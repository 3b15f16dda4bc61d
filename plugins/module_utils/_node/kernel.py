# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Kernels: running, installed, and next to boot."""

from __future__ import annotations

import re
import typing as t

from .._core.formats import bls, grub
from .._core.look.shape import InstalledKernel, Kernel
from .apart import UnreadableError
from .machine import Machine
from .notes import Notes

_GRUB_DIRS = ("/boot/grub", "/boot/grub2")
_EFI = "/boot/efi/EFI"  # where RHEL 8 keeps grub.cfg and grubenv, in a folder with the name of the distribution
# Names in /boot that are no kernel of their own: an image for debuggers (SUSE), one for rescue (RHEL).
_NO_KERNEL = re.compile(r"(?:\.gz$|^0-rescue-)")
_SECURE_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"


def running(machine: Machine) -> str | None:
    """Return the release of the running kernel, as uname -r prints it."""
    return machine.word("/proc/sys/kernel/osrelease")


def command_line(machine: Machine) -> str | None:
    """Return the command line of the running kernel."""
    return machine.word("/proc/cmdline")


def installed(machine: Machine) -> tuple[InstalledKernel, ...]:
    """Return the kernels with modules in /lib/modules or an image in /boot.

    Raises:
        UnreadableError: one of the directories cannot be read.
    """
    boot = machine.names("/boot")
    images = {name.partition("-")[2]: f"/boot/{name}" for name in boot if name.startswith(("vmlinuz-", "vmlinux-"))
              and not _NO_KERNEL.search(name.partition("-")[2])}
    initrds = {name.partition("-")[2].removesuffix(".img"): f"/boot/{name}" for name in boot
               if name.startswith(("initrd.img-", "initramfs-", "initrd-"))}
    directories = [name for name in machine.names("/lib/modules") if machine.exists(f"/lib/modules/{name}/kernel")
                   or machine.exists(f"/lib/modules/{name}/modules.dep")]
    return tuple(InstalledKernel(
        release=release, image=images.get(release), initrd=initrds.get(release),
        headers=machine.exists(f"/lib/modules/{release}/build/Makefile"),
        modules=machine.exists(f"/lib/modules/{release}/modules.dep"),
    ) for release in sorted({*directories, *images}))


def read(machine: Machine) -> Kernel:
    """Read the kernel section."""
    notes = Notes()
    release, default, source, menu = _boot(machine, notes)
    chosen = menu.chosen() if menu else {}
    return Kernel(
        running=notes.attempt("running", None, running, machine),
        boot_id=notes.attempt("boot_id", None, machine.word, "/proc/sys/kernel/random/boot_id"),
        cmdline=notes.attempt("cmdline", None, command_line, machine),
        installed=notes.attempt("installed", (), installed, machine),
        next_boot=release, default_boot=default, next_boot_source=source,
        boot_entries={release: path for release, (path, _arguments) in chosen.items()},
        boot_arguments={release: arguments for release, (_path, arguments) in chosen.items()},
        boots_saved=menu.saved if menu else None, boots_once=menu.once if menu else None,
        secure_boot=notes.attempt("secure_boot", None, _secure_boot, machine), unknown=notes,
    )


def grub_directory(machine: Machine) -> str | None:
    """Return where grub.cfg and grubenv are; None without GRUB.

    Raises:
        UnreadableError: one of the places cannot be read.
    """
    return next((d for d in _grub_dirs(machine) if machine.exists(f"{d}/grub.cfg")), None)


def _boot(machine: Machine, notes: Notes) -> tuple[str | None, str | None, str | None, grub.Menu | None]:
    """What boots next, what boots where nothing is chosen for once, who says so, and the menu."""
    try:
        directory = grub_directory(machine)
        if directory:
            menu = bls.into(grub.parse_menu(machine.text(f"{directory}/grub.cfg") or ""), _bls_entries(machine))
            environment = grub.parse_environment(machine.text(f"{directory}/grubenv") or "")
            lasting = {name: value for name, value in environment.items() if name != "next_entry"}
            default = _next(menu, lasting, notes, "default_boot")
            return _next(menu, environment, notes, "next_boot"), default, "grub", menu
        target = machine.link("/vmlinuz") or machine.link("/boot/vmlinuz")
        if target and "vmlinuz-" in target:
            return target.partition("vmlinuz-")[2], target.partition("vmlinuz-")[2], "symlink", None
        notes["next_boot"] = notes["default_boot"] = "no grub.cfg and no /vmlinuz: another boot loader decides"
    except (UnreadableError, grub.BootUnknownError) as error:
        notes["next_boot"] = notes["default_boot"] = notes["boot_entries"] = str(error)
    return None, None, None, None


def _grub_dirs(machine: Machine) -> t.Iterator[str]:
    yield from _GRUB_DIRS
    yield from (f"{_EFI}/{name}" for name in machine.names(_EFI))


def _bls_entries(machine: Machine) -> t.Iterator[grub.Entry]:
    for name in machine.names(bls.DIRECTORY):
        if name.endswith(".conf"):
            yield bls.entry(machine.text(f"{bls.DIRECTORY}/{name}") or "", name.removesuffix(".conf"))


def _next(menu: grub.Menu, environment: dict[str, str], notes: Notes, field: str) -> str | None:
    try:
        return grub.next_kernel(menu, environment)
    except grub.BootUnknownError as error:
        notes[field] = str(error)
        return None


def _secure_boot(machine: Machine) -> bool:
    # Four bytes of attributes, then the value. Without EFI there is no Secure Boot. source: UEFI 2.10, 3.3
    data = machine.data(_SECURE_BOOT)
    return bool(data and data[-1] == 1)
