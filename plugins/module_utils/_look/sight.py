# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""One look: the sections asked for, each read once, each with the time it took."""

from __future__ import annotations

import dataclasses as dc
import functools
import time
import typing as t

from .._core.look import health_merge, kfd, readings
from .._core.look import shape as look
from .._node import (
    baseboard,
    boot,
    devices,
    dkms,
    driver,
    files,
    kernel,
    nics,
    packages,
    pci,
    processes,
    repositories,
    rocm,
    system,
    topology,
)
from .._node.apart import UnreadableError
from .._node.machine import Machine
from .._node.notes import Notes
from .._smi.library import Library
from .._smi.port import Answer, GpuSource
from .._smi.sysfs import Sysfs
from .._smi.sysfs_health import SysfsHealth
from .wanted import NOTHING, Wanted

_LATE = frozenset({"dkms", "smi", "gpus", "firmware", "health"})  # sections whose answers are worth waiting for last
_ASKED = frozenset({"smi", "gpus", "firmware", "health"})  # sections that need answers of a child
_SPARE = 0.5  # seconds kept for printing the result


class Sight:
    """Reads sections of a machine. What two sections need is read once."""

    def __init__(self, machine: Machine, wanted: Wanted = NOTHING) -> None:
        self._machine = machine
        self._wanted = wanted
        self._notes = Notes()
        self._healthy = False  # whether the library is asked for health as well

    def take(self, sections: t.Collection[str]) -> look.Look:
        """Return the look with these sections; the others are None."""
        self._healthy = "health" in sections
        if self._healthy:
            self._sysfs_health  # noqa: B018
        if _ASKED & set(sections):
            self._sources  # noqa: B018  the children start now and read while we read the rest
        if "gpus" in sections:
            self._partitions  # noqa: B018  64 of them take a while, which no answer needs to wait for
        if "firmware" in sections:
            self._baseboard  # noqa: B018
        if "dkms" in sections:
            self._dkms  # noqa: B018
        found: dict[str, t.Any] = {}
        elapsed: dict[str, int] = {}
        for name in sorted(sections, key=lambda section: section in _LATE):
            start = time.monotonic()
            found[name] = getattr(self, f"read_{name}")()
            elapsed[name] = round((time.monotonic() - start) * 1000)
        return look.Look(elapsed_ms=elapsed, **found)

    # Parts that several sections need.

    @functools.cached_property
    def _functions(self) -> tuple[pci.Function, ...]:
        return self._notes.attempt("gpus", (), pci.read, self._machine)

    @functools.cached_property
    def _sources(self) -> tuple[GpuSource | None, GpuSource]:
        # Without a GPU the library has nothing to say, and some versions loop then (seen with library 24.7).
        library = Library(self._machine, self._functions, self._healthy) if self._functions else None
        return library, Sysfs(self._machine, self._functions)

    @functools.cached_property
    def _answers(self) -> tuple[Answer, Answer]:
        library, sysfs = self._sources
        none = Answer(look.Smi(error="no AMD accelerator on the PCI bus"), health=look.Health(pids=()))
        return (library.answer(self._left()) if library else none), sysfs.answer(self._left())

    @functools.cached_property
    def _sysfs_health(self) -> SysfsHealth:
        return SysfsHealth(self._machine, self._functions)

    def _left(self) -> float:
        try:
            return max(self._machine.left() - _SPARE, 0.1)
        except UnreadableError:
            return 0.1

    @functools.cached_property
    def _readings(self) -> dict[str, readings.Reading]:
        library, sysfs = self._answers
        return {bdf: readings.merge(library.readings.get(bdf), found) for bdf, found in sysfs.readings.items()}

    @functools.cached_property
    def _partitions(self) -> dict[str, tuple[tuple[int, kfd.Node], ...]]:
        nodes = self._notes.attempt("partitions", (), topology.read, self._machine)
        return kfd.partitions(nodes, [function.bdf for function in self._functions])

    def _kfd_nodes(self) -> list[tuple[str, kfd.Node]]:
        return [(bdf, node) for bdf, members in self._partitions.items() for _number, node in members]

    @functools.cached_property
    def _dkms(self) -> dkms.Question:
        return dkms.Question(self._machine)

    @functools.cached_property
    def _baseboard(self) -> baseboard.Question:
        return baseboard.Question(self._machine)

    @functools.cached_property
    def _kernel(self) -> look.Kernel:
        return kernel.read(self._machine)

    @functools.cached_property
    def _os(self) -> look.Os:
        return system.read(self._machine)

    @functools.cached_property
    def _driver(self) -> look.Driver:
        return driver.read(self._machine, self._kernel.running, self._kernel.next_boot)

    # One method for each section, called by its name.

    def read_os(self) -> look.Os:
        """Read the section."""
        return self._os

    def read_kernel(self) -> look.Kernel:
        """Read the section."""
        return self._kernel

    def read_packages(self) -> look.Packages:
        """Read the section."""
        return packages.read(self._machine, self._wanted.packages)

    def read_repositories(self) -> look.Repositories:
        """Read the section."""
        return repositories.read(self._machine)

    def read_dkms(self) -> look.Dkms:
        """Read the section."""
        return self._dkms.answer()

    def read_driver(self) -> look.Driver:
        """Read the section."""
        return self._driver

    def read_boot(self) -> look.Boot:
        """Read the section."""
        return boot.read(self._machine, self._os.id, self._kernel, self._driver)

    def read_firmware(self) -> look.Firmware:
        """Read the section."""
        library, _sysfs = self._answers
        gpus, unknown = [], {}
        for bdf, reading in self._readings.items():
            told = library.readings.get(bdf)
            source = "amdsmi" if told and told.firmware else "sysfs"
            found, missing = readings.firmware(bdf, reading, source,
                                               None if told else library.smi.error or readings.NOT_LISTED)
            gpus += [found] if found else []
            unknown.update(missing)
        board, of_board = self._baseboard.answer(self._left())
        cards, of_cards = nics.read(self._machine)
        return look.Firmware(tuple(gpus), ("amdsmi" if library.readings else "sysfs") if gpus else None, board, cards,
                             {**unknown, **of_board, **of_cards})

    def read_rocm(self) -> look.Rocm:
        """Read the section."""
        return rocm.read(self._machine)

    def read_smi(self) -> look.Smi:
        """Read the section."""
        library, sysfs = self._answers
        return library.smi if library.smi.source == "amdsmi" else dc.replace(library.smi, source=sysfs.smi.source)

    def read_gpus(self) -> look.Gpus:
        """Read the section."""
        library, _sysfs = self._answers
        gpus, unknown = [], {}
        for index, function in enumerate(self._functions):
            reading = self._readings[function.bdf]
            parts = tuple(_partition(number, node) for number, node in self._partitions.get(function.bdf, ()))
            gpu = readings.gpu(index, function.bdf, function.attributes, reading, parts)
            gpus.append(dc.replace(gpu, xgmi_peers=self._peers(function.bdf)))
            unknown.update({f"{function.bdf}.{field}": why for field, why in reading.unknown.items()})
            if library.smi.source == "amdsmi" and function.bdf not in library.readings:
                unknown[f"{function.bdf}.uuid"] = readings.NOT_LISTED
        return look.Gpus(tuple(gpus), {**self._notes, **unknown})

    def _peers(self, bdf: str) -> tuple[str, ...] | None:
        """GPUs that one is linked to. The first partition has the links of all."""
        owners = {node.number: owner for owner, node in self._kfd_nodes()}
        first = next((number for number, owner in owners.items() if owner == bdf), None)
        return None if first is None else self._notes.attempt(f"{bdf}.xgmi_peers", None, lambda: kfd.peers(
            topology.links(self._machine, first), owners, bdf))

    def read_devices(self) -> look.Devices:
        """Read the section."""
        seen = devices.read(self._machine, [function.bdf for function in self._functions], self._kfd_nodes())
        return dc.replace(seen, unknown={**self._missing("nodes"), **seen.unknown})

    def read_processes(self) -> look.Processes:
        """Read the section."""
        loaded = self._machine.exists("/sys/module/amdgpu")
        seen = processes.read(self._machine, loaded, self._kfd_nodes())
        return dc.replace(seen, unknown={**self._missing("processes.gpus"), **seen.unknown})

    def _missing_gpus(self) -> dict[str, str]:
        return {"gpus": self._notes["gpus"]} if "gpus" in self._notes else {}

    def _missing(self, field: str) -> dict[str, str]:
        """Return the reason for a field that needs the topology, if that could not be read."""
        return {field: self._notes["partitions"]} if "partitions" in self._notes else {}

    def read_health(self) -> look.Health:
        """Read the section."""
        library, _sysfs = self._answers
        virtual = {bdf for bdf, reading in self._readings.items() if reading.virtual_function}
        seen = health_merge.merge(library.health, self._sysfs_health.answer(self._left()), virtual)
        return dc.replace(seen, unknown={**self._missing_gpus(), **seen.unknown})

    def read_host(self) -> look.Host:
        """Read the section."""
        from .._node import host  # noqa: PLC0415  only a look that asks for it pays for it

        return host.read(self._machine, self._functions)

    def read_log(self) -> look.Log:
        """Read the section."""
        from .._node import logs  # noqa: PLC0415  only a look that asks for it pays for it

        return logs.read(self._machine, self._wanted.log_patterns, self._wanted.log_boots)

    def read_settings(self) -> look.Settings:
        """Read the section."""
        from .._node import settings  # noqa: PLC0415  only a look that asks for it pays for it

        return settings.read(self._machine, self._wanted.setting_names)

    def read_files(self) -> look.Files:
        """Read the section."""
        return files.read(self._machine, self._wanted.files)


def _partition(number: int, node: kfd.Node) -> look.Partition:
    minor = node.render_minor
    return look.Partition(id=number, render_node=None if minor is None else f"/dev/dri/renderD{minor}",
                          kfd_node=node.number, kfd_id=node.gpu_id, rocr_uuid=node.rocr_uuid)
