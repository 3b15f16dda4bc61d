# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What Kubernetes may be told. AMD's device plugin offers all devices that it finds and knows no tenants.

source: ROCm/k8s-device-plugin docs/user-guide/configuration.md
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..partition.kubernetes import kubernetes
from .shape import Record
from .text_cdi import KIND
from .text_slices import held
from .text_slurm import logical

_LABEL = "instinct.fleet"
_NOTE = ("the device plugin gives any pod any device of the node: keep nodes with reservations to pods of one tenant "
         f"by a node selector, or give devices by the names of the container device interface, as in {KIND}=<tenant>")


def told(record: Record) -> dict[str, t.Any]:
    """Labels of the node, tenants by namespace, what the plugin offers of theirs and of the pool, and notes."""
    theirs = {tenant.name: held(record, tenant.name) for tenant in record.tenants if tenant.namespaces}
    offered = logical([*(device for devices in theirs.values() for device in devices), *record.pool])
    return {
        "labels": {f"{_LABEL}/{tenant}": str(len(devices)) for tenant, devices in theirs.items()},
        "namespaces": {name: tenant.name for tenant in record.tenants for name in tenant.namespaces},
        "plugin": dc.asdict(kubernetes(offered)),
        "notes": [_NOTE],
    }
