# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Whether a process is the one that KFD means.

KFD names its entry after the process that opened it first, and keeps the entry as long as the memory of that process
lives. Another process may live in the same memory (clone with CLONE_VM), the first one end, and its number come to
stand for somebody who has nothing to do with GPUs. So a number counts only for who has the devices open, or mapped.
source: linux:drivers/gpu/drm/amd/amdkfd/kfd_process.c, kfd_create_process, kfd_process_notifier_release
"""

from __future__ import annotations

import os
import re
import stat
import typing as t

from .apart import UnreadableError
from .machine import Machine

Same = tuple[str, int, int]


def refuse_other(machine: Machine, pid: int, doors: t.Sequence[str]) -> None:
    """Refuse a process that has not opened all of these devices.

    Raises:
        UnreadableError: it has not, or that cannot be told.
    """
    missing = {door: _same(machine.stat(door)) for door in doors}
    for task in machine.names(f"/proc/{pid}/task"):  # the first thread may have ended, and others go on
        folder = f"/proc/{pid}/task/{task}"
        for name in machine.names(f"{folder}/fd"):
            file = f"{folder}/fd/{name}"
            if "/dev/" not in (machine.link(file) or ""):
                continue  # a file of a server that is gone would not answer
            found = _same(machine.stat(file))
            missing = {door: same for door, same in missing.items() if same is None or same != found}
            if not missing:
                return
        maps = machine.text(f"{folder}/maps") or ""
        missing = {door: same for door, same in missing.items()
                   if not re.search(rf"\s\S*{re.escape(door)}$", maps, re.MULTILINE)}
        if not missing:
            return
    raise UnreadableError(f"process {pid} has not opened {', '.join(missing)}: KFD's entry may be of another process "
                          "that had this number before")


def _same(status: os.stat_result | None) -> Same | None:
    """What makes it the same device, by whatever name it was opened."""
    if status is None:
        return None
    return ("device", status.st_rdev, 0) if stat.S_ISCHR(status.st_mode) else ("file", status.st_dev, status.st_ino)
