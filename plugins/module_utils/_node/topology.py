# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The GPU nodes of the KFD topology."""

from __future__ import annotations

from .._core.look import kfd
from .apart import UnreadableError
from .machine import Machine

_NODES = "/sys/class/kfd/kfd/topology/nodes"


def links(machine: Machine, node: int) -> tuple[str, ...]:
    """Return the properties of every link from a node. Errors as of ``read``; every GPU has one, to a processor."""
    directory = f"{_NODES}/{node}/io_links"
    found = tuple(machine.text(f"{directory}/{name}/properties") or "" for name in machine.names(directory))
    if not found:
        raise UnreadableError(f"there is no link in {directory}")
    return found


def read(machine: Machine) -> tuple[kfd.Node, ...]:
    """Return the GPU nodes; none if KFD is not there.

    Raises:
        UnreadableError: a file cannot be read: a device cgroup may hide nodes.
        DataError: a file is not of the form it must have.
    """
    nodes = []
    for name in machine.names(_NODES):
        directory = f"{_NODES}/{name}"
        gpu_id = machine.word(f"{directory}/gpu_id") or "0"
        if gpu_id == "0":  # a CPU: its other files need not be read
            continue
        properties = kfd.parse_properties(machine.text(f"{directory}/properties") or "")
        banks = [machine.text(f"{directory}/mem_banks/{bank}/properties") or ""
                 for bank in machine.names(f"{directory}/mem_banks")]
        node = kfd.node(int(name), int(gpu_id), properties, kfd.memory(banks))
        if node is not None:
            nodes.append(node)
    return tuple(sorted(nodes, key=lambda n: n.number))
