# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a node is now, as the document of a profile: reading it back and applying it changes nothing."""

from __future__ import annotations

import re
import typing as t

from ..errors import FleetError
from ..look.gpus import Gpu, Gpus
from .capabilities import Capabilities
from .profile import KIND, NAME, VERSION
from .reach import WHOLE, product_of, refuse_absent, seen_modes
from .wording import attempt_each, grouped


def export(gpus: Gpus, name: str, capabilities: Capabilities) -> dict[str, t.Any]:
    """The document.

    Raises:
        FleetError: the name is none for a profile, the node has no GPU, or the modes of a GPU are not known.
    """
    if not re.fullmatch(NAME, name):
        raise FleetError("name", f"{name!r} is no name for a profile", "write it as cpx-nps4")
    if "gpus" in gpus.unknown or not gpus.gpus:
        raise FleetError("node", f"no GPU is seen: {gpus.unknown.get('gpus', 'there is none on the PCI bus')}",
                         "mend that on the node")
    modes = attempt_each(gpus.gpus, lambda gpu: gpu.bdf, lambda gpu: _modes(gpu, gpus, capabilities), gpus)
    groups = grouped(zip((gpu.bdf for gpu in gpus.gpus), modes))
    return {
        "version": VERSION, "kind": KIND, "name": name, "description": f"As seen on a node with {len(gpus.gpus)} GPUs",
        "products": sorted({str(gpu.product) for gpu in gpus.gpus}), "count": len(gpus.gpus),
        "gpus": [{"gpus": "all" if len(groups) == 1 else bdfs, "compute": compute, "memory": memory}
                 for (compute, memory), bdfs in groups.items()],
    }


def _modes(gpu: Gpu, gpus: Gpus, capabilities: Capabilities) -> tuple[str, str]:
    """Its modes; a GPU that cannot be partitioned reports none."""
    refuse_absent(gpu, gpus.unknown)
    if not product_of(gpu, capabilities).pairs:
        return WHOLE
    return seen_modes(gpu, gpus.unknown)
