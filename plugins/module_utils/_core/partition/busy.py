# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Who holds GPUs that are to change. Nobody is evicted here."""

from __future__ import annotations

import typing as t

from ..errors import FleetError
from ..look.gpus import Process
from .wording import listed


def holders(touched: t.Collection[str], processes: t.Iterable[Process],
            stop_units: t.Collection[str] = ()) -> tuple[Process, ...]:
    """The processes that hold one of these GPUs, but those of units that will be stopped; each once, by pid.

    One of which no GPU is known may hold any.
    """
    found = {process.pid: process for process in processes
             if touched and (not process.gpus or set(process.gpus) & set(touched)) and process.unit not in stop_units}
    return tuple(found[pid] for pid in sorted(found))


def refuse_busy(touched: t.Collection[str], processes: t.Iterable[Process], stop_units: t.Collection[str] = (),
                unknown: str | None = None) -> None:
    """Refuse a change while processes hold GPUs that it touches.

    Args:
        touched: PCI addresses, of the transition; none: nothing to refuse.
        processes: of KFD and of the library.
        stop_units: units that will be stopped before.
        unknown: why it is not known which processes there are.

    Raises:
        FleetError: names GPUs, pids, commands, units and containers.
    """
    if not touched:
        return
    if unknown:
        raise FleetError(listed(touched), f"whether processes hold them is unknown: {unknown}", "mend that on the node")
    found = holders(touched, processes, stop_units)
    if not found:
        return
    held = {bdf for process in found for bdf in process.gpus} & set(touched) or touched
    units = sorted({process.unit for process in found if process.unit and process.unit.endswith(".service")})
    hint = "drain the node first"
    if units:
        hint += f", or list what may be stopped meanwhile in gpu_partition_stop_units: {', '.join(units)}"
    what = f"{'is' if len(held) == 1 else 'are'} held by {', '.join(map(_named, found))}"
    raise FleetError(listed(held), what, hint)


def _named(process: Process) -> str:
    command = process.command or ("without a name" if process.state else "gone, and KFD still has it")
    place = (process.unit or "").replace("container:", "container ")
    said = f"pid {process.pid} ({', '.join(filter(None, (command, place)))})"
    # Everybody names their own process as they like, in colours and over several lines if they like.
    return "".join(letter if letter.isprintable() else "?" for letter in said)
