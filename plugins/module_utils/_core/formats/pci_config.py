# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What sysfs says of a PCI function in bytes and tables: configuration space, resources, counters of AER.

Offsets and bits. source: linux:include/uapi/linux/pci_regs.h
"""

from __future__ import annotations

import dataclasses as dc
import re
import struct
import typing as t

HEADER = 64  # bytes that everybody may read
WHOLE = 256  # without the extended capabilities
_BARS = 6
_EXPRESS, _ACS, _REBAR = 0x10, 0x0D, 0x15
_MEGABYTE = 20
# Speeds by their code, in MT/s. source: linux:include/uapi/linux/pci_regs.h, PCI_EXP_LNKCAP_SLS_*
SPEEDS = {1: 2500, 2: 5000, 3: 8000, 4: 16000, 5: 32000, 6: 64000}
# source: linux:include/uapi/linux/pci_regs.h, PCI_EXP_TYPE_*
PORTS = {0x0: "endpoint", 0x1: "endpoint", 0x4: "root_port", 0x5: "upstream", 0x6: "downstream", 0x9: "endpoint"}
_ATOMICS = 0x3C0  # bits 6 to 9 of DevCap2: routing, and completion of 32, 64 and 128 bits
_ATOMIC_REQUESTS = 0x40  # of DevCtl2
_MEMORY, _UNSET = 0x200, 0x20000000  # source: linux:include/linux/ioport.h, IORESOURCE_MEM and IORESOURCE_UNSET


@dc.dataclass(frozen=True)
class Express:
    """The PCI Express capability. Widths in lanes, speeds in MT/s; None where the code is none that is known."""

    port: str | None
    width: int | None
    max_width: int | None
    speed_mts: int | None
    max_speed_mts: int | None
    atomics: int
    atomics_requested: bool


def lost(config: bytes) -> bool:
    """Whether the function does not answer: everything reads as ones."""
    return len(config) >= 4 and config[:4] == b"\xff\xff\xff\xff"


def express(config: bytes) -> Express | None:
    """Return the PCI Express capability, None if there is none."""
    at = _capability(config, _EXPRESS)
    if at is None or at + 0x2C > WHOLE:
        return None
    flags, = struct.unpack_from("<H", config, at + 2)
    capable, = struct.unpack_from("<I", config, at + 12)
    status, = struct.unpack_from("<H", config, at + 18)
    second, control = struct.unpack_from("<IH", config, at + 36)
    # The second set of registers came with version 2 of the capability.
    if flags & 0xF < 2:
        second = control = 0
    return Express(
        PORTS.get(flags >> 4 & 0xF), status >> 4 & 0x3F or None, capable >> 4 & 0x3F or None,
        SPEEDS.get(status & 0xF), SPEEDS.get(capable & 0xF), second & _ATOMICS, bool(control & _ATOMIC_REQUESTS))


def _capability(config: bytes, wanted: int) -> int | None:
    """Return where a capability is in the first 256 bytes. A list that runs in a circle ends."""
    if len(config) < WHOLE or not config[0x06] & 0x10:
        return None
    at, seen = config[0x34] & 0xFC, set[int]()
    while at >= HEADER and at not in seen:
        if config[at] == wanted:
            return at
        seen.add(at)
        at = config[at + 1] & 0xFC
    return None


def _extended(config: bytes, wanted: int) -> int | None:
    """Return where an extended capability is. A list that runs in a circle ends."""
    at, seen = WHOLE, set[int]()
    while WHOLE <= at <= len(config) - 8 and at not in seen:
        header, = struct.unpack_from("<I", config, at)
        if header & 0xFFFF == wanted:
            return at
        seen.add(at)
        at = header >> 20 & 0xFFC
    return None


def acs_control(config: bytes) -> int | None:
    """Return the control register of access control services, None if there is no such capability."""
    return _acs(config, 6)


def acs_ability(config: bytes) -> int | None:
    """Return what access control services the function is able to, None if there is no such capability."""
    return _acs(config, 4)


def _acs(config: bytes, offset: int) -> int | None:
    at = _extended(config, _ACS)
    return None if at is None else int(struct.unpack_from("<H", config, at + offset)[0])


def bar_sizes(config: bytes) -> dict[int, int]:
    """Return the sizes of resizable BARs as they are set: number of the BAR -> bytes."""
    at = _extended(config, _REBAR)
    if at is None or at + 12 > len(config):
        return {}
    count = config[at + 8] >> 5
    controls = [struct.unpack_from("<I", config, place)[0]
                for place in range(at + 8, min(at + 8 + 8 * count, len(config) - 3), 8)]
    return {control & 0x7: 1 << (control >> 8 & 0x3F) + _MEGABYTE for control in controls}


def resources(text: str, config: bytes = b"") -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the sizes of memory BARs that have an address, and of those that have none.

    A kernel that cannot place a BAR forgets it, or keeps it without an address; the device's own register tells still
    that there is one, if it is of 64 bits. -1 is a size that nothing tells.

    Args:
        text: the file resource: a line for each, with start, end and flags.
        config: configuration space, at least its header.
    """
    placed: list[int] = []
    unplaced: list[int] = []
    sizes, upper = bar_sizes(config), False
    lines = text.splitlines()[:_BARS]
    for number, line in enumerate(lines):
        words = re.findall(r"0x([0-9a-f]+)", line)
        start, end, flags = (int(word, 16) for word in words) if len(words) == 3 else (0, 0, 0)
        if flags & _MEMORY:
            (unplaced if flags & _UNSET or not start else placed).append(end - start + 1)
        elif not upper and not flags and _wide(config, number):
            unplaced.append(sizes.get(number, -1))
        upper = not upper and _wide(config, number)
    return tuple(placed), tuple(unplaced)


def _wide(config: bytes, number: int) -> bool:
    """Whether a BAR is of memory with 64-bit addresses, which takes two registers."""
    at = 0x10 + 4 * number
    return len(config) >= HEADER and config[0x0E] & 0x7F == 0 and config[at] & 0x7 == 0x4


def aer_total(text: str) -> int | None:
    """Return the total of a file aer_dev_correctable or the like, None if it has none."""
    total = None
    for name, number in re.findall(r"^(\w+)\s+(\d+)$", text, re.MULTILINE):
        if name.startswith("TOTAL_"):
            total = int(number)
    return total


def path(real: str) -> tuple[str, ...]:
    """Return the PCI functions on a path of sysfs, from the root complex down."""
    parts: t.Iterable[str] = real.split("/")
    return tuple(part for part in parts if re.match(r"^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$", part))
