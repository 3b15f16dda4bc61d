# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""One plan for all roles of a node, and what the end table says about it."""

from __future__ import annotations

import collections
import dataclasses as dc
import re
import typing as t
from pathlib import Path

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.way_back import (
    Kept,
    asking_nobody,
    at_home,
    way_back,
    without_newer_headers,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Look
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.whole import WholeLook, whole
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.driver import DriverPolicy, plan_driver
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.firmware import FirmwarePolicy, plan_firmware
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.offers import ask_first
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Plan
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.record import plan_reboot, plan_record
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.rocm import RocmPolicy, plan_rocm
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.wording import counted
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.resolved import Resolved
from ansible_collections.instinct.fleet.plugins.plugin_utils import partitioning
from ansible_collections.instinct.fleet.plugins.plugin_utils.releases import Choices, resolve_release

RECORD = "gpu_release"
PARTITION = partitioning.ROLE
ROLES = ("gpu_firmware", "gpu_driver", "rocm_userspace", "node_maintenance", PARTITION, RECORD)
Values = t.Mapping[str, t.Mapping[str, t.Any]]
_REBOOTING = ("gpu_firmware", "gpu_driver", PARTITION)  # roles whose outcome may need a reboot
# Role -> the roles whose plans its own is made from: why a reboot is needed, and what the node is known to become.
_NEEDS = {"node_maintenance": ("gpu_driver",), RECORD: ("gpu_driver", "rocm_userspace")}
# Variables that say how to act, or where files lie on the controller. All others say what a node should be.
_HOW = re.compile(r"^(?:node_maintenance|gpu_partition_export)_|"
                  r"_(?:allowed|timeout|roles|catalogue_dirs|tasks|activation|wait|stop_units|refresh_units|python)$")


@dc.dataclass(frozen=True)
class NodePlan:
    """The plans of one node, in the order in which they are carried out."""

    look: WholeLook
    wanted: Resolved
    plans: dict[str, Plan]
    partitions: str = ""  # what is wanted of them, where they are asked for

    @property
    def release(self) -> dict[str, t.Any]:
        """The resolved release as plain data."""
        return self.wanted.to_dict()

    @property
    def reboot(self) -> str:
        """Why the node needs a reboot; empty if it does not, or if neither firmware nor driver were planned."""
        return _reboot(self.plans)

    @property
    def left(self) -> list[str]:
        """The steps in words but for the record's, which is written last and not looked at again: to be left with it is
        to be done."""
        return [s.words for role, p in self.plans.items() for s in p.steps
                if role != RECORD and s.action != partitioning.SETTLE]

    def report(self, previous: t.Mapping[str, t.Any] | None, check: bool) -> dict[str, t.Any]:
        """What the end table says; ``previous`` is the report of an earlier plan of this run."""
        todo = [s.words for p in self.plans.values() for s in p.steps]
        left = todo if check else self.left
        planned = list(previous["planned"]) if previous else todo
        done = [words for words in planned if words not in left] if previous or not left else []
        # If the run fails later, only this is known to be done: an older plan had it and this one no longer has.
        proved = [words for words in planned if words not in todo] if previous else []
        return {
            "gpus": self._gpus(), "wanted": ", ".join(filter(None, (self.wanted.name, self.partitions))),
            "found": previous["found"] if previous else self._found(),
            "planned": planned, "changed": planned if check else done, "proved": proved,
            "verdict": self._verdict(bool(left), check), "reboot_required": self.reboot != "",
            "notes": [n for p in self.plans.values() for n in p.notes],
        }

    def _gpus(self) -> str:
        counts = collections.Counter(g.product for g in self.wanted.gpus)
        return ", ".join(f"{n} x {product}" for product, n in sorted(counts.items())) or "none"

    def _found(self) -> str:
        modes = partitioning.found(self.look.gpus) if self.partitions else ""
        return ", ".join(filter(None, (found(self.look), modes)))

    def _verdict(self, todo: bool, check: bool) -> str:
        problems = [problem for p in self.plans.values() for problem in p.problems]
        if problems:
            return "problem: " + "; ".join(problems)
        if self.reboot:
            return "reboot needed: " + self.reboot
        if todo:
            return "would change" if check else "changing"
        whole_plan = {*ROLES} - {PARTITION} <= {*self.plans}
        part = "" if whole_plan else f" ({', '.join(self.plans)} only)"
        return "as wanted" + part


def found(look: Look | WholeLook) -> str:
    """What runs on the node, in the words of the release if it is the recorded one."""
    if look.files and look.files.recorded_release:
        return look.files.recorded_release
    prefixes = look.rocm.prefixes if look.rocm else ()
    rocm = next((p.version for p in prefixes if look.rocm and p.path == look.rocm.active), None)
    driver = look.driver and (look.driver.version or ("in-tree" if look.driver.loaded else None))
    parts = [f"amdgpu {driver}" if driver else "", f"ROCm {rocm}" if rocm else ""]
    return ", ".join(filter(None, parts)) or "nothing"


def glimpse(look: Look) -> dict[str, str]:
    """What can be said of a node that has no plan: how many GPUs, and what runs."""
    return {"gpus": counted(len(look.gpus.gpus), "GPU") if look.gpus else "", "found": found(look)}


def kept(values: Values) -> dict[str, dict[str, t.Any]]:
    """What of the variables a node records: all that it takes to plan for the same state again."""
    return {role: {n: v for n, v in of_role.items() if v is not None and not _HOW.search(n)}
            for role, of_role in values.items() if role != PARTITION or partitioning.asked(of_role)}


def chosen(roles: t.Sequence[str], run_tags: t.Collection[str], skip_tags: t.Collection[str]) -> list[str]:
    """The roles that a run with these tags would enter: a plan must not promise what no role will do."""
    named = [role for role in roles if role in run_tags]
    return [role for role in (named or roles) if role not in skip_tags]


def _reboot(plans: t.Mapping[str, Plan]) -> str:
    return "; ".join(plan.reboot for role, plan in plans.items() if role in _REBOOTING and plan.reboot)


def _firmware(values: Values) -> FirmwarePolicy:
    policy = FirmwarePolicy.from_values(values["gpu_firmware"], values["gpu_release"]["gpu_release_accept"])
    if policy.flash_tasks and not Path(policy.flash_tasks).is_file():
        raise FleetError("gpu_firmware_flash_tasks", f"{policy.flash_tasks} is no file of the control machine",
                         "name a file of tasks that flash")
    return policy


def plan_node(
    look: Look, values: Values, roles: t.Sequence[str], back: Kept | None = None, offline: bool = False,
) -> NodePlan:
    """Plan the roles asked for, and those that their plans are made from.

    ``back``: the way back to what the node kept; ``offline``: from the repositories that are kept on it.

    Raises:
        FleetError: anything that must be refused before the first change.
    """
    there = whole(look)
    seen = without_newer_headers(there, back) if back else there
    driver = values["gpu_driver"]
    wanted = resolve_release(look, values["gpu_release"], Choices.of(values, roles))
    if back and offline:
        wanted = at_home(wanted, back)
    # A role that nobody needs may not refuse the node.
    needed = {*roles, *(other for role in roles for other in _NEEDS.get(role, ()))}
    plans: dict[str, Plan] = {}
    if "gpu_firmware" in needed:
        plans["gpu_firmware"] = plan_firmware(seen, wanted, _firmware(values))
    if "gpu_driver" in needed:
        plans["gpu_driver"] = plan_driver(seen, wanted, DriverPolicy.from_values(driver))
    if "rocm_userspace" in needed:
        plans["rocm_userspace"] = plan_rocm(seen, wanted, RocmPolicy.from_values(values["rocm_userspace"]))
    plans["node_maintenance"] = plan_reboot(_reboot(plans), driver["gpu_driver_reboot_allowed"])
    partitioned = PARTITION in roles and partitioning.asked(values[PARTITION])
    if partitioned:
        products = {gpu.bdf: gpu.product for gpu in wanted.gpus}
        of_role = values[PARTITION]
        plans[PARTITION] = partitioning.plan(seen, products, of_role, kept(values)[PARTITION], plans)
    held = [name for plan in plans.values() for name in plan.held]
    plans[RECORD] = plan_record(seen, wanted, kept(values), held, back.record if back else "")
    entered = {role: plans[role] for role in ROLES if role in roles and role in plans}
    asked = ask_first(seen, way_back(there, entered, back) if back else entered)
    return NodePlan(seen, wanted, asking_nobody(there, asked) if offline else asked,
                    partitioning.wanted(values[PARTITION]) if partitioned else "")
