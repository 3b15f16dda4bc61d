# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Partition modes through the vendor's library: setting them, and who holds the GPUs.

A change is judged by what is read back. ``code`` 0 with another mode in ``now`` is no success: a memory mode is a wish
until the driver is loaded anew (libraries from 26 on), and some drivers answer well and change nothing. NOT_SUPPORTED
(2) may mean that the driver resets a GPU at this moment, as EPERM of the driver becomes that.
source: rocm_smi_utils.cc; amd-gfx, "reject requests while in reset"
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .._core.look.shape import Process, Processes
from .._node.machine import Machine
from . import amdsmi_processes, amdsmi_set
from .child import LOCK, heard


@dc.dataclass(frozen=True)
class Said:
    """What came of one GPU's change.

    Attributes:
        bdf: its PCI address.
        code: the library's status; None where it gave none: it was not called, it crashed or hung.
        status: the name of the code: AMDSMI_STATUS_BUSY; empty where there is none.
        words: why, where it did not succeed or could not be read back.
        now: the mode that is read back after the library was asked anew; None where it is unknown.
    """

    bdf: str
    code: int | None
    status: str
    words: str
    now: str | None


def change(machine: Machine, kind: str, mode: str, bdfs: t.Sequence[str], seconds: float) -> tuple[Said, ...]:
    """Ask the library for a mode of whole GPUs, one after the other, and read each back.

    A library before 26 loads the driver anew within a memory change, which takes up to 140 s. It does not ask whether
    the driver on disk is the one that is loaded: that is to be asked before.
    source: ROCm/rocm-systems:projects/amdsmi/CHANGELOG.md (6.4); ROCm/amdgpu-docs:docs/gpu-partitioning

    Args:
        machine: the node.
        kind: compute (each GPU by itself) or memory (one GPU of each hive is asked for all of it).
        mode: CPX, NPS4.
        bdfs: PCI addresses of the GPUs.
        seconds: after which the library is left behind. The GPU at which it hung is named, and those after it.
    """
    came = heard(machine, seconds, (amdsmi_set,), lock=machine.outside(LOCK),
                 initstate=machine.outside("/sys/module/amdgpu/initstate"), patience=seconds / 2,
                 change={"kind": kind, "mode": mode, "bdfs": list(bdfs)})
    told = came.said.get("told", {})
    return tuple(_said(bdf, told.get(bdf, {}), came.problem) for bdf in bdfs)


def _said(bdf: str, told: t.Mapping[str, t.Any], problem: str | None) -> Said:
    """Return what was said of one GPU; what is missing has the problem for a reason."""
    words = [told.get("words") or ("" if "code" in told else problem or "the library gave no answer")]
    if told.get("code") is not None and told.get("now") is None:
        words.append(f"not read back: {told.get('unread') or problem or 'the library gave no answer'}")
    return Said(bdf, told.get("code"), told.get("status", ""), "; ".join(filter(None, words)), told.get("now"))


def holders(machine: Machine, seconds: float) -> Processes:
    """Return the processes that the library lists: pid, name where it has one, and the GPUs for which it lists them.

    It is no proof that GPUs are idle, and no measure of what a change would meet. The driver's own test for a compute
    mode is its list of KFD processes, which the section ``processes`` of a look has (BUSY, for any process of the node
    or, in newer drivers, of this GPU); a change of the memory mode needs the module unused, so any client of it counts.
    The library adds clients that are none of KFD, graphics among them. Up to 10.0 it lists a compute process for every
    GPU, and to others than root nothing of what is not theirs; a name that is no text spoils the list of its GPU.
    source: linux:drivers/gpu/drm/amd/amdkfd/kfd_device.c, kgd2kfd_check_and_lock_kfd; amdsmi_interface.py of 7.0.2;
    ROCm/rocm-systems:projects/amdsmi/CHANGELOG.md (10.0)

    ``unknown`` has why there is no list, under ``processes`` or, of one GPU, ``processes.<address>``.
    """
    came = heard(machine, seconds, (amdsmi_processes,))
    told = came.said.get("told", {})
    unknown = {f"processes.{bdf}": why for bdf, item in told.items() for why in item["unknown"].values()}
    if came.problem or not told:
        unknown["processes"] = came.problem or "the library lists no GPU"
    elif not machine.root_user:
        unknown["processes"] = "only root sees the processes of others"
    names: dict[int, str | None] = {}
    gpus: dict[int, list[str]] = {}
    for bdf, item in told.items():
        for pid, name in item["processes"]:
            names[pid] = names.get(pid) or name
            gpus.setdefault(pid, []).append(bdf)
    return Processes(tuple(Process(pid, names[pid], gpus=tuple(gpus[pid])) for pid in sorted(gpus)), unknown)
