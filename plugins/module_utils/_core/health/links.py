# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Links: to the host, between GPUs, and to the network."""

from __future__ import annotations

import typing as t

from ..look.gpus import OFF_THE_BUS, Gpu
from ..look.shape import GpuHealth, RdmaPort
from .sample import NOT_LOOKED_AT, Sample, Seen, node, reason_of, without

UP, DOWN, ABSENT = "up", "down", "absent"
ACTIVE = "ACTIVE"


def on_bus(seen: Seen) -> t.Iterator[Sample]:
    """1 for a GPU that does not answer on the bus any more."""
    for gpu in seen.gpus:
        gone = OFF_THE_BUS in seen.look.gpus.unknown.values() if seen.look.gpus else False
        mine = gone and _link_reason(seen, gpu, "width") == OFF_THE_BUS
        yield Sample(gpu.bdf, int(mine), seen=OFF_THE_BUS if mine else "answers")


def _link_reason(seen: Seen, gpu: Gpu, field: str) -> str:
    unknown = seen.look.gpus.unknown if seen.look.gpus else {}
    return reason_of(unknown, f"{gpu.bdf}.pcie.{field}") or reason_of(unknown, f"{gpu.bdf}.pcie.width")


def width(seen: Seen) -> t.Iterator[Sample]:
    """Lanes in use."""
    for gpu in seen.gpus:
        if gpu.pcie.width is not None:
            yield Sample(gpu.bdf, gpu.pcie.width, named=gpu.pcie.max_width, seen=f"x{gpu.pcie.width}")
        else:
            yield _no_link(seen, gpu, "width")


def speed(seen: Seen) -> t.Iterator[Sample]:
    """Speed per lane. An idle link rests at its lowest speed, so only that of a GPU in use counts."""
    for gpu, health in seen.healths():
        now, most = gpu.pcie.speed_mts, gpu.pcie.max_speed_mts
        if now is None:
            yield _no_link(seen, gpu, "speed_mts")
            continue
        words = f"{now / 1000:g} GT/s"
        use = None if isinstance(health, str) else health.gfx_activity_percent
        if most is None or now >= most:
            yield Sample(gpu.bdf, now, named=most, seen=words)
        elif use == 0:
            yield Sample(gpu.bdf, most, named=most, seen=f"{words} at rest, {most / 1000:g} GT/s at most")
        elif use is None:
            yield Sample(gpu.bdf, reason=f"{words} now, and whether the GPU is in use is not known", supported=False)
        else:
            yield Sample(gpu.bdf, now, named=most, seen=f"{words} at {use} % use")


def _no_link(seen: Seen, gpu: Gpu, field: str) -> Sample:
    reason = _link_reason(seen, gpu, field)
    if gpu.virtual_function and reason != OFF_THE_BUS:
        return Sample(gpu.bdf, reason="a virtual function does not show its link", supported=False)
    return Sample(gpu.bdf, reason=reason or "the PCI core does not tell", supported=bool(reason))


def xgmi_links(seen: Seen) -> t.Iterator[Sample]:
    """Links between GPUs that are down. On a virtual function all are said to be, which says nothing."""
    for gpu, health in seen.healths():
        yield Sample(gpu.bdf, reason=health) if isinstance(health, str) else _xgmi(gpu, health)


def _xgmi(gpu: Gpu, health: GpuHealth) -> Sample:
    there = [(number, state) for number, state in enumerate(health.xgmi_links) if state != ABSENT]
    down = [str(number) for number, state in there if state == DOWN]
    if not there:
        return without(gpu, "xgmi_links", health)
    if len(down) == len(there) and gpu.virtual_function is not False:
        kind = "a virtual function" if gpu.virtual_function else "what may be a virtual function"
        return Sample(gpu.bdf, reason=f"all links are said to be down on {kind}: not supported there",
                      supported=gpu.virtual_function is None)
    words = f"{len(there) - len(down)} of {len(there)} up"
    return Sample(gpu.bdf, len(down), seen=words + (f", down: link {', '.join(down)}" if down else ""))


def rdma(seen: Seen) -> t.Iterator[Sample]:
    """Ports of RDMA devices that are not active."""
    host = seen.look.host
    if host is None:
        yield node(reason=f"section host {NOT_LOOKED_AT}")
        return
    reason = reason_of(host.unknown, "rdma")
    if not host.rdma:
        yield node(reason=reason or "there is no RDMA device", supported=bool(reason))
        return
    idle = [port for port in host.rdma if port.state is not None and port.state != ACTIVE]
    dumb = [port for port in host.rdma if port.state is None]
    if dumb and not idle:
        yield node(reason=reason or f"{_port(dumb[0])} does not tell its state")
        return
    words = ", ".join(f"{_port(port)} {port.state} ({port.physical or 'physical state unknown'})" for port in idle)
    yield node(len(idle), seen=words or f"{len(host.rdma)} ports active")


def _port(port: RdmaPort) -> str:
    return f"{port.device}/{port.port}"
