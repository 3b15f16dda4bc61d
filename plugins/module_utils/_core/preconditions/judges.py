# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The checks by name, and which values each takes."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..look.shape import Gpu
from . import access, clock, driver, kernel, memory, packages, pci
from .values import Kinds, Values
from .view import Result, View

OfNode = t.Callable[[View, Values], t.Optional[Result]]
OfGpu = t.Callable[[View, Gpu, Values], t.Optional[Result]]
YES_NO = ("yes", "no")


@dc.dataclass(frozen=True)
class Judge:
    """One check: of the node, or of each GPU. It answers None where there is nothing to judge."""

    kinds: Kinds
    of_node: OfNode | None = None
    of_gpu: OfGpu | None = None


def _node(judge: OfNode, **kinds: t.Any) -> Judge:
    return Judge({name.replace("_or_none", "?"): kind for name, kind in kinds.items()}, of_node=judge)


def _gpu(judge: OfGpu, **kinds: t.Any) -> Judge:
    return Judge({name.replace("_or_none", "?"): kind for name, kind in kinds.items()}, of_gpu=judge)


JUDGES: dict[str, Judge] = {
    "acs": _gpu(pci.acs, state=("on", "off"), bits=int),
    "atomics": _gpu(pci.atomics, needed=YES_NO),
    "bar_space": _gpu(pci.bar_space),
    "iommu": _node(pci.iommu, mode=("identity", "on", "off")),
    "iommu_cpus": _node(pci.iommu_cpus, cpus=int),
    "large_bar": _gpu(pci.large_bar, vram_gib_or_none=int),
    "link_speed": _gpu(pci.link_speed, mts_or_none=int, busy_percent=int),
    "link_width": _gpu(pci.link_width, lanes_or_none=int),
    "argument": _node(kernel.argument, name=str, item=str, there=YES_NO),
    "configuration": _node(kernel.configuration, options=tuple, in_tree_options=tuple),
    "contradictions": _node(kernel.contradictions, pairs=tuple),
    "extra_modules": _node(kernel.extra_modules, systems=tuple, package=str),
    "headers": _node(kernel.headers),
    "initramfs": _node(kernel.initramfs),
    "reallocation": _node(kernel.reallocation, argument=str),
    "blacklist": _node(driver.blacklist, blacklisted=YES_NO),
    "bound": _gpu(driver.bound, drivers=tuple),
    "build_next": _node(driver.build_next),
    "build_running": _node(driver.build_running),
    "compute": _gpu(driver.compute),
    "kind": _node(driver.kind),
    "loaded": _node(driver.loaded, loaded=YES_NO),
    "parameter": _node(driver.parameter, name=str, allowed=tuple),
    "recorded": _node(driver.recorded),
    "selected": _node(driver.selected),
    "signature": _node(driver.signature),
    "huge_pages": _node(memory.huge_pages, value=("always", "madvise", "never")),
    "memlock": _node(memory.memlock, processes=tuple),
    "numa_balancing": _node(memory.numa_balancing, value=int),
    "reserved_pages": _node(memory.reserved_pages, percent=int),
    "sysctl": _node(memory.sysctl, name=str, least=int),
    "drm_limit": _node(access.drm_limit, minors=int, spx_or_none=int, dpx_or_none=int, tpx_or_none=int, qpx_or_none=int,
                       cpx_or_none=int),
    "group": _node(access.group, groups=tuple),
    "kfd_node": _node(access.kfd_node, there=YES_NO),
    "named_group": _node(access.named_group),
    "world_writable": _node(access.world_writable),
    "binding": _node(packages.binding),
    "interrupted": _node(packages.interrupted),
    "library": _node(packages.library),
    "one_source": _node(packages.one_source, amd=str, marks=tuple, names=tuple),
    "preferred": _node(packages.preferred, origin=str, path=str, priority=int, names=tuple),
    "unattended": _node(packages.unattended, packages=tuple),
    "whole": _node(packages.whole),
    "window": _node(packages.window),
    "skew": _node(clock.skew, seconds=int),
    "synchronized": _node(clock.synchronized),
}
