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

from .._node import pci
from .._node.machine import Machine
from . import amdsmi_set
from .child import Child

# Not in /run/lock: everybody may write there, and a tenant who holds the lock would stop every change.
_LOCK = "/run/instinct-smi.lock"


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
    child = Child(machine, pci.read(machine), amdsmi_set, lock=machine.outside(_LOCK),
                  initstate=machine.outside("/sys/module/amdgpu/initstate"),
                  change={"kind": kind, "mode": mode, "bdfs": list(bdfs)})
    heard = child.answer(seconds)
    told = heard.said.get("told", {})
    return tuple(_said(bdf, told.get(bdf, {}), heard.problem) for bdf in bdfs)


def _said(bdf: str, told: t.Mapping[str, t.Any], problem: str | None) -> Said:
    """Return what was said of one GPU; what is missing has the problem for a reason."""
    words = [told.get("words") or ("" if "code" in told else problem or "the library gave no answer")]
    if "code" in told and told.get("now") is None:
        words.append(f"not read back: {told.get('unread') or problem or 'the library gave no answer'}")
    return Said(bdf, told.get("code"), told.get("status", ""), "; ".join(filter(None, words)), told.get("now"))
