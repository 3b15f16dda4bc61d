# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The GPUs and the bridges above them: links, atomics, access control, BARs, errors."""

from __future__ import annotations

import typing as t

from .._core.formats import pci_config
from .._core.look.gpus import OFF_THE_BUS, Link
from .._core.look.readings import speed_mts, whole
from .._core.look.shape import PciDevice
from .machine import Machine
from .notes import Notes
from .pci import DEVICES, Function

_ASLEEP = "it is suspended, reading this would wake it"
_SHORT = "configuration space beyond its header needs root"
_NO_EXTENDED = "the kernel cannot read extended configuration space"
_ERRORS = ("aer_dev_correctable", "aer_dev_fatal", "aer_dev_nonfatal")
_LINK = (("current_link_width", whole), ("max_link_width", whole),
         ("current_link_speed", speed_mts), ("max_link_speed", speed_mts))


def read(machine: Machine, functions: t.Sequence[Function], notes: Notes) -> tuple[PciDevice, ...]:
    """Return the GPUs, then what is above them, each once. What cannot be read is noted under ``devices``."""
    paths = {function.bdf: _path(machine, function.bdf, notes) for function in functions}
    above = {bdf: parents[-1] if parents else None for bdf, parents in paths.items()}
    for parents in paths.values():
        above.update(dict(zip(parents, (None, *parents))))
    return tuple(notes.attempt(f"devices.{bdf}", None, _device, machine, bdf, parent, bdf in paths, notes)
                 or PciDevice(bdf, "", "", _kind(bdf in paths, parent), parent) for bdf, parent in above.items())


def _path(machine: Machine, bdf: str, notes: Notes) -> tuple[str, ...]:
    """Return the bridges above a GPU, the root port first."""
    return pci_config.path(notes.attempt(f"devices.{bdf}", "", machine.real, f"{DEVICES}/{bdf}"))[:-1]


def _kind(gpu: bool, parent: str | None) -> str:
    if gpu:
        return "gpu"
    return "bridge" if parent else "root_port"


def _device(machine: Machine, bdf: str, parent: str | None, gpu: bool, notes: Notes) -> PciDevice:
    machine.left()
    path, field = f"{DEVICES}/{bdf}", f"devices.{bdf}"
    vendor, device = ((machine.word(f"{path}/{name}") or "")[2:] for name in ("vendor", "device"))
    config = _config(machine, path, field, notes)
    express = pci_config.express(config)
    placed, unplaced = pci_config.resources(
        notes.attempt(f"{field}.bars", None, machine.text, f"{path}/resource") or "", config)
    correctable, *fatal = (_errors(machine, path, field, name, notes) for name in _ERRORS)
    told = [number for number in fatal if number is not None]
    return PciDevice(
        bdf=bdf, vendor=vendor, device=device, above=parent, kind=_kind(gpu, parent),
        link=_link(machine, path, express) if config else Link(), bars=placed, bars_unplaced=unplaced,
        acs=pci_config.acs_control(config), atomics=express.atomics if express else None,
        atomics_requested=express.atomics_requested if express else None,
        aer_correctable=correctable, aer_fatal=sum(told) if told else None,
    )


def _config(machine: Machine, path: str, field: str, notes: Notes) -> bytes:
    """Return what can be read of configuration space, nothing of a device that is asleep or gone; note what lacks."""
    if machine.word(f"{path}/power/runtime_status") in ("suspended", "suspending"):
        notes.setdefault(field, _ASLEEP)
        return b""
    config = machine.data(f"{path}/config") or b""
    if pci_config.lost(config):
        notes.setdefault(field, OFF_THE_BUS)
        return b""
    if len(config) < pci_config.WHOLE:
        notes.update({f"{field}.{name}": _SHORT for name in ("acs", "atomics", "atomics_requested")})
    elif len(config) == pci_config.WHOLE and pci_config.express(config):
        notes[f"{field}.acs"] = _NO_EXTENDED
    return config


def _errors(machine: Machine, path: str, field: str, name: str, notes: Notes) -> int | None:
    return pci_config.aer_total(notes.attempt(f"{field}.{name}", None, machine.text, f"{path}/{name}") or "")


def _link(machine: Machine, path: str, express: pci_config.Express | None) -> Link:
    """Return the link from the capability; without that as the PCI core tells it, whom everybody may ask."""
    if express:
        return Link(express.width, express.max_width, express.speed_mts, express.max_speed_mts)
    return Link(*(read(machine.word(f"{path}/{name}")) for name, read in _LINK))
