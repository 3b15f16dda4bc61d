# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Firmware of NICs: RDMA devices, and interfaces of known families whose RDMA driver is not loaded."""

from __future__ import annotations

import dataclasses as dc
import re

from .._core.formats.ethtool import parse_firmware
from .._core.look.firmware import FAMILIES
from .._core.look.shape import NicFirmware
from .apart import UnreadableError
from .command import SlowError
from .machine import Machine
from .notes import Notes
from .pci import DEVICES

# source: linux:Documentation/ABI/stable/sysfs-class-infiniband
_RDMA = "/sys/class/infiniband"
_NET = "/sys/class/net"
_BDF = re.compile(r"^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$")
_SECONDS = 5.0  # for one ethtool, which asks a driver


def read(machine: Machine) -> tuple[tuple[NicFirmware, ...], Notes]:
    """Return the NICs in the order of their PCI addresses, and what is unknown of them."""
    notes = Notes()
    found: dict[str, NicFirmware] = {}
    for folder in (_RDMA, _NET):
        for name in notes.attempt("nics", (), machine.names, folder):
            bdf = machine.link_name(f"{folder}/{name}/device")
            if bdf and bdf not in found and _BDF.match(bdf) and not machine.exists(f"{DEVICES}/{bdf}/physfn"):
                nic = _nic(machine, notes, folder, name, bdf)
                found.update({bdf: nic} if nic.family or folder == _RDMA else {})
    ethtool = _Ethtool(machine, notes)
    return tuple(ethtool.complete(found[bdf]) for bdf in sorted(found)), notes


def _nic(machine: Machine, notes: Notes, folder: str, name: str, bdf: str) -> NicFirmware:
    def word(field: str, path: str) -> str | None:
        return notes.attempt(f"{bdf}.{field}", None, machine.word, path)

    driver = machine.link_name(f"{DEVICES}/{bdf}/driver")
    family = FAMILIES.get((word("family", f"{DEVICES}/{bdf}/vendor") or "", driver or ""))
    if folder == _NET:
        return NicFirmware(bdf, name, driver, family)
    version = word("version", f"{folder}/{name}/fw_ver")
    return NicFirmware(bdf, name, driver, family, word("board", f"{folder}/{name}/board_id"), version,
                       "sysfs" if version else None)


class _Ethtool:
    """Asks the interfaces of NICs whose version sysfs does not tell, until one hangs: its driver would let all wait."""

    def __init__(self, machine: Machine, notes: Notes) -> None:
        self._machine, self._notes = machine, notes
        self._hung: str | None = None

    def complete(self, nic: NicFirmware) -> NicFirmware:
        """Return the NIC with what ethtool says of its interface."""
        if nic.version:
            return nic
        version, board = self._notes.attempt(f"{nic.bdf}.version", (None, None), self._ask, nic.bdf)
        return dc.replace(nic, version=version, board=nic.board or board, source="ethtool" if version else None)

    def _ask(self, bdf: str) -> tuple[str | None, str | None]:
        interface = next(iter(self._machine.names(f"{DEVICES}/{bdf}/net")), None)
        if interface is None:
            raise UnreadableError("the RDMA device states no version, and there is no interface to ask")
        if self._hung:
            raise UnreadableError(f"not asked, since ethtool -i {self._hung} did not end")
        try:
            ran = self._machine.run("ethtool", "-i", interface, most=_SECONDS)
        except SlowError:
            self._hung = interface
            raise
        version, board = parse_firmware(ran.stdout)
        if ran.code or not version:
            raise UnreadableError(f"ethtool -i {interface} states no version of the firmware")
        return version, board
