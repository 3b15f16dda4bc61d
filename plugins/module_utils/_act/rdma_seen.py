# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""RDMA of a node: what is there, read where each thing is kept, and the program that opens every device."""

from __future__ import annotations

import dataclasses as dc
import glob
import typing as t

from .._core.formats import dcb, ibv_devinfo
from .._core.rdma.catalogue import Catalogue
from .._core.rdma.plan import PATHS
from .._core.rdma.seen import Port, Seen
from .._core.rdma.shape import VerbsDevice
from .._core.rdma.wish import Wish
from .._node import host, limits, packages, system, verbs
from .._node.apart import UnreadableError
from .._node.machine import Machine
from .._node.notes import Notes
from .files import see

_PEER = "/sys/kernel/mm/memory_peers/amdkfd"  # source: ROCm/amdgpu#102
_MODULES = "/sys/module"
_SECONDS = 20.0
_NOT_FOUND = 127  # source: env(1)
_INIT = "systemd"


def seen(catalogue: Catalogue, wish: Wish, root: str = "/", timeout: float = 60.0) -> Seen:
    """The node, as far as RDMA goes. What cannot be read is noted and unknown."""
    machine, notes = Machine(root, timeout), Notes()
    there = packages.read(machine, catalogue.packages)
    known = {one.name: one.version for one in there.installed if one.state == "installed"}
    if "installed" in there.unknown:
        notes["packages"] = there.unknown["installed"]
    running, roce = system.read(machine), wish.roce
    modules = frozenset(notes.attempt("modules", (), _modules, machine))
    ports = notes.attempt("ports", (), verbs.ports, machine)
    devices = notes.attempt("devices", (), verbs.devices, machine)
    return Seen(
        manager=there.manager, packages=None if "packages" in notes else known, holds=frozenset(there.holds),
        modules=modules, drivers=notes.attempt("drivers", {}, _drivers, machine, modules & set(catalogue.modules)),
        nics=notes.attempt("nics", (), verbs.nics, machine), devices=devices, ports=ports,
        said=notes.attempt("said", None, _said, machine, devices) if devices else None,
        dcb=notes.attempt("dcb", {}, _dcb, machine, ports) if (roce.pfc, roce.dscp) != (None, None) else {},
        peer=machine.exists(_PEER), options=notes.attempt("options", None, host.kernel_config, machine),
        memlock={one.process: one.memlock_bytes for one in limits.read(machine, notes) if one.process != _INIT},
        paths=frozenset(found for pattern in catalogue.paths for found in glob.glob(machine.outside(pattern))),
        files={path: see(machine.outside(path)) for path in PATHS}, unknown=notes,
        system=f"{running.id} {running.version_id}" if running.id and running.version_id else "",
    ).without(wish.ignored)


def _modules(machine: Machine) -> tuple[str, ...]:
    """Modules that are loaded, and those that are part of the kernel: these have a folder only if they have parameters.

    source: linux:Documentation/kbuild/kbuild.rst, modules.builtin
    """
    built_in = machine.text(f"/lib/modules/{machine.word('/proc/sys/kernel/osrelease')}/modules.builtin") or ""
    names = (line.rpartition("/")[2].partition(".")[0].replace("-", "_") for line in built_in.split())
    return (*machine.names(_MODULES), *names)


def _drivers(machine: Machine, names: t.Collection[str]) -> dict[str, str]:
    """Versions of loaded modules: what is part of the kernel has that of the kernel."""
    release = machine.word("/proc/sys/kernel/osrelease")
    found = {name: machine.word(f"{_MODULES}/{name}/version") or release for name in sorted(names)}
    return {name: version for name, version in found.items() if version}


def _said(machine: Machine, devices: t.Sequence[VerbsDevice]) -> ibv_devinfo.Said:
    """What ibv_devinfo says. It ends with an error where there is no device, and says so, which is an answer too."""
    ran = machine.run("env", "IBV_SHOW_WARNINGS=1", "ibv_devinfo", most=_SECONDS)
    if ran.code == _NOT_FOUND:
        raise UnreadableError("ibv_devinfo is not installed")
    said = ibv_devinfo.parse(ran.stdout, ran.stderr)
    if all(device.name in said.devices for device in devices):
        return said
    try:
        return dc.replace(said, taken=ibv_devinfo.names(machine.run("ibv_devinfo", "-l", most=_SECONDS).stdout))
    except UnreadableError:  # what is said already counts
        return said


def _dcb(machine: Machine, ports: t.Sequence[Port]) -> dict[str, dcb.Dcb]:
    """What dcb says of the interfaces; with -N, or it has names for numbers: CS3 for DSCP 24."""
    found = {}
    for name in dict.fromkeys(port.interface for port in ports if port.interface):
        flow, app = (machine.run("dcb", *words, name, part, most=_SECONDS) for words, part in (
            (("pfc", "show", "dev"), "prio-pfc"), (("-N", "app", "show", "dev"), "dscp-prio")))
        for ran, what in ((flow, "pfc"), (app, "app")):
            if ran.code:
                raise UnreadableError(f"dcb {what} show dev {name}: {' '.join(ran.stderr.split())[:200]}")
        one = dcb.parse(flow.stdout, app.stdout)
        found.update({name: one} if one else {})
    return found
