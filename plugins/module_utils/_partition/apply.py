# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""One run: what is wanted of the GPUs is applied, asserted, or what they are is exported. Module and command both."""

from __future__ import annotations

import dataclasses as dc

from .._act.lock import node_lock
from .._act.outcome import Failed, Outcome
from .._act.process import clean_end
from .._core.errors import FleetError
from .._core.look.shape import Gpus
from .._core.partition import busy, verify
from .._core.partition.export import export
from .._core.partition.layout import layout
from .._core.partition.unit_names import unit_names
from . import eyes, reload, report, units
from .decide import Decision, decide
from .heal import foreseen, heal
from .request import APPLIED, EXPORTED, Request
from .work import Ended, Work


def run(request: Request) -> Outcome:
    """Do what is asked.

    Raises:
        FleetError: it is refused, or it failed; with return values once a change was begun.
    """
    if request.state == EXPORTED:
        seen = eyes.look(eyes.AFTER, request.known.products)
        return Outcome(values={"profile": export(seen.gpus or Gpus(), request.name, request.known.capabilities)})
    unit_names(request.stop_units)
    if request.state != APPLIED or request.check:
        return _told(request, decide(request), foreseen())
    with clean_end(), node_lock(request.lock_timeout):
        healed = heal(request)
        try:
            return _applied(request, healed)
        except Failed:
            raise
        except FleetError as error:  # what was healed before stays said
            actions = list(healed.actions)
            raise Failed(error, changed=bool(actions), actions=actions, notes=healed.notes) from error


def _applied(request: Request, healed: Ended) -> Outcome:
    decided = decide(request)
    if not decided.plan.changes:
        return _told(request, decided, healed)
    return _done(request, decided, Work(request, decided.seen, decided.plan).run(), healed)


def _told(request: Request, decided: Decision, healed: Ended) -> Outcome:
    """The outcome where nothing is changed, or where it is only said what would be."""
    plan = decided.plan
    results = tuple(dc.replace(one, reason=plan.reboot) if one.result == verify.WOULD_CHANGE else one
                    for one in verify.predicted(plan.wanted, decided.gpus))
    would = request.state == APPLIED and bool(plan.changes)
    if would and plan.reload:
        reload.ready()  # what is refused is refused in check mode, too
    devices = decided.after if would else decided.before
    said = report.values(decided, results, devices, healed, _in_the_way(decided, request) if would else ())
    actions = (*healed.actions, *(change.words for change in plan.changes if would)) if request.state == APPLIED else ()
    return Outcome(actions, report.diff(decided.before, devices) if would else (), said)


def _in_the_way(decided: Decision, request: Request) -> tuple[str, ...]:
    """Why the node would not let it happen now, which may be otherwise when it is drained."""
    seen = decided.seen.processes
    try:
        units.refuse_losing(units.ask(unit_names(request.stop_units)))
        busy.refuse_busy(decided.plan.touched, seen.processes if seen else (), unit_names(request.stop_units),
                         seen.unknown.get("processes") if seen else None)
    except FleetError as error:
        return (f"would be refused now: {error.sentence}",)
    return ()


def _done(request: Request, decided: Decision, ended: Ended, healed: Ended) -> Outcome:
    now = ended.gpus or Gpus()
    devices = layout(now, request.known.capabilities)
    ended.started[:0] = healed.started
    said = report.values(decided, ended.results, devices, ended, healed.notes)
    actions, shown = (*healed.actions, *ended.actions), report.diff(decided.before, devices)
    if ended.error is not None:
        raise Failed(ended.error, **said, changed=bool(actions), actions=list(actions), diff=list(shown))
    return Outcome(actions, shown, said)
