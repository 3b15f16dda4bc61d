# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A process on GPUs: who it is by every name that the node tells, and what it holds."""

from __future__ import annotations

import dataclasses as dc

Unknown = dict[str, str]


@dc.dataclass(frozen=True)
class Hold:
    """What a process has of one device.

    Attributes:
        device: id of the device.
        vram_bytes: memory that KFD counts for it; None where it is unknown.
        queues: of the process on that device; None where it is unknown.
    """

    device: str
    vram_bytes: int | None = None
    queues: int | None = None

    @property
    def real(self) -> bool:
        """Whether it is held: a process that opens KFD is listed with every GPU, and most of them it never uses.

        What is not known counts.
        """
        return self.vram_bytes != 0 or self.queues != 0


@dc.dataclass(frozen=True)
class Holder:
    """One process.

    Attributes:
        pid: its number.
        started: clock ticks after boot: with the number it is one process and no other, proc(5).
        since: when that was, in UTC.
        uid, user: whom it runs as; ``user`` is the number where there is no name.
        login: the user whose login it belongs to, whatever it runs as by now.
        units: slices and service of the system's manager, outermost first.
        engine, container: the container that it is in, and whose.
        label: tenant that the container's label names; empty where it has no such label.
        boxed: whether it seems to be in a container that nobody but its own service knows.
        pod, namespace: of Kubernetes.
        slurm_job, slurm_account: of Slurm.
        command: its name.
        line: its command line, cut off where it is long.
        state: letter of proc(5).
        holds: what it has of each device that it is listed with.
        unknown: field -> why it could not be read; ``open``: why it may not be this process that holds the devices.
    """

    pid: int
    started: int | None = None
    since: str | None = None
    uid: int | None = None
    user: str | None = None
    login: str | None = None
    units: tuple[str, ...] = ()
    engine: str | None = None
    container: str | None = None
    label: str | None = None
    boxed: bool = False
    pod: str | None = None
    namespace: str | None = None
    slurm_job: str | None = None
    slurm_account: str | None = None
    command: str | None = None
    line: str | None = None
    state: str | None = None
    holds: tuple[Hold, ...] = ()
    unknown: Unknown = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class Held:
    """All of them, by number. ``unknown``: why there may be more, under ``processes``."""

    holders: tuple[Holder, ...] = ()
    unknown: Unknown = dc.field(default_factory=dict)
