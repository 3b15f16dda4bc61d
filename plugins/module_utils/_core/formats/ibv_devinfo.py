# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What ibv_devinfo says of RDMA devices, and what libibverbs complains of on the way.

source: linux-rdma/rdma-core:libibverbs/examples/devinfo.c; libibverbs/init.c
"""

from __future__ import annotations

import dataclasses as dc
import re

_ABI = re.compile(r"Driver (?P<provider>\w+) does not support the kernel ABI of (?P<abi>\d+) "
                  r"\(supports (?P<low>\d+) to (?P<high>\d+)\)(?: for device \S*/(?P<device>[^/\s]+))?")
_NO_LIBRARY = re.compile(r"couldn't load driver '(?P<library>[^']+)'")
_NO_USERSPACE = re.compile(r"no userspace device-specific driver found for (?P<device>\S+)")
_FIELD = re.compile(r"^\s*([a-z_]+):\s+(.*?)\s*$")


@dc.dataclass(frozen=True)
class Complaint:
    """A provider that does not speak the ABI of a device's kernel driver. ``device``: mlx5_0; empty: not told."""

    provider: str
    abi: int
    low: int
    high: int
    device: str


@dc.dataclass(frozen=True)
class Listed:
    """A device that libibverbs opens: its fields, and those of each port: fw_ver, link_layer, state, active_mtu."""

    name: str
    fields: dict[str, str]
    ports: dict[int, dict[str, str]]


@dc.dataclass(frozen=True)
class Said:
    """What a run of ibv_devinfo said.

    Attributes:
        devices: by name.
        complaints: of ABIs.
        unloaded: libraries that libibverbs could not load.
        unserved: devices in /sys that no provider serves, which is said where IBV_SHOW_WARNINGS is set.
        taken: devices that a provider takes, whether or not they open, as ``ibv_devinfo -l`` lists them.
    """

    devices: dict[str, Listed] = dc.field(default_factory=dict)
    complaints: tuple[Complaint, ...] = ()
    unloaded: tuple[str, ...] = ()
    unserved: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()


def parse(out: str, err: str) -> Said:
    """Read both outputs of ``ibv_devinfo``."""
    devices: dict[str, Listed] = {}
    fields: dict[str, str] = {}
    for line in out.splitlines():
        match = _FIELD.match(line)
        if not match:
            continue
        key, value = match.groups()
        if key == "hca_id":
            listed = Listed(value, {}, {})
            devices[value], fields = listed, listed.fields
        elif key == "port" and devices and value.isdigit():
            fields = listed.ports.setdefault(int(value), {})
        else:
            fields[key] = value
    return Said(
        devices,
        tuple(Complaint(found["provider"], int(found["abi"]), int(found["low"]), int(found["high"]),
                        found["device"] or "") for found in _ABI.finditer(err)),
        tuple(dict.fromkeys(found["library"] for found in _NO_LIBRARY.finditer(err))),
        tuple(dict.fromkeys(found["device"] for found in _NO_USERSPACE.finditer(err))),
    )


def names(out: str) -> tuple[str, ...]:
    """Read ``ibv_devinfo -l``: how many devices there are, and one on each line."""
    return tuple(line.strip() for line in out.splitlines() if line.startswith("\t") and line.strip())
