# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Ports of RDMA devices with their counters, for a look; ``verbs`` has what opens them.

Counters may ask the device's firmware, so they are read in a child process.
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .._core.formats import host_files
from .._core.look.shape import RdmaPort
from . import verbs
from .machine import Machine

_PATIENCE = 5.0  # seconds
# source: linux:Documentation/ABI/stable/sysfs-class-infiniband
_COUNTERS = ("symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors", "local_link_integrity_errors",
             "excessive_buffer_overrun_errors", "port_xmit_discards")


def read(machine: Machine) -> tuple[RdmaPort, ...]:
    """Return all ports of all devices.

    Raises:
        UnreadableError: a device does not answer, or what it says cannot be read.
    """
    if not machine.names(verbs.CLASS):
        return ()
    ports = machine.apart(lambda: [dc.asdict(port) for port in _ports(machine)])
    return tuple(RdmaPort(**port) for port in ports.result(min(_PATIENCE, machine.left())))


def _ports(machine: Machine) -> t.Iterator[RdmaPort]:
    for device, number, path in verbs.each_port(machine):
        counters = {counter: host_files.number(machine.text(f"{path}/counters/{counter}") or "")
                    for counter in _COUNTERS}
        yield RdmaPort(
            device=device, port=int(number), driver=machine.link_name(f"{verbs.CLASS}/{device}/device/driver"),
            link_layer=machine.word(f"{path}/link_layer"), state=host_files.named(machine.text(f"{path}/state") or ""),
            physical=host_files.named(machine.text(f"{path}/phys_state") or ""),
            rate_gbps=host_files.number(machine.text(f"{path}/rate") or ""),
            counters={counter: number for counter, number in counters.items() if number is not None},
            net_device=verbs.attribute(machine, f"{path}/gid_attrs/ndevs/0"),
        )
