# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a change reaches beyond the GPUs it is for: a memory mode its hive, a reload the node."""

from __future__ import annotations

import typing as t

from ..errors import FleetError
from ..look.gpus import Gpu, Gpus
from .reach import DRIVER, Reached, refuse_absent
from .wording import attempt_each, listed


def hives_of(gpus: Gpus, bdfs: t.Collection[str]) -> tuple[str, ...]:
    """PCI addresses of these GPUs and of all that share a hive with one of them, in PCI order."""
    hives = {gpu.xgmi_hive_id for gpu in gpus.gpus if gpu.bdf in bdfs and gpu.xgmi_hive_id}
    return tuple(gpu.bdf for gpu in gpus.gpus if gpu.bdf in bdfs or gpu.xgmi_hive_id in hives)


def driven(gpus: Gpus) -> tuple[Gpu, ...]:
    """The GPUs that a reload of the driver takes away and brings back."""
    return tuple(gpu for gpu in gpus.gpus if gpu.driver == DRIVER)


def refuse_part(gpus: Gpus, reached: t.Sequence[Reached]) -> None:
    """Refuse a memory mode for a part of what must share it. Only GPUs that change are asked about.

    Raises:
        FleetError: names the GPUs of the hive that are not chosen, or those of the node that would have another mode.
    """
    changing = {one.gpu.bdf: one for one in reached if one.memory_changes}
    chosen = {one.gpu.bdf for one in reached}
    if not changing:
        return
    mode = next(iter(changing.values())).wanted.memory
    left = [bdf for bdf in hives_of(gpus, changing) if bdf not in chosen]
    if left:
        hive = next(gpu.xgmi_hive_id for gpu in gpus.gpus if gpu.bdf == left[0])
        verb = "is" if len(left) == 1 else "are"
        raise FleetError(listed(left), f"{verb} not chosen, and a memory partition is for all GPUs of hive {hive}",
                         f"choose them for {mode} too")
    after = {gpu.bdf: gpu.memory_partition for gpu in gpus.gpus}
    after.update({one.gpu.bdf: one.wanted.memory for one in reached if one.product.pairs})
    others = [bdf for bdf, memory in after.items() if memory not in (None, mode)]
    if others:
        what = f"would be in {after[others[0]]} beside {mode} on one node, which AMD says not to do"
        raise FleetError(listed(others), what, f"choose {mode} for all GPUs")


def refuse_lost(gpus: Gpus) -> None:
    """Refuse a reload that could not be proved: all GPUs of the node must come back.

    Raises:
        FleetError: a GPU does not answer, or amdgpu does not drive it.
    """
    attempt_each(gpus.gpus, lambda gpu: gpu.bdf, lambda gpu: refuse_absent(gpu, gpus.unknown), gpus)
