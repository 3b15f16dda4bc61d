# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From (profile wanted, node seen) to the steps of gpu_partition."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from ..look.whole import WholeLook
from ..plan.plan import Plan, Step
from .busy import holders, refuse_busy
from .capabilities import Capabilities
from .circumstances import Circumstances, NotReadyError
from .claims import Claim, read_claims, refuse_unfit
from .layout import layout
from .profile import Profile
from .select import wanted
from .shape import Change, Transition
from .transition import transition
from .unit_names import unit_names

ROLE, ACTION = "gpu_partition", "apply"


@dc.dataclass(frozen=True)
class PartitionPolicy:
    """What the site wants and allows: see the argument specification of gpu_partition."""

    accept: tuple[str, ...]
    stop_units: tuple[str, ...]
    reload_allowed: bool
    reservations: tuple[Claim, ...]

    @classmethod
    def from_values(cls, values: t.Mapping[str, t.Any]) -> PartitionPolicy:
        """The policy in the role's variables.

        Raises:
            DataError: a unit has no name of one, or a reservation is not of its form.
        """
        return cls(
            tuple(values["gpu_partition_accept"]),
            unit_names(values["gpu_partition_stop_units"], "gpu_partition_stop_units"),
            values["gpu_partition_reload_allowed"],
            read_claims(values["gpu_partition_reservations"], "gpu_partition_reservations"))


def plan_partition(look: WholeLook, profile: Profile | None, capabilities: Capabilities,
                   policy: PartitionPolicy) -> Plan:
    """The plan; empty where no profile is wanted or the node is as it says.

    GPUs that are held, or not ready to be asked (their driver is to come), are a problem of this plan, which then has
    no step: the rest of the node goes on.

    Raises:
        FleetError: the profile, or a reservation, does not fit the node.
    """
    if profile is None:
        return Plan(ROLE, notes=("no partition profile is wanted",))
    circumstances = Circumstances.seen(look, policy.reload_allowed)
    try:
        made = transition(look.gpus, wanted(profile, look.gpus), capabilities, circumstances, policy.accept)
    except NotReadyError as error:
        return Plan(ROLE, problems=(f"waits: {error.sentence}",))
    told = Plan(ROLE, notes=(*made.notes, *(finding.summary for finding in made.findings)))
    if not made.changes and not made.reboot:
        return told
    devices = layout(look.gpus, capabilities, made.wanted)
    refuse_unfit(policy.reservations, devices)
    seen = look.processes
    try:
        refuse_busy(made.touched, seen.processes, policy.stop_units, seen.unknown.get("processes"))
    except FleetError as error:
        return dc.replace(told, problems=(f"waits: {error.sentence}",))
    many = (f"logical devices of the node afterwards: {len(devices)}",) if made.changes else ()
    return dc.replace(told, notes=(*told.notes, *many), steps=tuple(_step(change, made) for change in made.changes),
                      reload=made.reload, reboot=made.reboot, restarts=_stopped(made, look, policy))


def _stopped(made: Transition, look: WholeLook, policy: PartitionPolicy) -> tuple[str, ...]:
    """Units that hold GPUs and may be stopped meanwhile."""
    units = {process.unit for process in holders(made.touched, look.processes.processes)}
    return tuple(sorted(unit for unit in policy.stop_units if unit in units))


def _step(change: Change, made: Transition) -> Step:
    modes = {one.bdf: one.text for one in made.wanted if one.bdf in change.gpus}
    return Step(ACTION, change.words, before=change.before, after=change.mode,
                data={"change": change.action, "mode": change.mode, "gpus": list(change.gpus), "wanted": modes})
