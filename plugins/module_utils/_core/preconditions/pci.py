# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Checks of the PCI tree: bridges above the GPUs, their links, their memory windows, the IOMMU."""

from __future__ import annotations

import typing as t

from ..look.gpus import Link
from ..look.host import PciDevice
from ..look.shape import Gpu
from .values import Values
from .view import Result, UnseenError, View

# DevCap2, PCIe 5.0 7.5.3.15: AtomicOp routing, 32-bit and 64-bit completer.
ROUTING = 1 << 6
COMPLETER = 1 << 7 | 1 << 8
GIB = 1 << 30


def iommu(view: View, want: Values) -> Result | None:
    """Whether the IOMMU is as wanted: identity (pass-through of addresses), on (any mode) or off."""
    if view.guest:
        return None
    mode, host = want.text("mode"), view.host
    groups = view.known(host.iommu_groups, "host.iommu_groups")
    if not groups:
        return Result(mode == "off", _MODES[mode], "no IOMMU is in use")
    if mode != "identity":
        return Result(mode == "on", _MODES[mode], f"the IOMMU is in use ({groups} groups)")
    kinds = view.known(host.iommu_types, "host.iommu_types")
    if not kinds:
        raise UnseenError("the mode of the GPUs' IOMMU groups is not told")
    wrong = sorted(set(kinds) - {"identity"})
    return Result(not wrong, _MODES[mode], f"the GPUs' IOMMU groups are of type {', '.join(wrong or ['identity'])}")


_MODES = {"identity": "IOMMU in pass-through mode (identity)", "on": "IOMMU in use", "off": "no IOMMU in use"}


def iommu_cpus(view: View, want: Values) -> Result:
    """Whether CPUs are missing because there is no IOMMU to route interrupts to them."""
    limit, groups = want.number("cpus"), view.known(view.host.iommu_groups, "host.iommu_groups")
    cpus = view.known(view.host.cpus, "host.cpus")
    wanted = f"an IOMMU in use, or fewer than {limit} CPUs"
    return Result(bool(groups) or cpus < limit, wanted, f"{cpus} CPUs and {groups} IOMMU groups")


def acs(view: View, gpu: Gpu, want: Values) -> Result | None:
    """Whether access control of the bridges above a GPU is off, or on, as wanted."""
    if view.guest:
        return None
    mask, on, bridges = want.number("bits"), want.text("state") == "on", view.path(gpu)[1:]
    capable = {d.bdf: d.acs for d in bridges if d.acs is not None}
    wrong = [bdf for bdf, bits in capable.items() if (bits & mask != mask if on else bits & mask)]
    wanted = f"ACS turned {'on' if on else 'off'} at every bridge above the GPU"
    if wrong:
        return Result(False, wanted, f"ACS is {'off' if on else 'on'} at {', '.join(wrong)}, above {gpu.bdf}")
    untold = next(filter(None, (_why(view, d, "acs") for d in bridges if d.acs is None)), "")
    if untold or (on and not capable):
        raise UnseenError(untold or f"no bridge above {gpu.bdf} has access control services")
    if not capable:
        return Result(True, wanted, f"no bridge above {gpu.bdf} has access control services")
    return Result(True, wanted, f"ACS is {'on' if on else 'off'} at {', '.join(capable)}")


def _why(view: View, device: PciDevice, field: str) -> str:
    """Why a field of a device is unknown; empty if nothing says so."""
    field = f"devices.{device.bdf}.{field}"
    host = view.host.unknown
    return next((f"host.{key}: {host[key]}" for key in (field, field.rpartition(".")[0]) if key in host), "")


def bar_space(view: View, gpu: Gpu, _want: Values) -> Result:
    """Whether every memory window of a GPU has an address."""
    device = view.path(gpu)[0]
    lost = [_size(size) for size in device.bars_unplaced]
    if not device.bars and not lost:
        raise UnseenError(_why(view, device, "bars") or f"the memory windows (BARs) of {gpu.bdf} are not told")
    placed = f"{len(device.bars)} memory windows (BARs) of {gpu.bdf} have an address"
    return Result(not lost, "an address for each memory window (BAR)",
                  f"{gpu.bdf} has no address for its memory windows (BARs) of {', '.join(lost)}" if lost else placed)


def large_bar(view: View, gpu: Gpu, want: Values) -> Result | None:
    """Whether the CPU sees all memory of a GPU: its largest memory window is no smaller than that."""
    device, gib = view.path(gpu)[0], want.maybe_number("vram_gib")
    vram = gpu.vram_bytes or (gib * GIB if gib else None)
    if view.virtual(gpu) or (device.bars_unplaced and not device.bars):
        return None  # the hypervisor chooses its window; what has no address at all is another finding
    if not device.bars or vram is None:
        raise UnseenError(_why(view, device, "bars") or f"memory or memory windows (BARs) of {gpu.bdf} are not told")
    window = max(device.bars)
    return Result(window >= vram, f"a memory window (BAR) of {_size(vram)} or more",
                  f"the largest memory window (BAR) of {gpu.bdf} has {_size(window)}")


