# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What files of a bundle tell about the operating system, kernels, packages and the driver module."""

from __future__ import annotations

import re

from ..errors import DataError
from ..formats import dkms, modinfo, package_lists
from ..formats.quantity import word
from ..formats.text import parse_os_release
from ..look.settings import Setting
from ..look.shape import DeviceNode, OnDisk
from .facts import Facts

_UNAME = re.compile(r"^(?:Linux \S+ )?(?P<release>\d+\.\d+(?:\.\d+)?[^\s]*)(?: .*?(?P<machine>x86_64|aarch64))?",
                    re.MULTILINE)
_LSMOD = re.compile(r"^(?P<name>\w+)\s+\d+\s+-?\d+", re.MULTILINE)
_MODULE_FILE = re.compile(r"/lib/modules/(?P<kernel>[^/]+)/(?P<path>.+)$")
_NODE = re.compile(r"^c(?P<mode>[rwxsStT-]{9})\S? +\d+ (?P<owner>\S+) +(?P<group>\S+) +\d+, *\d+ .*?"
                   r"(?P<path>/dev/kfd|(?:/dev/dri/)?(?:renderD|card)\d+|kfd)$", re.MULTILINE)
_DRM = re.compile(r"(?<![\w/])(?P<name>(?:renderD|card)\d+)(?![\w-])(?: -> (?P<path>\S+))?")
_CPU = re.compile(r"^(?:vendor_id|Vendor ID)\s*:\s*(\S+)", re.MULTILINE)
_ASSIGNED = re.compile(r"^\s*(?:export |Environment=|- |ENV )?[\"']?(?P<name>[A-Za-z_][\w.]*)[\"']?"
                       r"\s*[=:]\s*[\"']?(?P<value>[^\"'\s]*)")
_OPTIONS = re.compile(r"^\s*options +(?P<module>\w+) +(?P<rest>.+)$")


def os_release(facts: Facts, text: str) -> str:
    """Take /etc/os-release."""
    facts.release = {**parse_os_release(text), **facts.release}
    return f"os-release: {facts.release.get('PRETTY_NAME') or facts.release.get('ID', 'no ID')}"


def uname(facts: Facts, text: str) -> str:
    """Take ``uname -a`` or ``uname -r``, or /proc/version.

    Raises:
        DataError: no release in it.
    """
    match = _UNAME.search(text.replace("Linux version ", ""))
    if match is None:
        raise DataError("this file", "holds no kernel release")
    facts.running = match["release"]
    facts.architecture = match["machine"] or facts.architecture
    return f"kernel {facts.running}"


def cmdline(facts: Facts, text: str) -> str:
    """Take /proc/cmdline."""
    facts.cmdline = " ".join(text.split())
    return "kernel command line"


def lsmod(facts: Facts, text: str) -> str:
    """Take ``lsmod`` or /proc/modules: all modules that are loaded.

    Raises:
        DataError: no module in it; a kernel without any is not one that somebody collects files of.
    """
    found = tuple(_LSMOD.findall(text))
    if not found:
        raise DataError("this file", "names no module")
    facts.modules = found
    facts.loaded = "amdgpu" in facts.modules
    return f"{len(facts.modules)} modules" + ("" if facts.loaded else ", amdgpu is not one of them")


def module(facts: Facts, text: str) -> str:
    """Take ``modinfo amdgpu``; other modules are named, but the look has no place for them.

    Raises:
        DataError: modinfo found no module.
    """
    fields = modinfo.parse_output(text)
    path = fields.get("filename", "")
    found = _MODULE_FILE.search(path)
    if found is None:
        raise DataError("this file", "names no module file")
    name = found["path"].rpartition("/")[2].partition(".ko")[0]
    version = word(fields.get("version"))
    if name == "amdgpu":
        kind = modinfo.kind(found["path"], [f"kernel-{found['kernel']}-"], found["kernel"])
        facts.on_disk.append(OnDisk(found["kernel"], path, kind, version, word(fields.get("srcversion")),
                                    word(fields.get("signer"))))
    return f"module {name} {version or 'without version'} for {found['kernel']}"


