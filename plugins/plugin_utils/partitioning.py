# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The partition part of a node's plan: there only where the inventory asks for partitions."""

from __future__ import annotations

import collections
import dataclasses as dc
import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import Gpus
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.whole import WholeLook
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.plan_role import (
    PartitionPolicy,
    plan_partition,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.reading import read_capabilities
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Plan, Step
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.record import readable
from ansible_collections.instinct.fleet.plugins.plugin_utils import partition_files

ROLE = "gpu_partition"
SETTLE = "settle"  # writes what boots and what tells of devices; no look sees that, so it is done by the record
# Steps after which the driver is another or loaded anew, and modes are what the driver makes of them.
_LOADING = {"gpu_driver": "load", "node_maintenance": "reboot"}
Given = t.Mapping[str, t.Any]


def asked(of_role: Given) -> bool:
    """Whether the role's variables want partitions."""
    return bool(of_role["gpu_partition_profile"] or of_role["gpu_partition_gpus"])


def unasked(of_role: Given) -> dict[str, t.Any]:
    """The same variables of a node that wants none."""
    return {**of_role, "gpu_partition_profile": "", "gpu_partition_gpus": []}


def plan(look: WholeLook, products: t.Mapping[str, str], of_role: Given, kept: Given,
         others: t.Mapping[str, Plan]) -> Plan:
    """The plan of gpu_partition.

    Args:
        look: at the node.
        products: PCI address -> product, by the catalogue: without a driver nothing on the node says it.
        of_role: the role's variables.
        kept: what of them a node records.
        others: plans of the roles that act before it.

    Raises:
        FleetError: there is no such profile, or it does not fit the node.
    """
    gpus = tuple(dc.replace(gpu, product=gpu.product or products.get(gpu.bdf)) for gpu in look.gpus.gpus)
    look = dc.replace(look, gpus=dc.replace(look.gpus, gpus=gpus))
    directories = list(of_role["gpu_partition_catalogue_dirs"])
    profile = partition_files.chosen(
        directories, of_role["gpu_partition_profile"], of_role["gpu_partition_gpus"], "gpu_partition_")
    made = plan_partition(look, profile, read_capabilities(partition_files.capabilities(directories)),
                          PartitionPolicy.from_values(of_role))
    why = next((f"once {step.words}" for role, action in _LOADING.items() if role in others
                for step in others[role].of(action)), "")
    if why and not made.steps:
        # What waits for the driver waits for what comes; what is right now may be lost with it.
        return dc.replace(made, steps=(Step("apply", f"partition the GPUs: {wanted(of_role)}, {why}"),), problems=())
    before = readable(look)
    recorded = (before.variables or {}).get(ROLE) if before else None
    if made.problems or recorded == kept:
        return made
    return dc.replace(made, steps=(*made.steps, Step(SETTLE, f"keep partitions over reboots: {wanted(of_role)}")))


def wanted(of_role: Given) -> str:
    """What is wanted, in few words."""
    rules = ", ".join(f"{rule['compute']}/{rule['memory']}" for rule in of_role["gpu_partition_gpus"])
    return str(of_role["gpu_partition_profile"] or rules)


def found(gpus: Gpus) -> str:
    """What the GPUs are now: SPX/NPS1, or 4 x SPX/NPS1, 4 x CPX/NPS1."""
    modes = collections.Counter(f"{gpu.compute_partition or '?'}/{gpu.memory_partition or '?'}" for gpu in gpus.gpus)
    if len(modes) < 2:
        return "".join(modes)
    return ", ".join(f"{many} x {mode}" for mode, many in sorted(modes.items()))
