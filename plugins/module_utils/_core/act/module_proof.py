# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which amdgpu is in the kernel, which one modprobe would load, and whether that is the wanted one."""

from __future__ import annotations

import dataclasses as dc
import posixpath
import typing as t

from ..errors import FleetError
from ..formats.modinfo import kind as kind_of
from ..formats.modinfo import parse_output

MODULE = "amdgpu"


@dc.dataclass(frozen=True)
class OnDisk:
    """The module that modprobe would load. ``kind``: dkms, in_tree, other."""

    path: str
    kind: str
    version: str
    srcversion: str


@dc.dataclass(frozen=True)
class Loaded:
    """The module in the kernel. The in-tree module has no version."""

    initstate: str
    version: str
    srcversion: str


@dc.dataclass(frozen=True)
class Wanted:
    """What the caller expects. Empty texts are not checked."""

    state: str  # loaded, reloaded
    kind: str
    gpus: int
    version: str = ""
    srcversion: str = ""


def parse_on_disk(modinfo: str, kernel: str, dkms_links: t.Collection[str]) -> OnDisk:
    """Read the output of modinfo.

    Raises:
        FleetError: there is no such module for the kernel.
    """
    fields = parse_output(modinfo)
    path = fields.get("filename", "")
    if not path.startswith("/"):
        what = "is not there as a module" if path else "is not there"
        raise FleetError(f"{MODULE} for kernel {kernel}", what, "install the driver for this kernel first")
    relative = posixpath.normpath(path).partition(f"/{kernel}/")[2]
    kind = kind_of(relative, dkms_links, kernel)
    return OnDisk(path, kind, fields.get("version", ""), fields.get("srcversion", ""))


def refuse_other(disk: OnDisk, wanted: Wanted) -> None:
    """Refuse to load anything but the wanted module.

    Raises:
        FleetError: the module on disk is of another kind, version or source.
    """
    if disk.kind != wanted.kind:
        what = f"modprobe would load {_words(disk.kind)} module, wanted is {_words(wanted.kind)} one"
        build, remove = "build the driver for this kernel first", "remove the packages of the other driver first"
        raise FleetError(disk.path, what, build if wanted.kind == "dkms" else remove)
    for name in ("version", "srcversion"):
        found, expected = getattr(disk, name), getattr(wanted, name)
        if expected and found != expected:
            raise FleetError(
                disk.path, f"{name} is {found or 'missing'}, wanted is {expected}", "build the driver anew"
            )


def _words(kind: str) -> str:
    return {"dkms": "the DKMS", "in_tree": "the in-tree"}.get(kind, "a foreign")


def next_step(disk: OnDisk, loaded: Loaded | None, wanted: Wanted) -> str:
    """What to do: ``load``, ``reload``, or nothing.

    Raises:
        FleetError: another module is loaded and only loading was asked for.
    """
    if loaded is None:
        return "load"
    if wanted.state == "reloaded":
        return "reload"
    refuse_stale(disk, loaded, "reload it (state: reloaded) or reboot")
    return ""


def refuse_stale(disk: OnDisk, loaded: Loaded, hint: str) -> None:
    """Refuse to call it done while the kernel runs another module.

    Raises:
        FleetError: the loaded module is not the one on disk.
    """
    if (loaded.version, loaded.srcversion) != (disk.version, disk.srcversion):
        what = f"loaded is {_named(loaded)}, on disk is {_named(disk)}"
        raise FleetError(MODULE, what, hint)


def _named(module: Loaded | OnDisk) -> str:
    return f"{module.version or 'no version'} (srcversion {module.srcversion or 'unknown'})"


def line(module: Loaded | OnDisk | None) -> str:
    """The module in one line, for the diff; empty if there is none."""
    return f"{MODULE} {_named(module)}\n" if module else ""


def refuse_busy(holders: t.Mapping[int, str]) -> None:
    """Refuse to take the driver away from processes.

    Raises:
        FleetError: names the processes (pid -> command).
    """
    if holders:
        names = ", ".join(f"{pid} {command}".strip() for pid, command in sorted(holders.items()))
        what = f"cannot be reloaded: {len(holders)} {'process holds' if len(holders) == 1 else 'processes hold'} GPUs"
        raise FleetError(MODULE, f"{what} ({names})", "drain the node first")


def refuse_missing(wanted: int, found: int, unbound: t.Sequence[str], seconds: float) -> None:
    """Refuse to call it done with GPUs missing.

    Raises:
        FleetError: says how many of the GPUs KFD shows, and which devices have no driver.
    """
    if found != wanted:
        rest = f"; without driver: {', '.join(unbound)}" if unbound else ""
        what = f"KFD shows {found} of {wanted} GPUs after {seconds:.0f} s{rest}"
        raise FleetError(MODULE, what, "read the kernel log for their probe (journalctl -k -g amdgpu)")
