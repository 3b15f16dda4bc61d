# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Settings of a host: what a node is, read where each setting is kept."""

from __future__ import annotations

import posixpath
import re
import typing as t

from .._core.errors import FleetError
from .._core.formats.pci_config import WHOLE, acs_ability, acs_control
from .._core.tuning.overrides import Line, limit_lines, spaced, sysctl_lines
from .._core.tuning.record import Record
from .._core.tuning.seen import ENTRIES, MENU, Register, Seen
from .._core.tuning.setting import SERVICE_LIMIT, SYSCTL, USER_LIMIT, Setting
from .._core.tuning.texts import LIMITS, PATHS, RECORD, SYSCTLS, UNIT_NAME
from .._node import kernel, rpm
from .._node.apart import UnreadableError
from .._node.machine import Machine
from .._node.notes import Notes
from .._node.pci import DEVICES
from . import boot
from .files import see

ROOT = "/"
# In the order in which a name hides that of a later folder. source: sysctl.d(5)
_SYSCTL_FOLDERS = ("/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d")
_LIMIT_FOLDER = posixpath.dirname(LIMITS)  # read after limits.conf. source: pam_limits(8)
_PROGRAMS = ("/usr/sbin", "/usr/bin", "/sbin", "/bin")
_DEFAULT = re.compile(r"^DefaultLimit([A-Z]+)=(\S+)$", re.MULTILINE)


def seen(settings: t.Sequence[Setting]) -> Seen:
    """The node, as far as these settings and those that it was given before need it.

    Raises:
        FleetError: something cannot be read; run as root.
    """
    machine = Machine(ROOT)
    try:
        return _seen(machine, settings)
    except UnreadableError as error:
        raise FleetError("this node", str(error), "run as root (become: true)") from error


def _seen(machine: Machine, settings: t.Sequence[Setting]) -> Seen:
    kernels = kernel.read(machine)
    files = {path: see(machine.outside(path)) for path in PATHS}
    record = _record(files[RECORD].content)
    names = {*record.sysctls, *(setting.name for setting in settings if setting.kind == SYSCTL)}
    return Seen(
        running=None if kernels.cmdline is None else tuple(kernels.cmdline.split()),
        entries={release: tuple(words.split()) for release, words in kernels.boot_arguments.items()},
        next_boot=kernels.next_boot,
        boot_unknown=kernels.unknown.get("next_boot", kernels.unknown.get("boot_entries", "")),
        loader=MENU if boot.writes_menus() else ENTRIES if boot.edits_entries() else "",
        sysctls=_sysctls(machine, names),
        later=(*_later_sysctls(machine), *_later_limits(machine)),
        manager=_manager(machine) if any(setting.kind == SERVICE_LIMIT for setting in settings) else {},
        registers=_registers(machine),
        apt=machine.exists("/etc/apt/apt.conf.d"),
        by_itself=Notes().attempt("by_itself", None, rpm.by_itself, machine),
        setpci=any(machine.exists(f"{folder}/setpci") for folder in _PROGRAMS),
        enabled=machine.link(f"/etc/systemd/system/multi-user.target.wants/{UNIT_NAME}") is not None,
        files=files,
        record=record,
    )


def _record(content: bytes) -> Record:
    return Record.read(content.decode("utf-8", "replace"), RECORD) if content else Record()


def _sysctls(machine: Machine, names: t.Iterable[str]) -> dict[str, str]:
    """Values of the running kernel; what it does not have is left out."""
    found = {name: machine.text(proc(name)) for name in sorted(names)}
    return {name: spaced(text) for name, text in found.items() if text is not None}


def proc(name: str) -> str:
    """Where the kernel has a sysctl."""
    return f"/proc/sys/{name.replace('.', '/')}"


def _later_sysctls(machine: Machine) -> t.Iterator[Line]:
    """What files set that are read after ours. source: sysctl.d(5); sysctl(8), --system reads sysctl.conf last."""
    own = posixpath.basename(SYSCTLS)
    paths: dict[str, str] = {}
    for folder in _SYSCTL_FOLDERS:
        for name in machine.names(folder):
            paths.setdefault(name, f"{folder}/{name}")
    later = [paths[name] for name in sorted(paths) if name.endswith(".conf") and name > own]
    for path in dict.fromkeys((*later, "/etc/sysctl.conf")):
        yield from sysctl_lines(path, machine.text(path) or "")


def _later_limits(machine: Machine) -> t.Iterator[Line]:
    own = posixpath.basename(LIMITS)
    for name in sorted(machine.names(_LIMIT_FOLDER)):
        if name.endswith(".conf") and name > own:
            path = f"{_LIMIT_FOLDER}/{name}"
            yield from limit_lines(path, machine.text(path) or "", USER_LIMIT)


def _manager(machine: Machine) -> dict[str, str]:
    """Limits that systemd gives to units which name none. source: systemctl(1), show without a unit."""
    try:
        return dict(_DEFAULT.findall(machine.run("systemctl", "show").stdout))
    except UnreadableError:
        return {}


def _registers(machine: Machine) -> tuple[Register, ...] | None:
    """Access control services of all PCI functions that have them; None where configuration space is cut short."""
    found = []
    for bdf in machine.names(DEVICES):
        config = machine.data(f"{DEVICES}/{bdf}/config") or b""
        able, control = acs_ability(config), acs_control(config)
        if able is not None and control is not None:
            found.append(Register(bdf, able, control))
        elif config and len(config) < WHOLE:  # who is not root sees the header alone
            return None
    return tuple(found)
