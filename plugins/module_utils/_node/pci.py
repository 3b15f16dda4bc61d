# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""AMD accelerators on the PCI bus, whether a driver is bound to them or not."""

from __future__ import annotations

import dataclasses as dc

from .._core.look.readings import CLASSES, VENDOR
from .machine import Machine

DEVICES = "/sys/bus/pci/devices"
_FILES = ("device", "numa_node", "current_link_width", "max_link_width", "current_link_speed", "max_link_speed",
          "local_cpulist")


@dc.dataclass(frozen=True)
class Function:
    """One PCI function. ``attributes`` are sysfs words; the PCI core answers them without waking the device."""

    bdf: str
    attributes: dict[str, str]
    asleep: bool
    virtual: bool


def read(machine: Machine) -> tuple[Function, ...]:
    """Return all AMD accelerators in PCI order.

    Raises:
        UnreadableError: the bus cannot be read.
    """
    found = []
    for bdf in machine.names(DEVICES):
        path = f"{DEVICES}/{bdf}"
        if machine.word(f"{path}/vendor") == VENDOR and (machine.word(f"{path}/class") or "").startswith(CLASSES):
            found.append(_function(machine, bdf, path))
    return tuple(found)


def _function(machine: Machine, bdf: str, path: str) -> Function:
    words = {name: machine.word(f"{path}/{name}") for name in _FILES}
    words["driver"] = machine.link_name(f"{path}/driver")
    return Function(
        bdf=bdf, attributes={name: word for name, word in words.items() if word is not None},
        asleep=machine.word(f"{path}/power/runtime_status") in ("suspended", "suspending"),
        virtual=machine.exists(f"{path}/physfn"),
    )
