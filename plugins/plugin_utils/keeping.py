# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The plan of a node for what it kept of itself."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.way_back import Kept
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Look
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.record import Record, parse
from ansible_collections.instinct.fleet.plugins.plugin_utils import drifting, planning


def plan_kept(
    look: Look, values: planning.Values, roles: t.Sequence[str], kept: t.Any, offline: bool,
) -> planning.NodePlan:
    """The plan for a snapshot; ``kept`` is what node_snapshot_info returned of it.

    ``offline``: from the repositories that are kept on the node. Where nothing was kept, from the release's own.

    Raises:
        FleetError: the snapshot is none, or its release cannot be resolved any more.
    """
    found = Kept.from_dict(kept)
    record = parse(found.record, f"snapshot {found.id}")
    if record.release != found.release:
        raise DataError(f"snapshot {found.id}", f"names {found.release}, and its record {record.release}",
                        "take another snapshot")
    known = dc.replace(record, kernel=_kernel(look, record, found))
    return planning.plan_node(look, drifting.as_recorded(values, known), roles, found, offline and bool(found.mirrors))


def _kernel(look: Look, record: Record, kept: Kept) -> str | None:
    """The kernel to go back to. Where none was named, none is while the node runs and boots that one all the same."""
    here = look.kernel
    if record.kernel is None and here and {here.running, here.next_boot or kept.kernel} == {kept.kernel}:
        return None
    return record.kernel or kept.kernel
