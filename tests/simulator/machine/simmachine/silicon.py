# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The GPUs of a product as parameters of the module that puts them on the bus: the values of the state."""

from __future__ import annotations

import sys

from simhost.errors import SimError
from simhost.paths import SIMULATOR

sys.path.insert(0, str(SIMULATOR / "node"))

from instinct_sim import errors, machine, product


def parameters(name: str, gpus: int) -> str:
    """Words for insmod.

    Raises:
        SimError: there is no such product, or it has no place for that many GPUs.
    """
    try:
        state = product.new_state(name, gpus)
    except errors.SimError as error:
        raise SimError(str(error)) from error
    found = machine.gpus(state)
    first = found[0]
    each = {
        "bus": [f"0x{gpu.bdf.split(':')[1]}" for gpu in found],
        "numa": [gpu["numa_node"] for gpu in found],
        "kfd_id": [gpu["kfd_id"] for gpu in found],
        "serial": [gpu["serial"] for gpu in found],
    }
    common = {
        "device": first["device_id"],
        "subsystem": first["subsystem_id"],
        "revision": first["revision_id"],
        "gfx_target": first["gfx_target_version"],
        "compute_units": first["compute_units"],
        "xcc": first["xcc"],
        "minors": first["minors"],
        "vram_mib": first["vram_mib"],
        "hive": first["hive"],
        "speed": first["pcie.generation"],
        "width": first["pcie.width"],
    }
    return " ".join(f"{key}={value}" for key, value in [*common.items(), *((k, ",".join(v)) for k, v in each.items())])


def processors(name: str) -> int:
    """How many NUMA nodes a machine with that product has.

    Raises:
        SimError: there is no such product.
    """
    try:
        return int(product.load(name)["numa_nodes"])
    except errors.SimError as error:
        raise SimError(str(error)) from error
