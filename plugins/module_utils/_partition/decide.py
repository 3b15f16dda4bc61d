# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a run decides before it touches anything: one look, what is wanted of it, the changes, the devices of both."""

from __future__ import annotations

import dataclasses as dc

from .._core.errors import FleetError
from .._core.look.shape import Gpus, Look
from .._core.partition.circumstances import Circumstances, NotReadyError
from .._core.partition.claims import refuse_unfit
from .._core.partition.layout import layout
from .._core.partition.select import wanted
from .._core.partition.shape import LogicalDevice, Transition
from .._core.partition.transition import transition
from .._core.partition.verify import told
from . import eyes
from .request import APPLIED, Request


@dc.dataclass(frozen=True)
class Decision:
    """Attributes: the look, the changes, and the devices that there are and that there would be."""

    seen: Look
    plan: Transition
    before: tuple[LogicalDevice, ...]
    after: tuple[LogicalDevice, ...]

    @property
    def gpus(self) -> Gpus:
        """The GPUs as seen."""
        return self.seen.gpus or Gpus()


def decide(request: Request) -> Decision:
    """Look once and decide.

    Raises:
        FleetError: nothing is wanted, it cannot be, or a reservation would not fit any more; nothing was touched.
    """
    if request.profile is None:
        raise FleetError("gpu_partition", "neither profile nor gpus is given", "give one of them")
    seen = eyes.look(eyes.BEFORE, request.known.products)
    gpus, known = seen.gpus or Gpus(), request.known.capabilities
    around = Circumstances.seen(seen, request.reload_allowed)
    asked = wanted(request.profile, gpus)
    try:
        plan = transition(gpus, asked, known, around, request.accept)
    except NotReadyError as error:  # what is seen can be compared, whether it could be changed or not
        there = told(gpus)
        if request.state == APPLIED or not all(there.get(one.bdf) for one in asked):
            raise
        plan = Transition(asked, notes=(f"could not be applied now: {error.sentence}",))
    after = layout(gpus, known, plan.wanted)
    if request.state == APPLIED and (plan.changes or plan.reboot):
        refuse_unfit(request.claims, after)
    return Decision(seen, plan, layout(gpus, known), after)
