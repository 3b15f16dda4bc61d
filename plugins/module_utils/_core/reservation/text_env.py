# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The environment of a tenant's programs. It is cooperative: who unsets it sees every device that it may open.

source: rocm.docs.amd.com conceptual/gpu-isolation, reference/environment-variables/setting-cus
"""

from __future__ import annotations

from . import share
from .room import WHOLE
from .shape import Device, Grant, Record
from .text_names import HEADER, environment_file
from .text_slices import held

VISIBLE, MASK = "ROCR_VISIBLE_DEVICES", "HSA_CU_MASK"
UNMASKED = "no compute units are set apart: how many a device has is not known, or not every device has a name in ROCr"


def environments(record: Record) -> dict[str, str]:
    """Path of each tenant's file to its text, for a record as it holds now."""
    return {environment_file(tenant.name): _text(record, tenant.name) for tenant in record.tenants}


def variables(record: Record, tenant: str) -> dict[str, str]:
    """The devices that a tenant has, and the compute units of those that are shared, as 0:0-151;1:0-75,152-227.

    A mask numbers devices from 0 in the order of ROCR_VISIBLE_DEVICES, so without names of all there is neither.
    """
    devices = _there(record, tenant)
    names = [device.rocr_uuid for device in devices if device.rocr_uuid]
    if not devices or len(names) < len(devices):
        return {}
    units = [_units(record, tenant, device) for device in devices]
    masks = ";".join(f"{index}:{one}" for index, one in enumerate(units) if one)
    return {VISIBLE: ",".join(names), **({MASK: masks} if masks else {})}


def _there(record: Record, tenant: str) -> list[Device]:
    """One that is gone is not named: ROCr takes no name after one that it does not find."""
    return [device for device in held(record, tenant) if device.render_node]


def _units(record: Record, tenant: str, device: Device) -> str:
    """What a tenant has of a device by all of its reservations; empty for all of it, and where that is unknown."""
    mine = [(grant, grant.devices.index(device)) for grant in record.grants
            if grant.wish.tenant == tenant and device in grant.devices]
    parts = [grant.units[place] if grant.units else "" for grant, place in mine]
    if any(grant.wish.share == WHOLE for grant, _place in mine) or not all(parts):
        return ""
    return share.text(frozenset().union(*map(share.numbers, parts)))


def masked(record: Record, grant: Grant) -> bool:
    """Whether the share of a grant has a mask on each device."""
    return bool(grant.units) and all(grant.units) and VISIBLE in variables(record, grant.wish.tenant)


def _text(record: Record, tenant: str) -> str:
    found = variables(record, tenant)
    lines = ["# Cooperative: what enforces is who may open which device node."]
    if not _there(record, tenant):
        lines.append("# It has no device now.")
    elif not found:
        lines += ["# Not all devices have a name of their own in ROCr: its programs see those that they may open, and",
                  "# there is no mask, for it would number them in an order that is not known."]
    return HEADER + "\n".join([*lines, *(f"{name}={value}" for name, value in found.items())]) + "\n"
