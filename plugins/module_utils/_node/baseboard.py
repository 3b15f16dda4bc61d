# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The baseboard: BIOS and maker from DMI, the BMC from the IPMI driver."""

from __future__ import annotations

from .._core.look.firmware import NO_BKC, NO_BMC
from .._core.look.shape import Baseboard
from .apart import Apart, UnreadableError
from .machine import Machine
from .notes import Notes

_DMI = "/sys/class/dmi/id"
_FILES = {"vendor": "sys_vendor", "product": "product_name", "board": "board_name", "bios_vendor": "bios_vendor",
          "bios_version": "bios_version", "bios_date": "bios_date"}
_PLATFORM = "/sys/devices/platform"
# source: linux:Documentation/ABI/testing/sysfs-devices-platform-ipmi
_REVISION = "firmware_revision"
_SECONDS = 3.0  # for the BMC, whose revision is worth no longer wait


class Question:
    """The BMC answers when it likes, so it is asked in a child process, and only if an IPMI driver found one."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._notes = Notes()
        names = self._notes.attempt("baseboard.bmc", (), machine.names, _PLATFORM)
        paths = [f"{_PLATFORM}/{name}/{_REVISION}" for name in names if name.startswith("ipmi_bmc.")]
        self._bmc: Apart | None = machine.apart(lambda: machine.word(paths[0])) if paths else None

    def answer(self, seconds: float) -> tuple[Baseboard, Notes]:
        """Return the baseboard, and what is unknown of it."""
        notes = self._notes
        found = {field: notes.attempt(f"baseboard.{field}", None, self._machine.word, f"{_DMI}/{name}")
                 for field, name in _FILES.items()}
        bmc = notes.attempt("baseboard.bmc", None, self._ask, seconds)
        notes["baseboard.bkc"] = NO_BKC
        return Baseboard(**found, bmc=bmc), notes

    def _ask(self, seconds: float) -> str | None:
        if self._bmc is None:
            raise UnreadableError(NO_BMC)
        revision: str | None = self._bmc.result(min(seconds, _SECONDS))
        return revision
