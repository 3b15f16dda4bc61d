# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A specification for container engines with one device for each tenant: podman run --device instinct.fleet/gpu=vision.

Numbers and owners of nodes are left to the engine, so a program that is not root in its container needs the tenant's
group there: --group-add keep-groups.
source: cncf-tags/container-device-interface SPEC.md, podman-run(1)
"""

from __future__ import annotations

import typing as t

from ..partition.cdi import VERSION
from .shape import Record
from .text_env import MASK, variables
from .text_names import KFD
from .text_slices import held

KIND = "instinct.fleet/gpu"
PATH = "/etc/cdi/instinct-tenants.json"


def spec(record: Record) -> dict[str, t.Any] | None:
    """The specification; None where no tenant has a device, for one without devices is none."""
    devices = []
    for tenant in record.tenants:
        nodes = [device.render_node for device in held(record, tenant.name) if device.render_node]
        found = variables(record, tenant.name)  # a mask numbers devices as they are named
        environment = {"env": [f"{name}={value}" for name, value in found.items()]} if MASK in found else {}
        if nodes:
            devices.append({"name": tenant.name, "containerEdits": {**environment, **_nodes(nodes)}})
    if not devices:
        return None
    return {"cdiVersion": VERSION, "kind": KIND, "devices": devices, "containerEdits": _nodes([KFD])}


def _nodes(paths: t.Sequence[str]) -> dict[str, t.Any]:
    return {"deviceNodes": [{"path": path, "permissions": "rw"} for path in paths]}
