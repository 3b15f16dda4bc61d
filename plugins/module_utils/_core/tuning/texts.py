# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The files that settings are written into. Same settings, same bytes; a file that nothing is in is not wanted."""

from __future__ import annotations

import re
import typing as t

from ..act.fileset import Wanted
from ..plan.aptfiles import HEADER, unattended_blacklist
from .overrides import EVERYBODY
from .setting import ACCESS, ENVIRONMENT, SERVICE_LIMIT, SYSCTL, UNATTENDED, USER_LIMIT, Setting

# Before 90-instinct-kernel.cfg, whose variable of GRUB is the last word of each entry.
GRUB = "/etc/default/grub.d/80-instinct-tuning.cfg"
SYSCTLS = "/etc/sysctl.d/90-instinct-tuning.conf"
LIMITS = "/etc/security/limits.d/90-instinct-tuning.conf"
MANAGER = "/etc/systemd/system.conf.d/90-instinct-tuning.conf"
ENVIRON = "/etc/instinct/tuning.env"
APT = "/etc/apt/apt.conf.d/53instinct-tuning"
PROGRAM = "/usr/local/sbin/instinct-acs"
UNIT_NAME = "instinct-acs.service"
UNIT = f"/etc/systemd/system/{UNIT_NAME}"
RECORD = "/var/lib/instinct/tuning.json"
MODE = 0o644
PATHS = (GRUB, SYSCTLS, LIMITS, MANAGER, ENVIRON, APT, PROGRAM, UNIT, RECORD)
# Where each kind is.
OF_KIND = {SYSCTL: SYSCTLS, USER_LIMIT: LIMITS, SERVICE_LIMIT: MANAGER, ENVIRONMENT: ENVIRON, UNATTENDED: APT,
           ACCESS: UNIT}

_APPEND = 'GRUB_CMDLINE_LINUX_DEFAULT="$GRUB_CMDLINE_LINUX_DEFAULT {}"\n'
_APPENDED = re.compile(r'^GRUB_CMDLINE_LINUX_DEFAULT="\$GRUB_CMDLINE_LINUX_DEFAULT ([^"]*)"$', re.MULTILINE)

# Control registers by setpci, which reads back what it wrote: a register that does not take a value keeps the unit from
# being started. source: setpci(8); linux:include/uapi/linux/pci_regs.h, PCI_ACS_CAP at 4 and PCI_ACS_CTRL at 6
_SCRIPT = HEADER + r"""# Turns access control services (ACS) of PCI functions off, or on as the kernel does.
set -u
case ${1-} in on | off) ;; *) echo "usage: $0 on|off" >&2; exit 2 ;; esac
status=0
for path in /sys/bus/pci/devices/*; do
  function=${path##*/}
  able=$(setpci -s "$function" ECAP_ACS+4.w 2>/dev/null) || continue
  [ -n "$able" ] || continue
  wanted=0000
  [ "$1" = off ] || wanted=$(printf %04x $((0x$(setpci -s "$function" ECAP_ACS+6.w) | 0x$able & 0x1d)))
  setpci -s "$function" "ECAP_ACS+6.w=$wanted"
  found=$(setpci -s "$function" ECAP_ACS+6.w)
  [ "$found" = "$wanted" ] || { echo "$function: access control is $found and not $wanted" >&2; status=1; }
done
exit $status
"""

# Jobs and virtual machines start after it, and start all the same if it fails: they are slower then, and not wrong.
_UNIT = HEADER + """[Unit]
Description=Turn access control services of PCI %s
Documentation=https://github.com/instinct-fleet/instinct.fleet/blob/main/docs/tuning.md
After=systemd-modules-load.service
Before=slurmd.service kubelet.service docker.service containerd.service libvirtd.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/instinct-acs %s
TimeoutStartSec=120
# It writes to configuration space below /sys, and has no business with anything else.
CapabilityBoundingSet=CAP_SYS_ADMIN
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
RestrictAddressFamilies=AF_UNIX
IPAddressDeny=any
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
"""


def wanted(settings: t.Sequence[Setting], appended: t.Sequence[str], record: str, apt: bool) -> tuple[Wanted, ...]:
    """Every file of ours, those that should not be there among them.

    Args:
        settings: of the node.
        appended: kernel arguments for /etc/default/grub.d.
        record: what was before, as text.
        apt: whether the node has apt.
    """
    access = next((setting.value for setting in settings if setting.kind == ACCESS), "")
    texts = {
        GRUB: HEADER + _APPEND.format(" ".join(appended)) if appended else "",
        SYSCTLS: _rows(settings, SYSCTL, "{0.name} = {0.value}"),
        LIMITS: _rows(settings, USER_LIMIT, f"{EVERYBODY} - {{0.name}} {{0.value}}"),
        MANAGER: _rows(settings, SERVICE_LIMIT, "DefaultLimit{0.name}={0.value}", "[Manager]\n"),
        ENVIRON: _rows(settings, ENVIRONMENT, "{0.name}={0.value}"),
        APT: _unattended([setting.name for setting in settings if setting.kind == UNATTENDED and apt]),
        PROGRAM: f"#!/bin/sh\n{_SCRIPT}" if access else "",
        UNIT: _UNIT % (access, access) if access else "",
    }
    files = (_wanted(path, text, 0o755 if path == PROGRAM else MODE) for path, text in texts.items())
    return (*files, of_record(record))


def of_record(text: str) -> Wanted:
    """The file of what was before; an empty text is no file."""
    return _wanted(RECORD, text, MODE)


def _wanted(path: str, text: str, mode: int) -> Wanted:
    return Wanted(path, text.encode() if text else None, "root", "root", mode)


def appended_by(text: str) -> tuple[str, ...]:
    """The kernel arguments that a text of ours in /etc/default/grub.d appends."""
    return tuple(word for match in _APPENDED.finditer(text) for word in match[1].split())


def _rows(settings: t.Sequence[Setting], kind: str, form: str, head: str = "") -> str:
    rows = "".join(form.format(setting) + "\n" for setting in settings if setting.kind == kind)
    return f"{HEADER}{head}{rows}" if rows else ""


def _unattended(patterns: t.Sequence[str]) -> str:
    return unattended_blacklist(patterns) if patterns else ""
