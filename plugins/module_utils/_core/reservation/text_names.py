# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Names and paths that the texts of a reservation share."""

from __future__ import annotations

from ..partition.nodes import KFD

HEADER = "# Written by the role gpu_reservation of instinct.fleet; changes are lost.\n"
PROGRAM = "/usr/local/bin/instinct-reservation"
SERVICE, TIMER = "instinct-reservation.service", "instinct-reservation.timer"
# Every member may open /dev/kfd and the devices of the pool. source: systemd rules.d/50-udev-default.rules.in
RENDER = "render"
UNITS = "/etc/systemd/system"
DROP_IN = "50-instinct-reservation.conf"
TENANTS = "/etc/instinct/tenants"
__all__ = ["DROP_IN", "HEADER", "KFD", "PROGRAM", "RENDER", "SERVICE", "TENANTS", "TIMER", "UNITS", "environment_file",
           "group", "slice_of"]


def group(tenant: str) -> str:
    """The group of a tenant, which owns its devices."""
    return f"gpu-{tenant}"


def slice_of(tenant: str) -> str:
    """The slice of a tenant, in which its services run."""
    return f"tenant-{tenant}.slice"


def environment_file(tenant: str) -> str:
    """The file with the environment of its programs."""
    return f"{TENANTS}/{tenant}.env"
