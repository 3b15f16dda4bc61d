# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What an eviction sees: who holds the devices of this node, whose they are, and what the driver has in use."""

from __future__ import annotations

import dataclasses as dc
import os
import typing as t

from .._core.errors import FleetError
from .._core.eviction import life
from .._core.eviction.candidates import candidates
from .._core.eviction.life import Life
from .._core.eviction.shape import Holder
from .._core.reservation.shape import Device, Record
from .._core.reservation.text_now import standing
from .._core.reservation.verdict import judge
from .._node.apart import UnreadableError
from .._node.machine import Machine
from .._reservation import seen

SECONDS = 60  # for one look
_USED = "mem_info_vram_used"


@dc.dataclass(frozen=True)
class View:
    """One look.

    Attributes:
        record: who has reserved what; None: the node was never told.
        devices: of the node.
        holders: who holds any of them.
        used: PCI address -> bytes in use, as the driver says.
    """

    record: Record | None
    devices: tuple[Device, ...]
    holders: tuple[Holder, ...]
    used: dict[str, int | None]


def machine() -> Machine:
    """This machine, for one look."""
    return Machine(timeout=SECONDS)


def look() -> View:
    """Look once.

    Raises:
        FleetError: who holds the devices cannot be told.
    """
    node = machine()
    found = seen.look(node)
    if "processes" in found.held.unknown:
        raise FleetError("this node", f"who holds its devices is unknown: {found.held.unknown['processes']}",
                         "mend that on the node")
    lives = {holder.pid: alive(holder.pid, node) for holder in found.held.holders}
    now = standing(found.record or Record(), found.at, found.zone)
    holders = candidates(judge(now, found.devices, found.held), lives, _ages(node, lives),
                         life.above(os.getpid(), lambda pid: alive(pid, node)))
    return View(found.record, found.devices, holders, {one.gpu: number(node, one.gpu, _USED) for one in found.devices})


def alive(pid: int, node: Machine | None = None) -> Life | None:
    """What /proc tells of a process; None if it is gone."""
    try:
        return life.parse((node or machine()).text(f"/proc/{pid}/stat") or "")
    except UnreadableError:  # it ends while it is read
        return None


def status(pid: int) -> str:
    """/proc/<pid>/status; empty if it is gone."""
    try:
        return machine().text(f"/proc/{pid}/status") or ""
    except UnreadableError:  # it ends while it is read
        return ""


def _ages(node: Machine, lives: t.Mapping[int, Life | None]) -> dict[int, int]:
    up = (node.text("/proc/uptime") or "").partition(".")[0]
    ticks = os.sysconf("SC_CLK_TCK")
    return {pid: int(up) - one.start // ticks for pid, one in lives.items() if one} if up.isdigit() else {}


def number(node: Machine, gpu: str, name: str) -> int | None:
    """A number that the driver tells of a GPU; None where it does not."""
    try:
        word = node.word(f"/sys/bus/pci/devices/{gpu}/{name}") or ""
    except UnreadableError:
        return None
    return int(word) if word.isdigit() else None
