# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The service that brings a node to its record at boot, and the timer that runs it when a window opens or closes.

What wants them is a file and no link of systemctl enable, so that it is in the set, and check mode tells of it.
source: systemd.exec(5), systemd.timer(5), systemd.unit(5)
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .shape import Record
from .text_names import DROP_IN, HEADER, PROGRAM, SERVICE, TIMER, UNITS
from .text_now import turns

_SPARE = 300  # seconds beyond the wait for devices
# It reads /sys and /proc, writes units, rules and groups, gives device nodes to others, and tells systemd, which obeys
# who may administer. Users and groups may come from a server, so the network is not kept from it; homes are, and what
# lies below /usr and /boot but for the directories of the site. A run that meets another, or a full disk, is repeated;
# one that is done but for what is not there (1) is not: the kernel, or the next hour, starts it. CAP_SYS_PTRACE is for
# processes of others where /proc is mounted with hidepid=.
_UNIT = """[Unit]
Description=Give the GPUs to those who have reserved them
Documentation=https://github.com/instinct-fleet/instinct.fleet/blob/main/docs/reservations.md
# The rules of udev hold before; the numbers of the devices of divided GPUs are known after they were divided.
After=systemd-udevd.service instinct-partition.service nss-user-lookup.target
Before={before}
StartLimitIntervalSec=0

[Service]
Type=oneshot
# What udev closes it closes before this opens it.
ExecStartPre=-/usr/bin/udevadm settle --timeout=30
ExecStart={program} apply --wait {wait}
TimeoutStartSec={limit}
Restart=on-failure
RestartSec=30
RestartPreventExitStatus=1
SyslogIdentifier=instinct-reservation
StateDirectory=instinct
StateDirectoryMode=0755
UMask=0022
CapabilityBoundingSet=CAP_SYS_ADMIN CAP_CHOWN CAP_FOWNER CAP_DAC_OVERRIDE CAP_AUDIT_WRITE CAP_SYS_PTRACE
NoNewPrivileges=yes
ProtectSystem=full
ReadWritePaths={writes}
ProtectHome=yes
PrivateTmp=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
RestrictAddressFamilies=AF_UNIX AF_NETLINK AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
KeyringMode=private
SystemCallArchitectures=native
"""


@dc.dataclass(frozen=True)
class Boot:
    """Attributes: units that start after the devices were given, and seconds to wait for all devices."""

    before: tuple[str, ...] = ()
    wait: int = 300


def service(boot: Boot, directories: t.Iterable[str] = ()) -> dict[str, str]:
    """Path of each file to its text. ``directories``: where a site wants files."""
    unit = _UNIT.format(before=" ".join(boot.before), program=PROGRAM, wait=boot.wait, limit=boot.wait + _SPARE,
                        writes=" ".join(["/etc", *(f"-{path}" for path in directories)]))
    return {f"{UNITS}/{SERVICE}": HEADER + unit,
            f"{UNITS}/multi-user.target.d/{DROP_IN}": f"{HEADER}[Unit]\nWants={SERVICE}\n"}


def timer(record: Record) -> dict[str, str]:
    """The same for the timer; nothing where there are no windows.

    Of a night in which clocks are put forward, moments that do not come are left out by systemd, so every hour is one.
    """
    moments = "".join(f"OnCalendar={moment}\n" for moment in turns(record))
    if not moments:
        return {}
    unit = "[Unit]\nDescription=Windows of reservations of GPUs\n\n[Timer]\nAccuracySec=1s\nOnCalendar=hourly\n"
    return {f"{UNITS}/{TIMER}": HEADER + unit + moments,
            f"{UNITS}/timers.target.d/{DROP_IN}": f"{HEADER}[Unit]\nWants={TIMER}\n"}
