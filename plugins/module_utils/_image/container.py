# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A container that runs, by its first process: what is in its /dev, who it is, what it was given."""

from __future__ import annotations

import contextlib
import os
import re
import stat

from .._core.errors import FleetError
from .._core.formats import credentials, host_files, inspected
from .._core.image.running import KFD, RDMA, Device, Running
from .._node.apart import UnreadableError
from .._node.machine import Machine
from .._node.notes import Notes
from .tools import Tools
from .tree import Tree

_RENDER = re.compile(r"^renderD\d+$")
_DRI = "/dev/dri"
Same = tuple[bool, int, int]


def first_process(name: str, engine: str, tools: Tools) -> int:
    """Its number on the node.

    Raises:
        FleetError: there is no such container, or it does not run.
    """
    pid = inspected.first_process(tools.run(f"container {name}", engine, "container", "inspect", name))
    if not pid:
        raise FleetError(f"container {name}", "does not run", "start it, or check its image")
    return pid


def refuse_ended(machine: Machine, pid: int, name: str) -> None:
    """Refuse a container that ended while it was read, for what is gone then is nothing that it lacks.

    Raises:
        FleetError: it did.
    """
    with contextlib.suppress(UnreadableError):  # it runs, and is another user's
        if machine.folder(f"/proc/{pid}/root/"):
            return
        raise FleetError(f"container {name}", "ended while it was read", "start it, or check its image")


def running(machine: Machine, pid: int) -> Running:
    """What the node says of the container of a process."""
    notes, folder = Notes(), f"/proc/{pid}"
    tree = Tree(machine.outside(f"{folder}/root"), machine.left())
    who = notes.attempt("groups", None, _who, machine, folder)
    locked = notes.attempt("memlock_bytes", None, _locked, machine, folder)
    environment = notes.attempt("environment", "", _text, machine, f"{folder}/environ")
    pairs = (pair.partition("=") for pair in environment.split("\0"))
    return Running(
        notes.attempt("devices", {}, _devices, machine, tree), who.uid if who else None, who.groups if who else (),
        bool(who and who.overrides), bool(who and who.locks), {name: value for name, _sign, value in pairs if name},
        locked, notes.attempt("shm_bytes", None, _shared, tree), notes)


def _text(machine: Machine, path: str) -> str:
    """What a file of a process says.

    Raises:
        UnreadableError: it cannot be read, or the process has ended.
    """
    found = machine.text(path)
    if found is None:
        raise UnreadableError(f"there is no {path}: the process may have ended")
    return found


def _locked(machine: Machine, folder: str) -> int:
    found = host_files.soft_limit(_text(machine, f"{folder}/limits"), "Max locked memory")
    if found is None:
        raise UnreadableError(f"{folder}/limits does not tell how much memory may be locked")
    return found


def _who(machine: Machine, folder: str) -> credentials.Credentials:
    found = credentials.parse(_text(machine, f"{folder}/status"), _text(machine, f"{folder}/uid_map"))
    if found is None:
        raise UnreadableError(f"{folder}/status does not tell who the process is")
    return found


def _devices(machine: Machine, tree: Tree) -> dict[str, Device]:
    """Devices of the node that the container has, by whatever name it has them."""
    if not tree.folder("/dev"):
        raise UnreadableError("its /dev cannot be seen: the process may have ended")
    there: dict[Same, dict[str, os.stat_result]] = {}
    for name, status in tree.walk("/dev"):
        there.setdefault(_same(status), {})[name] = status
    paths = (KFD, *(f"{_DRI}/{name}" for name in machine.names(_DRI) if _RENDER.match(name)),
             *(f"{RDMA}/{name}" for name in machine.names(RDMA)))
    seen = ((path, machine.stat(path)) for path in paths)
    return {path: _device(path, there[_same(status)]) for path, status in seen if status and _same(status) in there}


def _device(path: str, names: dict[str, os.stat_result]) -> Device:
    """A device of the node, by the names that it has in the container."""
    name = path if path in names else min(names)
    status = names[name]
    return Device(status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode), "" if name == path else name)


def _same(status: os.stat_result) -> Same:
    """What makes it the same device: its numbers; of a file that stands for one, the file."""
    character = stat.S_ISCHR(status.st_mode)
    return (True, status.st_rdev, 0) if character else (False, status.st_dev, status.st_ino)


def _shared(tree: Tree) -> int | None:
    path = tree.outside("/dev/shm")
    try:
        found = os.statvfs(path)
    except OSError as error:
        raise UnreadableError(f"/dev/shm: {error.strerror}") from None
    return found.f_frsize * found.f_blocks
