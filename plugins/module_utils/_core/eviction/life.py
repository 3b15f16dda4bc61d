# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What /proc tells of a process that makes it this one and no other, and who is above it."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

_KERNEL_THREAD = 0x00200000  # PF_KTHREAD. source: linux:include/linux/sched.h
_INIT = 1


@dc.dataclass(frozen=True)
class Life:
    """One process.

    Attributes:
        start: when it began, in ticks after the boot. With the pid it names one process.
        state: letter of proc(5).
        parent: pid.
        group: process group.
        kernel: whether it is a thread of the kernel.
        threads: that it has; the first one may have ended (state Z) and others go on.
    """

    start: int
    state: str
    parent: int
    group: int
    kernel: bool
    threads: int = 1

    @property
    def ended(self) -> bool:
        """Whether nothing of it runs any more."""
        return self.state in ("Z", "X") and self.threads < 2


def parse(text: str) -> Life | None:
    """The life that /proc/<pid>/stat tells; None if it is not of its form.

    The name, in brackets, may itself have blanks and brackets. source: proc_pid_stat(5)
    """
    words = text.rpartition(")")[2].split()
    if len(words) < 20 or not all(word.lstrip("-").isdigit() for word in words[1:20]):
        return None
    return Life(int(words[19]), words[0], int(words[1]), int(words[2]), bool(int(words[6]) & _KERNEL_THREAD),
                int(words[17]))


def catches(status: str, number: int) -> bool:
    """Whether a process has a handler for a signal, by /proc/<pid>/status. Of any other it would end, or not notice it.

    source: proc_pid_status(5), SigCgt; signal n is bit n - 1
    """
    found = re.search(r"^SigCgt:\s*([0-9a-fA-F]+)$", status, re.MULTILINE)
    return bool(found and int(found[1], 16) >> (number - 1) & 1)


def above(pid: int, lives: t.Callable[[int], Life | None]) -> frozenset[int]:
    """A process and all that are above it: who ends one of those ends it too."""
    found = {_INIT}
    while pid > 0 and pid not in found:
        found.add(pid)
        life = lives(pid)
        pid = life.parent if life else 0
    return frozenset(found)
