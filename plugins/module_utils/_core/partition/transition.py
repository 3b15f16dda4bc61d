# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From (wanted, seen) to the ordered changes: memory, reload, compute; or one sentence why not."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from ..look.gpus import Gpu, Gpus
from .capabilities import Capabilities
from .circumstances import Circumstances, NotReadyError
from .minors import refuse_too_many
from .reach import Reached, reach
from .scope import driven, hives_of, refuse_lost, refuse_part
from .shape import (
    COMPUTE,
    COMPUTE_CHANGE,
    DEFAULT_ACCEPT,
    MEMORY_CHANGE,
    RELOAD,
    Change,
    GpuWanted,
    Transition,
)
from .wording import attempt_each, counted, grouped, listed, subject


def transition(gpus: Gpus, wanted: t.Sequence[GpuWanted], capabilities: Capabilities, circumstances: Circumstances,
               accept: t.Collection[str] = DEFAULT_ACCEPT) -> Transition:
    """The changes that make the GPUs as wanted, in order; none where they are so.

    Args:
        gpus: as seen, all of the node.
        wanted: of those that are chosen, of ``select.wanted``.
        capabilities: the catalogue.
        circumstances: driver, library, kernel and displays of the node.
        accept: standings that the site accepts; documented always is.

    Raises:
        FleetError: it cannot be, and why.
        NotReadyError: it cannot be told now.
    """
    seen = {gpu.bdf: gpu for gpu in gpus.gpus}
    reached = attempt_each(
        wanted, lambda one: one.bdf,
        lambda one: reach(_there(one.bdf, seen), one, gpus.unknown, capabilities, circumstances, accept), gpus)
    refuse_part(gpus, reached)
    notes = [f"{subject(bdfs, gpus)}: {words}"
             for words, bdfs in grouped((one.gpu.bdf, words) for one in reached for words in one.notes).items()]
    same = Transition(tuple(one.wanted for one in reached if one.product.pairs), notes=tuple(notes),
                      findings=tuple(found for one in reached for found in one.findings))
    if all(one.before == one.wanted for one in reached):
        return same
    _refuse_without_library(circumstances)
    moving = [one for one in reached if one.memory_changes]
    made = _with_memory(gpus, reached, moving, capabilities, circumstances) if moving else _compute_alone(gpus, reached)
    modes = {one.bdf: one.compute for one in same.wanted}
    room = refuse_too_many(gpus, modes, capabilities, circumstances)
    return dc.replace(made, wanted=same.wanted, findings=same.findings, notes=(*same.notes, *room, *made.notes))


def _there(bdf: str, seen: t.Mapping[str, Gpu]) -> Gpu:
    if bdf not in seen:
        raise NotReadyError(f"gpu {bdf}", "is not on the node", "look at the node again")
    return seen[bdf]


def _refuse_without_library(circumstances: Circumstances) -> None:
    if not circumstances.library:
        raise NotReadyError("amdsmi", "did not answer, and modes are set through it: "
                            f"{circumstances.library_error or 'its version is not known'}", "mend that on the node")


def _compute_alone(gpus: Gpus, reached: t.Sequence[Reached]) -> Transition:
    before = {one.gpu.bdf: one.before.compute for one in reached}
    todo = [(one.gpu.bdf, one.wanted.compute) for one in reached if one.before != one.wanted]
    changes = _compute_changes(todo, before)
    changed = [bdf for change in changes for bdf in change.gpus]
    return Transition((), changes, hives_of(gpus, changed))


def _with_memory(gpus: Gpus, reached: t.Sequence[Reached], moving: t.Sequence[Reached], capabilities: Capabilities,
                 circumstances: Circumstances) -> Transition:
    """Memory, the reload that brings it, and the compute modes that the driver does not choose by itself."""
    record = capabilities.reloading_of(circumstances.library)
    if record is None:
        raise FleetError("amdsmi", f"no table says whether version {circumstances.library_version} reloads the driver "
                         "by itself", "add it to a file of drivers in a directory of gpu_partition_catalogue_dirs")
    mode = moving[0].wanted.memory
    refuse_lost(gpus)
    if not circumstances.reload_allowed:
        # A mode that is asked for now would be lost: the driver passes it on when it is taken out, not when the node
        # goes down. source: torvalds/linux drivers/gpu/drm/amd/amdgpu/amdgpu_drv.c (amdgpu_pci_remove)
        return Transition((), reboot=f"memory partition {mode} comes with a load of amdgpu, and "
                          "gpu_partition_reload_allowed is false; instinct-partition.service sets it at boot")
    reload = () if record.by_library else (
        Change(RELOAD, tuple(gpu.bdf for gpu in driven(gpus)), "", "", "reload amdgpu"),)
    after, notes = _after_reload(gpus, reached, capabilities)
    reason = f"memory partition {mode} comes with a load of amdgpu"
    reason += f", which version {circumstances.library_version} of amdsmi does by itself" if record.by_library else ""
    changes = (_memory_change(moving, mode), *reload, *after)
    return Transition((), changes, tuple(gpu.bdf for gpu in driven(gpus)), reason, notes=notes)


def _memory_change(moving: t.Sequence[Reached], mode: str) -> Change:
    bdfs = tuple(one.gpu.bdf for one in moving)
    before = _common(one.before.memory for one in moving)
    return Change(MEMORY_CHANGE, bdfs, mode, before,
                  f"set memory partition {mode} on {counted(len(bdfs))}" + (f" (was {before})" if before else ""))


def _after_reload(gpus: Gpus, reached: t.Sequence[Reached],
                  capabilities: Capabilities) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """Compute changes after a reload, in which the driver has chosen the mode of every GPU; and notes."""
    wanted = {one.gpu.bdf: (one.wanted.compute, one.wanted.memory) for one in reached}
    todo, before, kept = [], {}, []
    for gpu in driven(gpus):
        compute, memory = wanted.get(gpu.bdf, (gpu.compute_partition, gpu.memory_partition))
        chosen = _automatic(gpu, memory, capabilities)
        if compute is None or chosen is None or chosen == compute:
            continue
        todo.append((gpu.bdf, compute))
        before[gpu.bdf] = chosen
        if gpu.bdf not in wanted:
            kept.append((gpu.bdf, compute))
    notes = tuple(f"{listed(bdfs)}: not chosen, and set back to {compute} after the reload, which changes it"
                  for compute, bdfs in grouped(kept).items())
    return _compute_changes(todo, before), notes


def _automatic(gpu: Gpu, memory: str | None, capabilities: Capabilities) -> str | None:
    """The compute mode that the driver chooses: "" where no table says; None for a GPU without modes."""
    product = capabilities.products.get(gpu.product or "")
    if product is None or not product.pairs:
        return None
    return product.automatic.get(memory or "", "")


def _compute_changes(todo: t.Iterable[tuple[str, str]], before: t.Mapping[str, str]) -> tuple[Change, ...]:
    """One change for each mode, fewest devices first."""
    groups = grouped(todo)
    changes = []
    for mode in sorted(groups, key=COMPUTE.index):
        bdfs = tuple(groups[mode])
        was = _common(before[bdf] for bdf in bdfs)
        changes.append(Change(COMPUTE_CHANGE, bdfs, mode, was, f"set compute partition {mode} on {counted(len(bdfs))}"
                              + (f" (was {was})" if was else "")))
    return tuple(changes)


def _common(modes: t.Iterable[str]) -> str:
    """The mode, if it is the same for all."""
    found = set(modes)
    return found.pop() if len(found) == 1 else ""
