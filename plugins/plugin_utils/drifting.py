# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The plan of a node for what it recorded, instead of for what the inventory wants."""

from __future__ import annotations

import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Look
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.whole import WholeLook, whole
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import drift
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.record import Record, recorded
from ansible_collections.instinct.fleet.plugins.plugin_utils import partitioning, planning, role_specs

OLD = "recorded by an earlier version of the collection: what its record lacks is taken from the inventory"


def plan_recorded(
    look: Look, values: planning.Values, roles: t.Sequence[str],
) -> tuple[planning.NodePlan | None, dict[str, t.Any]]:
    """The plan for the recorded release, None if nothing was recorded, and how the node differs.

    Raises:
        FleetError: the record cannot be read, or its release cannot be resolved any more.
    """
    seen = whole(look)
    record = recorded(seen)
    if record is None:
        return None, {"unrecorded": "no release was recorded on this node"}
    plan = planning.plan_node(look, as_recorded(values, record), roles)
    plans = {role: drift.without_record(part) for role, part in plan.plans.items()}
    differences = drift.differences(plans.values())
    return planning.NodePlan(seen, plan.wanted, plans, plan.partitions), {
        "release": record.release, "differences": list(differences),
        "moved": list(drift.moved(planning.kept(values), record)), "notes": [OLD] if record.variables is None else [],
        **_last(seen)}


def as_recorded(values: planning.Values, record: Record) -> dict[str, dict[str, t.Any]]:
    """The variables as they were; those that were not recorded are the inventory's."""
    kept = {role: dict(of_role) for role, of_role in (record.variables or {}).items()}
    kept[planning.RECORD] = {**kept.get(planning.RECORD, {}), "gpu_release_name": record.release,
                             "gpu_release_kernel": record.kernel}
    kept["gpu_driver"] = {**kept.get("gpu_driver", {}), "gpu_driver_source": record.source}
    if record.variables is not None and planning.PARTITION not in kept:
        # It was recorded without partitions: what the inventory wants since is no drift.
        values = {**values, planning.PARTITION: partitioning.unasked(values[planning.PARTITION])}
    return {role: role_specs.validated(role, {**of_role, **kept.get(role, {})}) for role, of_role in values.items()}


def _last(seen: WholeLook) -> dict[str, t.Any]:
    """The run that recorded the release: when, who, from what, to what. None where the journal does not tell."""
    entry = next((e for e in reversed(seen.files.journal) if e.what == planning.RECORD), None)
    return {name: getattr(entry, name, None) for name in ("when", "who", "before", "after")}
