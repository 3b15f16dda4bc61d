# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The environment of a tenant's programs. It is cooperative: who unsets it sees every device that it may open.

source: rocm.docs.amd.com conceptual/gpu-isolation, reference/environment-variables/setting-cus
"""

from __future__ import annotations

from .shape import Grant, Record
from .text_names import HEADER, environment_file
from .text_slices import held

VISIBLE, MASK = "ROCR_VISIBLE_DEVICES", "HSA_CU_MASK"
UNMASKED = "how many compute units a device has is not known"


def environments(record: Record) -> dict[str, str]:
    """Path of each tenant's file to its text."""
    return {environment_file(tenant.name): _text(record, tenant.name) for tenant in record.tenants}


def mask(record: Record, tenant: str) -> str:
    """The compute units of each shared device of a tenant, as 0:0-151;1:0-151; empty where none is shared.

    Programs number devices from 0 in the order of ROCR_VISIBLE_DEVICES. Of one device the reservations have compute
    units that follow each other, in the order of the reservations' names.
    """
    sets = []
    for index, device in enumerate(held(record, tenant)):
        begin, units = 0, device.compute_units
        for grant in sorted(record.grants, key=lambda one: one.wish.name):
            if units and device.id in {one.id for one in grant.devices}:
                end = begin + units * grant.wish.share // 100
                if grant.wish.tenant == tenant and grant.wish.share < 100:
                    sets.append(f"{index}:{begin}-{end - 1}")
                begin = end
    return ";".join(sets)


def masked(grant: Grant) -> bool:
    """Whether compute units of each device of a grant are known, so that a share of them has a mask."""
    return all(device.compute_units for device in grant.devices)


def _text(record: Record, tenant: str) -> str:
    devices = held(record, tenant)
    names = [device.rocr_uuid for device in devices]
    lines = ["# Cooperative: what enforces is who may open which device node."]
    if not devices:
        lines.append("# It has no device now.")
    elif None in names:
        lines.append("# Not all devices have a name of their own in ROCr: its programs see those that they may open.")
    else:
        lines.append(f"{VISIBLE}={','.join(name for name in names if name)}")
    masks = mask(record, tenant)
    return HEADER + "\n".join([*lines, *([f"{MASK}={masks}"] if masks else [])]) + "\n"