def atomics(view: View, gpu: Gpu, want: Values) -> Result | None:
    """Whether atomic operations reach the CPU: each bridge routes them, the root port completes them."""
    if want.text("needed") == "no" or view.guest:
        return None
    path = view.path(gpu)
    if len(path) == 1:
        raise UnseenError(f"no bridge above {gpu.bdf} was seen")
    wanted = "PCIe atomics routed by every bridge above the GPU and completed by the root port"
    for device in path[1:]:
        if device.atomics is None:
            raise UnseenError(_why(view, device, "atomics") or f"what {device.bdf} does with atomics is not told")
        if device.kind == "root_port" and device.atomics & COMPLETER != COMPLETER:
            return Result(False, wanted, f"root port {device.bdf} above {gpu.bdf} does not complete PCIe atomics")
        if device.kind != "root_port" and not device.atomics & ROUTING:
            return Result(False, wanted, f"bridge {device.bdf} above {gpu.bdf} does not route PCIe atomics")
    if path[0].atomics_requested is False and gpu.driver == "amdgpu" and not view.virtual(gpu):
        return Result(False, wanted, f"the path of {gpu.bdf} carries PCIe atomics and the GPU does not request them")
    return Result(True, wanted, f"PCIe atomics pass from {gpu.bdf} to {path[-1].bdf}")


def link_width(view: View, gpu: Gpu, want: Values) -> Result:
    """Whether every link between a GPU and the root port has all its lanes; idle or not."""
    lanes = want.maybe_number("lanes")
    links = _links(view, gpu)
    wanted = f"x{lanes}" if lanes else "all lanes that both ends of a link have"
    for lower, upper, link in links:
        if link.width is not None and link.max_width is not None and link.width < link.max_width:
            return Result(False, wanted, f"the link of {_ends(lower, upper)} runs x{link.width} of x{link.max_width}"
                          f"{_above(gpu, lower)}")
    for lower, upper, link in links:
        if lanes and link.width is not None and link.width < lanes:
            return Result(False, wanted, f"the link of {_ends(lower, upper)} has x{link.width} at most"
                          f"{_above(gpu, lower)}")
    if links[0][2].width is None:
        raise UnseenError(_why(view, links[0][0], "link") or f"the width of the link of {gpu.bdf} is not told")
    return Result(True, wanted, f"{gpu.bdf} runs x{links[0][2].width}")


def link_speed(view: View, gpu: Gpu, want: Values) -> Result:
    """Whether a GPU at work has the speed of its product; one that idles may save power."""
    speed, busy, links = want.maybe_number("mts"), want.number("busy_percent"), _links(view, gpu)
    wanted = f"{_speed(speed)} under load" if speed else "the speed that both ends of a link have, under load"
    for lower, upper, link in links:
        if speed and link.max_speed_mts is not None and link.max_speed_mts < speed:
            return Result(False, wanted, f"the link of {_ends(lower, upper)} has {_speed(link.max_speed_mts)} at most"
                          f"{_above(gpu, lower)}")
    slow = [each for each in links if each[2].speed_mts and each[2].max_speed_mts
            and each[2].speed_mts < each[2].max_speed_mts]
    if not slow:
        if links[0][2].speed_mts is None:
            raise UnseenError(_why(view, links[0][0], "link") or f"the speed of the link of {gpu.bdf} is not told")
        return Result(True, wanted, f"{gpu.bdf} runs at {_speed(links[0][2].speed_mts)}")
    lower, upper, link = slow[0]
    seen = f"the link of {_ends(lower, upper)} runs at {_speed(link.speed_mts)} of {_speed(link.max_speed_mts)}"
    activity = _activity(view, gpu)
    if activity is None:
        raise UnseenError(f"{seen}, and whether the GPU works is not told")
    works = activity >= busy
    seen += f" while the GPU {'works' if works else 'idles'} ({activity} %)"
    return Result(not works, wanted, seen + _above(gpu, lower))


def _activity(view: View, gpu: Gpu) -> int | None:
    gpus = view.look.health.gpus if view.look.health else ()
    return next((g.gfx_activity_percent for g in gpus if g.bdf == gpu.bdf), None)


def _links(view: View, gpu: Gpu) -> list[tuple[PciDevice, PciDevice | None, Link]]:
    """Links from the GPU upwards: lower end, upper end, and what the two make of it.

    A GPU ends one link, with the port above; the port above that is the other side of a switch, which ends the next.
    What a port could do with another device is none of this link's: the smaller of both ends is what it can.
    """
    path = view.path(gpu)[:1 if view.guest else None]  # what a hypervisor puts above it has no lanes
    pairs = [(path[i], path[i + 1] if i + 1 < len(path) else None) for i in range(0, len(path), 2)]
    links = []
    for lower, upper in pairs:
        if lower.kind == "root_port":
            continue  # not the lower end of a link: there is a bridge too many or too few
        own, other = lower.link, upper.link if upper else Link()
        if lower.bdf == gpu.bdf and own == Link():
            own = gpu.pcie
        links.append((lower, upper, Link(
            width=_least(own.width, other.width), max_width=_least(own.max_width, other.max_width),
            speed_mts=_least(own.speed_mts, other.speed_mts),
            max_speed_mts=_least(own.max_speed_mts, other.max_speed_mts))))
    return links


def _least(*values: int | None) -> int | None:
    """The smallest that is told: a port without a link reads 0."""
    return min((value for value in values if value), default=None)


def _ends(lower: PciDevice, upper: PciDevice | None) -> str:
    return f"{lower.bdf} at port {upper.bdf}" if upper else lower.bdf


def _above(gpu: Gpu, lower: PciDevice) -> str:
    return "" if lower.bdf == gpu.bdf else f", above {gpu.bdf}"


def _speed(mts: int | None) -> str:
    return f"{(mts or 0) / 1000:g} GT/s"


def _size(size: int) -> str:
    """256 MiB, 192 GiB: in the largest unit that it is a whole number of; -1 is a size that nothing tells."""
    if size < 0:
        return "unknown size"
    units: t.Sequence[tuple[str, int]] = (("GiB", GIB), ("MiB", 1 << 20), ("KiB", 1 << 10))
    name, unit = next(((n, u) for n, u in units if size >= u and not size % u), ("bytes", 1))
    return f"{size // unit} {name}"
