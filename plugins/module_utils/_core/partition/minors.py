# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""DRM devices: how many a layout takes, and whether the kernel has numbers for so many.

Past its limit a kernel without room panics or leaves partitions out (ROCm/ROCm#4589).
"""

from __future__ import annotations

import typing as t

from ..look.gpus import Gpus
from .capabilities import Capabilities
from .circumstances import Circumstances, NotReadyError


def refuse_too_many(gpus: Gpus, compute: t.Mapping[str, str], capabilities: Capabilities,
                    circumstances: Circumstances) -> tuple[str, ...]:
    """Refuse a layout with more devices than the kernel has numbers for; return notes.

    Args:
        gpus: of the node.
        compute: PCI address -> compute mode that it will have; others stay as they are.
        capabilities: the catalogue.
        circumstances: kernel and displays of the node.

    Raises:
        NotReadyError: it needs more.
    """
    devices = sum(_devices(gpu.product, compute.get(gpu.bdf, gpu.compute_partition), capabilities) for gpu in gpus.gpus)
    limit = capabilities.minors_of(circumstances.running)
    most = limit.devices if limit else None
    if limit is None or most is None:
        return ()
    displays = circumstances.displays
    # Vendors' kernels may have more than kernel.org's of that number: a node that shows more is believed.
    if sum(len(gpu.partitions) for gpu in gpus.gpus) + (displays or 0) > most:
        return ()
    total = devices + (displays or 0)
    if total > most:
        beside = f" and the {displays} of other display adapters" if displays else ""
        raise NotReadyError(
            "node", f"the layout needs {devices} DRM devices{beside}, and kernel {circumstances.kernel} has numbers "
            f"for {most}", "keep the drivers of other adapters out (host_tuning_also: [blacklist-ast]), boot a newer "
            "kernel, or choose fewer partitions", limit.sources[0])
    if displays is None and devices == most:
        note = f"the layout takes all {most} DRM devices that kernel {circumstances.kernel} has numbers for"
        return (f"{note}, and whether other display adapters take some is unknown: {circumstances.displays_error}",)
    return ()


def _devices(product: str | None, compute: str | None, capabilities: Capabilities) -> int:
    """Logical devices of one GPU; one where its mode is not known."""
    known = capabilities.products.get(product or "")
    if compute is None or known is None:
        return 1
    return known.devices_in(compute)
