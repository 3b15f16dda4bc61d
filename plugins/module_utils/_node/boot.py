# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a boot loads: initramfs images by their age, and keys that Secure Boot trusts. No image is opened: one that is
newer than everything that could be copied into it holds the same.
"""

from __future__ import annotations

import re

from .._core.formats.modinfo import common_name
from .._core.look.boot import Boot, Initramfs
from .._core.look.shape import Driver, Kernel
from .apart import UnreadableError
from .machine import Machine
from .notes import Notes

_TOOLS = (("initramfs-tools", "/usr/sbin/update-initramfs"), ("dracut", "/usr/bin/dracut"))
_MODPROBE = "/etc/modprobe.d"
_LOCKDOWN = "/sys/kernel/security/lockdown"
# The list of keys that shim passes on. The first is whole and root's alone, the second may be cut. source:
# linux:drivers/firmware/efi/mokvar-table.c, linux:security/integrity/platform_certs/load_uefi.c
_MOK_LISTS = ("/sys/firmware/efi/mok-variables/MokListRT",
              "/sys/firmware/efi/efivars/MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23")
_SETTINGS = "/etc/dkms"
_CERTIFICATE = re.compile(r"""^\s*mok_certificate=["']?(?P<path>/[^\s"'$]+)["']?\s*$""", re.MULTILINE)
# source: dkms 3.0.10 and 3.2.2, function prepare_mok
_CERTIFICATES = {"ubuntu": "/var/lib/shim-signed/mok/MOK.der"}
_OTHERWISE = "/var/lib/dkms/mok.pub"


def read(machine: Machine, os_id: str | None, kernel: Kernel, driver: Driver) -> Boot:
    """Read the boot section."""
    notes = Notes()
    lockdown = notes.attempt("lockdown", None, _lockdown, machine)
    checked = kernel.secure_boot or lockdown not in (None, "none")
    certificate = notes.attempt("key", _OTHERWISE, _certificate, machine, os_id)
    data = notes.attempt("key_name", None, machine.data, certificate)
    return Boot(
        tool=next((name for name, program in _TOOLS if machine.exists(program)), None),
        images=notes.attempt("images", (), _images, machine, kernel, driver),
        modprobe_time=notes.attempt("modprobe_time", None, _modprobe_time, machine, driver),
        lockdown=lockdown,
        key=certificate, key_name=common_name(data) if data else None,
        key_enrolled=notes.attempt("key_enrolled", None, _enrolled, machine, data) if checked else None,
        unknown=notes,
    )


def _time(machine: Machine, path: str) -> int | None:
    status = machine.stat(path)
    return int(status.st_mtime) if status else None


def _images(machine: Machine, kernel: Kernel, driver: Driver) -> tuple[Initramfs, ...]:
    modules = {disk.kernel: disk.path for disk in driver.on_disk}
    found = []
    for installed in kernel.installed:
        made = _time(machine, installed.initrd) if installed.initrd else None
        if installed.initrd and made is not None:
            module = modules.get(installed.release)
            copied = _time(machine, module) if module else None
            found.append(Initramfs(installed.release, installed.initrd, made, copied))
    return tuple(found)


def _modprobe_time(machine: Machine, driver: Driver) -> int | None:
    paths = {_MODPROBE, *(line.partition(": ")[0] for line in driver.blacklisted_by if line.startswith("/"))}
    times = [_time(machine, path) for path in paths]
    return max((time for time in times if time is not None), default=None)


def _lockdown(machine: Machine) -> str | None:
    match = re.search(r"\[(\w+)\]", machine.text(_LOCKDOWN) or "")
    return match[1] if match else None


def _certificate(machine: Machine, os_id: str | None) -> str:
    more = [f"framework.conf.d/{name}" for name in machine.names(f"{_SETTINGS}/framework.conf.d")]
    found = _CERTIFICATES.get(os_id or "", _OTHERWISE)
    for file in ["framework.conf", *more]:
        for match in _CERTIFICATE.finditer(machine.text(f"{_SETTINGS}/{file}") or ""):
            found = match["path"]
    return found


def _enrolled(machine: Machine, certificate: bytes | None) -> bool:
    """Whether the list holds the certificate: it stands there byte for byte. source: UEFI 2.10, 32.4.1"""
    lists = [machine.data(path) or b"" for path in _MOK_LISTS if machine.exists(path)]
    if not lists:
        raise UnreadableError("no MokListRT: this kernel was not started by shim")
    return bool(certificate) and any(certificate in data for data in lists if certificate)
