# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a node is, as far as settings need it."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..act.fileset import Seen as SeenFile
from .overrides import Line
from .record import Record
from .setting import ACCESS, ARGUMENT, Setting
from .texts import GRUB, appended_by

MENU, ENTRIES = "menu", "entries"  # how arguments come to a kernel: by grub.cfg made anew, or entry by entry
# source: linux:include/uapi/linux/pci_regs.h, PCI_ACS_*; drivers/pci/pci.c, pci_std_enable_acs
OFF_BITS, ON_BITS = 0x7F, 0x1D


@dc.dataclass(frozen=True)
class Register:
    """Access control services of one PCI function: what it is able to, and what is on."""

    bdf: str
    able: int
    control: int

    def right(self, value: str) -> bool:
        """Whether they are off, or on as far as it is able to."""
        return not self.control & OFF_BITS if value == "off" else self.control & ON_BITS == self.able & ON_BITS


@dc.dataclass(frozen=True)
class Seen:
    """A node.

    Attributes:
        running: words of the command line of the running kernel; None: not known.
        entries: release of a kernel -> words that its boot entry gives to it.
        next_boot: release of the kernel that boots next; None: not known, and ``boot_unknown`` says why.
        loader: MENU, ENTRIES; empty: no program that this collection knows changes arguments here.
        sysctls: those that were asked for and that the kernel has.
        later: what files that are read after ours set.
        manager: defaults of systemd for its units, by the name of the limit: MEMLOCK.
        registers: of all PCI functions that have access control services; None: not known.
        apt: whether the node has apt.
        by_itself: whether another package manager installs updates by itself; None: not known.
        setpci: whether the node has setpci.
        enabled: whether the unit starts at boot.
        files: what is at the paths of our files.
        record: what was before.
    """

    running: tuple[str, ...] | None
    entries: t.Mapping[str, tuple[str, ...]]
    next_boot: str | None
    boot_unknown: str
    loader: str
    sysctls: t.Mapping[str, str]
    later: tuple[Line, ...]
    manager: t.Mapping[str, str]
    registers: tuple[Register, ...] | None
    apt: bool
    by_itself: bool | None
    setpci: bool
    enabled: bool
    files: t.Mapping[str, SeenFile]
    record: Record

    @property
    def own(self) -> tuple[str, ...]:
        """Kernel arguments that we brought."""
        return (*appended_by(self.files[GRUB].content.decode("utf-8", "replace")), *self.record.arguments)

    @property
    def entry(self) -> tuple[str, ...] | None:
        """Words that the next boot gives to its kernel; None: not known."""
        return self.entries.get(self.next_boot) if self.next_boot else None

    @property
    def foreign(self) -> tuple[str, ...]:
        """Words of the next boot that others brought."""
        return tuple(word for word in self.entry or () if word not in self.own)


def arguments(settings: t.Iterable[Setting]) -> tuple[Setting, ...]:
    """Those that are kernel arguments."""
    return tuple(setting for setting in settings if setting.kind == ARGUMENT)


def access(settings: t.Iterable[Setting]) -> str:
    """How access control services should be: off, on; empty where no setting says so."""
    return next((setting.value for setting in settings if setting.kind == ACCESS), "")
