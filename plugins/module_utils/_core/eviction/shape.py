# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What evictions speak of: who holds devices, what is asked, and in which order they go."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..reservation.shape import CLASSES, P0, P1, P2, Checkpoint

EVERYBODY, TRESPASSERS = WHOM = ("all", "trespassers")
# What becomes of a tenant whose programs could not save their state: it stays; it goes all the same; nobody asks.
REQUIRED, ATTEMPTED, SKIPPED = CHECKPOINTS = ("required", "attempted", "skipped")
EVICTABLE = tuple(word for word in CLASSES if word != P0)

TERM, KILL = "SIGTERM", "SIGKILL"
# How a process went: it was gone, or had let go, when its turn came; it saved its state and ended; it lives, and let go
# of the devices; or it stays.
GONE, SAVED, LET_GO, STAYS = "gone", "checkpoint", "let_go", "stays"
ENDED, UNTOUCHABLE = "ended", "untouchable"


@dc.dataclass(frozen=True)
class Rules:
    """Numbers of the file eviction/rules.yml.

    Attributes:
        grace_p1: seconds between SIGTERM and the end, of class P1.
        grace_p2: the same, of P2 and of strangers.
        release: seconds after the end of a process for the driver to give back what it held.
        idle_mib: that the driver itself uses of a GPU that nobody holds, at most.
        protection_seconds: for which a mixed precision job is left alone, on no GPU at all.
        protection_gpus: with so many GPUs it is twice that.
        stall_from: seconds that a stall of such a job lasts, at least.
        stall_to: at most.
        stall_times: stalls that make the pattern.
        stall_compute: per cent of compute activity that count as none.
        burst: how many times the usual bandwidth a burst is, at least.
        shared_memory: products whose memory the host uses too, so that what is in use proves nothing.
    """

    grace_p1: int
    grace_p2: int
    release: int
    idle_mib: int
    protection_seconds: int
    protection_gpus: int
    stall_from: int
    stall_to: int
    stall_times: int
    stall_compute: int
    burst: int
    shared_memory: tuple[str, ...] = ()

    def grace(self, priority: str) -> int:
        """Seconds of a class that may be evicted."""
        return {P1: self.grace_p1, P2: self.grace_p2}[priority]


@dc.dataclass(frozen=True)
class Holder:
    """A process that holds devices, as seen at one moment.

    Attributes:
        pid: and start, which together name one process for good.
        start: when it began, in ticks after the boot; None where it is gone.
        command: its name.
        user: its owner.
        unit: systemd unit or container.
        tenant: whose it is; None: nobody's who has reserved anything.
        unknown: why it is not known whose it is.
        devices: ids of all devices that it holds -> bytes of memory, None where that is unknown.
        trespasses: ids of those that are reserved for others.
        group: its process group; None where it is gone.
        seconds: for how long it has been running; None where that is unknown.
        state: ended: it ended, and the driver still has it; untouchable: it is of the kernel, or runs this eviction;
            else empty.
        tenants: all that it may be of, where a user or a unit is of several.
    """

    pid: int
    start: int | None = None
    command: str | None = None
    user: str | None = None
    unit: str | None = None
    tenant: str | None = None
    unknown: str = ""
    devices: t.Mapping[str, int | None] = dc.field(default_factory=dict)
    trespasses: frozenset[str] = frozenset()
    group: int | None = None
    seconds: int | None = None
    state: str = ""
    tenants: tuple[str, ...] = ()


@dc.dataclass(frozen=True)
class Request:
    """What an eviction may do.

    Attributes:
        devices: ids of those to be freed.
        whom: all or trespassers.
        classes: that may be evicted.
        checkpoint: required, attempted or skipped.
        grace: seconds by class, where they are not those of the rules.
        kill_allowed: SIGKILL for those that stay.
        reset_allowed: a reset of GPUs that stay held, if nobody else is on them.
        protection: whether mixed precision jobs are left alone for a while.
    """

    devices: tuple[str, ...]
    whom: str = TRESPASSERS
    classes: tuple[str, ...] = EVICTABLE
    checkpoint: str = REQUIRED
    grace: t.Mapping[str, int] = dc.field(default_factory=dict)
    kill_allowed: bool = False
    reset_allowed: bool = False
    protection: bool = True


@dc.dataclass(frozen=True)
class Target:
    """A process that is to go, with the class that it counts as and how it saves its state."""

    holder: Holder
    priority: str
    checkpoint: Checkpoint = dc.field(default_factory=Checkpoint)


@dc.dataclass(frozen=True)
class Wave:
    """Those that go at the same time. ``grace``: seconds between SIGTERM and the end."""

    priority: str
    targets: tuple[Target, ...]
    grace: int


@dc.dataclass(frozen=True)
class Kept:
    """A process that holds one of the devices and is not signalled, and why."""

    holder: Holder
    reason: str


@dc.dataclass(frozen=True)
class Plan:
    """What will be done: waves one after the other; those kept; those that ended, which no signal reaches."""

    waves: tuple[Wave, ...] = ()
    kept: tuple[Kept, ...] = ()
    stuck: tuple[Holder, ...] = ()


@dc.dataclass(frozen=True)
class Fate:
    """What became of a process that was to go.

    Attributes:
        target: the process.
        how: gone, checkpoint, SIGTERM, let_go, SIGKILL or stays.
        seconds: after which it had ended; None where it has not, or was gone.
    """

    target: Target
    how: str
    seconds: float | None = None
