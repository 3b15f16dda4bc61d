# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes to partition, each product with the lists that it answers; and a small kernel that carries changes out.

What the kernel does is written down here a second time, from its own rules and not from the catalogue.
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import Gpu, Gpus
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.circumstances import Circumstances
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.shape import (
    STANDINGS,
    GpuWanted,
    Transition,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.transition import transition
from ansible_collections.instinct.fleet.tests.unit.support.partition_data import own

HIVE = "a1b2c3d4e5f60718"
BDFS = ("0000:05:00.0", "0000:26:00.0", "0000:46:00.0", "0000:65:00.0",
        "0000:85:00.0", "0000:a6:00.0", "0000:c6:00.0", "0000:e5:00.0")
DRIVERS = {"6.10": "6.10.5", "6.12": "6.12.12", "6.14": "6.14.14", "6.16": "6.16.13", "6.19": "6.19.14", "in-tree": None}
# A node with the newest of all: nothing is refused for its age.
TODAY = Circumstances("6.19.14", "26.2.0", "6.14.0-27-generic", 0)

_IDS = {"MI210": "740f", "MI250X": "7408", "MI300A": "74a0", "MI300X": "74a1", "MI325X": "74a5", "MI350X": "75a0",
        "MI355X": "75a3"}
_COUNTS = {"MI300A": 4, "MI210": 4}
_EIGHT, _SIX = ("SPX", "DPX", "QPX", "CPX"), ("SPX", "TPX", "CPX")
# What a driver offers: memory mode -> compute modes.
OFFERS: dict[str, dict[str, tuple[str, ...]]] = {
    "MI300A": {"NPS1": _SIX},
    "MI300X": {"NPS1": _EIGHT, "NPS2": ("DPX",), "NPS4": ("QPX", "CPX")},
    "MI325X": {"NPS1": _EIGHT, "NPS2": ("DPX",), "NPS4": ("QPX", "CPX")},
    "MI350X": {"NPS1": _EIGHT, "NPS2": ("DPX", "QPX", "CPX")},
    "MI355X": {"NPS1": _EIGHT, "NPS2": ("DPX", "QPX", "CPX")},
}
AUTOMATIC = {"NPS1": "SPX", "NPS2": "DPX", "NPS4": "CPX"}


def gpu(index: int = 0, name: str = "MI300X", mode: str = "SPX/NPS1", **other: t.Any) -> Gpu:
    """One GPU of a product as its driver shows it."""
    offers = OFFERS.get(name)
    compute, memory = mode.split("/")
    known: dict[str, t.Any] = {"index": index, "bdf": BDFS[index], "device_id": _IDS[name], "product": name,
                               "virtual_function": False, "driver": "amdgpu"}
    if offers:
        known.update(compute_partition=compute, memory_partition=memory, available_compute=offers[memory],
                     available_memory=tuple(offers), xgmi_hive_id=HIVE)
    return Gpu(**{**known, **other})


def node(name: str = "MI300X", mode: str = "SPX/NPS1", **other: t.Any) -> Gpus:
    """A node of one product, all GPUs alike."""
    return Gpus(tuple(gpu(index, name, mode, **other) for index in range(_COUNTS.get(name, 8))))


def virtual(mode: str = "SPX/NPS1") -> Gpus:
    """A guest with one virtual function of an MI300X."""
    return Gpus((gpu(0, mode=mode, device_id="74b5", virtual_function=True, available_memory=(), xgmi_hive_id=None),))


def asked(gpus: Gpus, mode: str, *indices: int) -> tuple[GpuWanted, ...]:
    """CPX/NPS4 of the GPUs with these indices; without indices of all."""
    return tuple(GpuWanted(one.bdf, *mode.split("/")) for one in gpus.gpus if not indices or one.index in indices)


def plan(gpus: Gpus, wanted: str | t.Sequence[GpuWanted], accept: t.Collection[str] = STANDINGS,
         **circumstances: t.Any) -> Transition:
    """The transition with our catalogue, on a node of today, with whatever is accepted."""
    chosen = asked(gpus, wanted) if isinstance(wanted, str) else wanted
    return transition(gpus, chosen, own(), dc.replace(TODAY, **circumstances), accept)


def refusal(gpus: Gpus, wanted: str | t.Sequence[GpuWanted], accept: t.Collection[str] = STANDINGS,
            **circumstances: t.Any) -> str:
    """The sentence of a refusal; empty if there is none."""
    try:
        plan(gpus, wanted, accept, **circumstances)
    except FleetError as error:
        return error.sentence
    return ""


def steps(made: Transition) -> str:
    """MRC: memory, reload, compute, in the order in which they come, each as often as it does."""
    return "".join({"memory": "M", "reload": "R", "compute": "C"}[change.action] for change in made.changes)


class BreaksError(Exception):
    """The kernel would not take it."""


def carry_out(gpus: Gpus, made: Transition, by_library: bool = False) -> Gpus:
    """The GPUs after the changes.

    Raises:
        BreaksError: a compute mode does not go with the memory mode of that moment, or a GPU is not there.
    """
    now = {one.bdf: one for one in gpus.gpus}
    asked_of: dict[str, str] = {}
    for change in made.changes:
        if change.action == "memory":
            hives = {now[bdf].xgmi_hive_id for bdf in change.gpus}
            asked_of.update({bdf: change.mode for bdf, one in now.items() if one.xgmi_hive_id in hives})
        if change.action == "reload" or (change.action == "memory" and by_library):
            now = {bdf: _loaded(one, asked_of.get(bdf)) for bdf, one in now.items()}
        if change.action == "compute":
            now.update({bdf: _set(now[bdf], change.mode) for bdf in change.gpus})
    return dc.replace(gpus, gpus=tuple(now.values()))


def _loaded(one: Gpu, memory: str | None) -> Gpu:
    """A GPU whose driver was loaded: it has the memory mode that was asked for and the compute mode that goes with it."""
    if one.memory_partition is None:
        return one
    memory = memory or one.memory_partition
    return dc.replace(one, memory_partition=memory, compute_partition=AUTOMATIC[memory],
                      available_compute=OFFERS[one.product or ""][memory])


def _set(one: Gpu, mode: str) -> Gpu:
    if mode not in one.available_compute:
        raise BreaksError(f"{one.bdf}: {mode} in {one.memory_partition}")
    return dc.replace(one, compute_partition=mode)
