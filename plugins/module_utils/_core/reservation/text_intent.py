# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What is meant, for people: nothing in ROCm reads these files, and each says so."""

from __future__ import annotations

import collections

from .shape import Grant, Record
from .text_env import MASK, UNMASKED, masked
from .text_names import HEADER
from .text_now import devices_of

FILTER, QUALITY = "device_filter.conf", "quality_of_service.conf"
_SAYS = "# Readable intent: no program of ROCm reads this file. What enforces it is {what}.\n"


def intents(record: Record, directory: str) -> dict[str, str]:
    """Path of each file to its text. Devices are named by PCI address and partition, for their numbers change."""
    free = {device.id for device in record.pool}
    lines = [f"{device.id} = {'false' if device.id in free else 'true'}" for device in devices_of(record)]
    reserved = _SAYS.format(what="the owner of each device node, and the device policy of each slice")
    quality = _SAYS.format(what="said with each value")
    tenants = collections.Counter(grant.wish.tenant for grant in record.grants)
    sections = "".join(f"\n{_section(record, grant, tenants[grant.wish.tenant] > 1)}" for grant in record.grants)
    return {
        f"{directory}/{FILTER}": f"{HEADER}{reserved}\n[reserved_devices]\n" + "".join(f"{line}\n" for line in lines),
        f"{directory}/{QUALITY}": f"{HEADER}{quality}{sections}",
    }


def _section(record: Record, grant: Grant, one_of_several: bool) -> str:
    wish = grant.wish
    name = f"{wish.tenant}_{wish.name}_priority" if one_of_several else f"{wish.tenant}_priority"
    how = (f"cooperative: by {MASK} in the environment of {wish.tenant}" if masked(record, grant)
           else f"intent: {UNMASKED}")
    units = f"# {how}\n" if wish.share < 100 else ""
    lines = [f"[{name}]", "# enforcing: by the owner of the device nodes",
             f"devices = {','.join(device.id for device in grant.devices)}",
             f"{units}compute_unit_reserve = {wish.share}%"]
    if wish.memory_bandwidth is not None:
        lines += ["# intent: nothing in ROCm limits the memory bandwidth of a process",
                  f"memory_bandwidth = {wish.memory_bandwidth}%"]
    return "\n".join(lines) + "\n"
