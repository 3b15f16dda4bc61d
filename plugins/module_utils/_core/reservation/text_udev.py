# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The udev rule that gives each device node its group when it appears.

With KFD the service comes: a device policy has numbers of devices, and those of KFD may be others once the driver is
loaded anew.

Parts of a GPU are closed here, and what opens them is the service, after it has compared them with KFD: they hang under
platform devices that are numbered as they come, and at boot a GPU is whole until it is divided, so that who has the
first part would have all of it. Where there are parts, a node that appears calls the service. So does one that tenants
share, for lists of groups are its work: what is set by a rule of before, which udev may still carry out, would stay.

A later rule cannot change what := assigned, and without the tag nobody who sits at the machine is let in by
73-seat-late.rules.
source: udev(7); systemd.device(5); systemd rules.d/70-uaccess.rules.in, 73-seat-late.rules.in;
Linux drivers/gpu/drm/amd/amdxcp/amdgpu_xcp_drv.c
"""

from __future__ import annotations

from .shape import Record
from .text_access import CLOSED, DOOR, Access, access_of
from .text_names import HEADER, SERVICE
from .text_now import devices_of

PATH = "/etc/udev/rules.d/72-instinct-reservation.rules"
_END = "instinct_reservation_end"
_CALL = f', RUN+="/usr/bin/systemctl --no-block start {SERVICE}"'


def rules(record: Record) -> str:
    """The rules for a record as it holds now."""
    found = access_of(record)
    lines = [
        'ACTION=="remove", ' + _goto(),
        f'SUBSYSTEM=="kfd", KERNEL=="kfd", {_assign(DOOR)}',
        f'SUBSYSTEM=="kfd", ACTION=="add", TAG+="systemd", ENV{{SYSTEMD_WANTS}}+="{SERVICE}"',
        'SUBSYSTEM!="drm", ' + _goto(),
        'ENV{DEVTYPE}!="drm_minor", ' + _goto(),
    ]
    devices = devices_of(record)
    lines += [f'KERNELS=="{device.gpu}", {_assign(found[device.id])}, {_goto()}'
              for device in devices if device.of == 1]
    closed = _assign(CLOSED) + (_CALL if any(device.of > 1 for device in devices) else "")
    lines += ["# Parts, and what the record does not know.", f'DRIVERS=="amdgpu", {closed}',
              f'KERNELS=="amdgpu_xcp*", {closed}', f'LABEL="{_END}"']
    return HEADER + "".join(f"{line}\n" for line in lines)


def _goto() -> str:
    return f'GOTO="{_END}"'


def _assign(access: Access) -> str:
    """Owner, group and mode for good. Until the service has set a list, root alone may open a device that has one."""
    words = ['OWNER:="root"', f'GROUP:="{access.group}"', f'MODE:="{access.mode:04o}"', 'TAG-="uaccess"']
    return ", ".join(words) + (_CALL if access.groups else "")
