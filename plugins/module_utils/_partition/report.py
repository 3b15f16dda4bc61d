# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a run says: the return values of the module and of the command, and the diff."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .._core.look.shape import Gpus
from .._core.partition import verify
from .._core.partition.shape import LogicalDevice

if t.TYPE_CHECKING:
    from .decide import Decision
    from .work import Ended

Plain = dict[str, t.Any]
_MIB = 1024 * 1024


def values(decided: Decision, results: t.Sequence[verify.GpuResult], devices: t.Sequence[LogicalDevice],
           ended: Ended | None = None, notes: t.Sequence[str] = ()) -> Plain:
    """The return values but for actions and diff."""
    plan = decided.plan
    products = {gpu.bdf: gpu.product for gpu in decided.gpus.gpus}
    return {
        "as_wanted": all(one.after == one.wanted and one.result != verify.FAILED for one in results),
        "gpus": [{**dc.asdict(one), "product": products.get(one.bdf)} for one in results],
        "devices": [dc.asdict(device) for device in devices],
        "devices_before": [dc.asdict(device) for device in decided.before],
        "changes": [dc.asdict(change) for change in plan.changes],
        "reload": plan.reload, "reboot_required": plan.reboot,
        "notes": [*plan.notes, *notes, *(ended.notes if ended else ())],
        "findings": [dc.asdict(finding) for finding in plan.findings],
        "units": {"stopped": list(ended.stopped), "started": ended.started, "failed": ended.failed} if ended else
        {"stopped": [], "started": [], "failed": {}},
    }


def diff(before: t.Sequence[LogicalDevice], after: t.Sequence[LogicalDevice]) -> tuple[dict[str, str], ...]:
    """One entry with a line for each device; none if they are the same."""
    old, new = table(before), table(after)
    if old == new:
        return ()
    return ({"before_header": "devices", "after_header": "devices", "before": old, "after": new},)


def table(devices: t.Sequence[LogicalDevice]) -> str:
    """A line for each device: ``0000:05:00.0/3 MI300X CPX/NPS4 1 XCD 24574 MiB NUMA 0``."""
    return "".join(f"{_line(device)}\n" for device in devices)


def _line(device: LogicalDevice) -> str:
    xcds = "" if device.xcds is None else f"{device.xcds} XCD{'' if device.xcds == 1 else 's'}"
    memory = "" if device.memory_bytes is None else f"{device.memory_bytes // _MIB} MiB"
    numa = "" if device.numa_node is None else f"NUMA {device.numa_node}"
    words = (f"{device.gpu}/{device.partition}", device.product, f"{device.compute}/{device.memory}", xcds, memory,
             numa)
    return " ".join(word for word in words if word)


def shown(gpus: Gpus) -> dict[str, str]:
    """PCI address -> modes, for one line each."""
    return {gpu.bdf: verify.modes(gpu) or "unknown" for gpu in gpus.gpus}
