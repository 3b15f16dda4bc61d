# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Who holds the GPUs: memory that nobody holds, processes that are gone or not listed."""

from __future__ import annotations

import typing as t

from .sample import NOT_LOOKED_AT, Sample, Seen, node, reason_of, without

_MIB = 1024 * 1024


def memory_held(seen: Seen) -> t.Iterator[Sample]:
    """MiB of memory in use on a GPU that no process holds; of one that a process holds nothing can be said."""
    section = seen.look.processes
    for gpu, health in seen.healths():
        if isinstance(health, str):
            yield Sample(gpu.bdf, reason=health)
            continue
        if health.vram_used_bytes is None:
            yield without(gpu, "vram_used_bytes", health)
            continue
        used = health.vram_used_bytes // _MIB
        reason = f"section processes {NOT_LOOKED_AT}" if section is None else reason_of(section.unknown, "processes")
        if section is None or reason:
            yield Sample(gpu.bdf, reason=f"{used} MiB in use, and by whom is not known: {reason}")
            continue
        # A process of which no GPU is known may hold any; one that holds nothing is a monitor.
        holders = [str(p.pid) for p in section.processes if (gpu.bdf in p.gpus or not p.gpus) and p.vram_bytes != 0]
        if holders:
            yield Sample(gpu.bdf, 0, seen=f"{used} MiB, held by pid {', '.join(holders)}")
        else:
            yield Sample(gpu.bdf, used, seen=f"{used} MiB, and no process holds the GPU")


def zombies(seen: Seen) -> t.Iterator[Sample]:
    """Processes in KFD's list that are gone or ended (state Z): their queues and memory were never released."""
    section = seen.look.processes
    reason = f"section processes {NOT_LOOKED_AT}" if section is None else reason_of(section.unknown, "processes")
    reason = reason or (reason_of(section.unknown, "command") if section else "")
    if section is None or reason:
        yield node(reason=reason)
        return
    inside = seen.look.os is not None and seen.look.os.virtualization == "container"
    gone = [str(p.pid) for p in section.processes if p.state == "Z" or (p.command is None and not inside)]
    if inside and not gone:
        yield node(reason="processes outside of this container cannot be seen", supported=False)
    else:
        yield node(len(gone), seen=f"pid {', '.join(gone)}" if gone else "none")


def unlisted(seen: Seen) -> t.Iterator[Sample]:
    """Processes in KFD's list that the vendor's library does not list: it says "idle", and the GPU is not."""
    section, health = seen.look.processes, seen.look.health
    reason = f"section processes {NOT_LOOKED_AT}" if section is None else reason_of(section.unknown, "processes")
    if section is None or reason:
        yield node(reason=reason)
    elif health is None or health.pids is None:
        told = reason_of(health.unknown, "pids") if health else f"section health {NOT_LOOKED_AT}"
        yield node(reason=told or "the library lists no processes", supported=bool(told))
    else:
        hidden = [p for p in section.processes if p.pid not in health.pids]
        names = ", ".join(f"pid {p.pid} ({p.command or 'gone'})" for p in hidden)
        yield node(len(hidden), seen=names or "none")
