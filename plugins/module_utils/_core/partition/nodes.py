# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Device nodes of logical devices, for files that give them to others: each known, each of one device."""

from __future__ import annotations

import re
import typing as t

from ..errors import FleetError
from .shape import LogicalDevice

KFD = "/dev/kfd"
RENDER = re.compile(r"/dev/dri/renderD(\d{1,7})", re.ASCII)


def render_minors(devices: t.Sequence[LogicalDevice]) -> tuple[int, ...]:
    """Return the number in the name of each device's render node.

    Raises:
        FleetError: it is not known, is no render node, or is that of another device too.
    """
    owners: dict[int, str] = {}
    for device in devices:
        where = f"gpu {device.gpu} partition {device.partition}"
        if device.render_node is None:
            raise FleetError(where, "its render node is not known", "make the change, and look at the node again")
        match = RENDER.fullmatch(device.render_node)
        if not match:
            raise FleetError(where, f"{device.render_node!r} is no render node", "look at the node again")
        minor = int(match[1])
        if minor in owners:
            raise FleetError(where, f"has the render node of {owners[minor]}", "look at the node again")
        owners[minor] = where
    return tuple(owners)