def dkms_status(facts: Facts, text: str) -> str:
    """Take ``dkms status``.

    Raises:
        DataError: neither a module nor an error in it.
    """
    status = dkms.parse_status(text)
    if not status.modules and not status.errors:
        raise DataError("this file", "names no module of DKMS")
    facts.dkms.append(status)
    return f"dkms status: {len(status.modules)} lines" + (f", {len(status.errors)} errors" if status.errors else "")


def packages(facts: Facts, text: str) -> str:
    """Take a list of packages of any form.

    Raises:
        DataError: no package in it.
    """
    listing = package_lists.parse(text)
    if listing is None:
        raise DataError("this file", "lists no package in a known form", "take dpkg -l or rpm -qa")
    facts.packages.append(listing)
    return f"{len(listing.installed)} packages ({listing.manager})"


def devices(facts: Facts, text: str) -> str:
    """Take ``ls -l /dev/kfd /dev/dri``."""
    for match in _NODE.finditer(text):
        name = match["path"].rpartition("/")[2]
        kind = "kfd" if name == "kfd" else "render" if name.startswith("render") else "card"
        facts.devices.append(DeviceNode("/dev/kfd" if kind == "kfd" else f"/dev/dri/{name}", kind, match["owner"],
                                        match["group"], -1, _mode(match["mode"])))
    return f"{len(facts.devices)} device nodes"


def _mode(letters: str) -> str:
    bits = sum(1 << (8 - place) for place, letter in enumerate(letters) if letter not in "-ST")
    return f"{bits:04o}"


def drm(facts: Facts, text: str) -> str:
    """Take ``ls -l /sys/class/drm``; without -l the names alone, which do not tell whose they are.

    Raises:
        DataError: no device in it.
    """
    found = {match["name"]: match["path"] or "" for match in _DRM.finditer(text)}
    if not found:
        raise DataError("this file", "names no DRM device")
    facts.drm = found
    return f"{len(facts.drm)} DRM devices"


def cpu(facts: Facts, text: str) -> str:
    """Take lscpu or /proc/cpuinfo."""
    match = _CPU.search(text)
    facts.cpu_vendor = match[1] if match else None
    return f"CPU of {facts.cpu_vendor or 'an unknown vendor'}"


def assignments(text: str) -> bool:
    """Whether a text is nothing but NAME=value, as ``env`` prints it."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return bool(lines) and all(re.match(r"^(?:export )?[A-Za-z_]\w*=", line) for line in lines)


def settings(facts: Facts, file: str, text: str, names: dict[str, str]) -> int:
    """Take names that were asked for, where a file of settings sets them; return how many it does.

    Args:
        names: name -> kind, of those that were asked for.
    """
    before = len(facts.settings)
    for number, line in enumerate(text.splitlines(), 1):
        options, assigned = _OPTIONS.match(line), _ASSIGNED.match(line)
        if options:
            for pair in options["rest"].split():
                name, _equals, value = pair.partition("=")
                _set(facts, names, f"{options['module']}.{name}", value, file, number)
        elif assigned:
            _set(facts, names, assigned["name"], assigned["value"], file, number)
    facts.setting_files += 1
    return len(facts.settings) - before


def kernel_settings(facts: Facts, names: dict[str, str]) -> list[Setting]:
    """Return the names that were asked for from the kernel command line."""
    pairs = (argument.partition("=") for argument in (facts.cmdline or "").split())
    return [Setting(name, value if equals else None, names[name], "/proc/cmdline") for name, equals, value in pairs
            if name in names]


def _set(facts: Facts, names: dict[str, str], name: str, value: str, file: str, line: int) -> None:
    if name in names:
        facts.settings.append(Setting(name, value, names[name], file, line))
