# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""One eviction: who holds the devices is seen, who goes is decided, told to go, and what was given back is proved."""

from __future__ import annotations

import time
import typing as t

from .._act.clock import ticks
from .._act.lock import node_lock
from .._act.outcome import Failed, Outcome
from .._act.process import clean_end
from .._core.errors import FleetError
from .._core.eviction import report, wording
from .._core.eviction.release import hive, unreleased
from .._core.eviction.shape import Plan, Request, Rules
from . import eyes
from .options import Asked
from .pinned import refuse_unable
from .reset import reset
from .watching import watch
from .work import Work

PAUSE = 0.5
Plain = dict[str, t.Any]


def run(asked: Asked, check: bool) -> Outcome:
    """Free the devices.

    Raises:
        FleetError: it is refused before the first signal, or a device was not released; with return values then.
    """
    refuse_unable()
    asked = watch(asked)
    if check:
        view = eyes.look()
        return _told(*asked.decide(view), view, asked.rules)
    with clean_end(), node_lock(asked.options["lock_timeout"]):
        view = eyes.look()
        request, decided = asked.decide(view)
        return _Run(request, asked.rules, view, decided, asked.options["actor"] or "gpu_evict").outcome()


def _told(request: Request, decided: Plan, view: eyes.View, rules: Rules) -> Outcome:
    """What would be done; what can be seen now already not to be released by it."""
    going = {target.holder.pid for wave in decided.waves for target in wave.targets}
    after = [one for one in view.holders if one.pid not in going]
    wanted = [device for device in view.devices if device.id in request.devices]
    held = {device.gpu for device in view.devices for one in view.holders if device.id in one.devices}
    idle = {gpu: size for gpu, size in view.used.items() if gpu not in held}
    reasons = unreleased(wanted, {one.pid for one in decided.stuck}, {one.pid for one in after}, after, idle, rules)
    devices = report.devices(wanted, view.holders, after, view.used, reasons, decided.kept)
    values = {"processes": report.foreseen(decided), "kept": report.kept(decided.kept), "survivors": [],
              "devices": devices, "freed_bytes": report.freed(devices), "seconds": 0.0}
    return Outcome(wording.foretold(decided, request), (report.diff(request.devices, view.holders, after),), values)


class _Run:
    """One eviction that is carried out."""

    def __init__(self, request: Request, rules: Rules, view: eyes.View, decided: Plan, actor: str) -> None:
        self._request, self._rules, self._before, self._plan = request, rules, view, decided
        self._wanted = [device for device in view.devices if device.id in request.devices]
        self._work = Work(request, rules, view, actor)
        self._began = time.monotonic()

    def outcome(self) -> Outcome:
        """What came of it."""
        try:
            self._work.run(self._plan)
            view, reasons = self._settled()
            if reasons and self._request.reset_allowed and self._reset(view, reasons):
                view, reasons = self._settled()
        except FleetError as error:
            unknown = {device.id: "whether it is released is unknown" for device in self._wanted}
            raise self._failed(error, self._before, unknown) from error
        if reasons:
            what, hint = wording.refusal([f"{device}: {reason}" for device, reason in reasons.items()], self._request)
            raise self._failed(FleetError("gpu_evict", what, hint), view, reasons)
        return Outcome(tuple(self._work.done), (self._diff(view),), self._values(view, {}))

    def _settled(self) -> tuple[eyes.View, dict[str, str]]:
        """The view once all is released, or when the time for that is over."""
        targeted = {fate.target.holder.pid for fate in self._work.fates} | {one.pid for one in self._plan.stuck}
        targeted |= {item.holder.pid for item in self._work.kept}
        before = {one.pid for one in self._before.holders}
        for _gone in ticks(0 if self._work.stays else self._rules.release, PAUSE):
            view = eyes.look()
            reasons = unreleased(self._wanted, targeted, before, view.holders, view.used, self._rules)
            if not reasons:
                break
        return view, reasons

    def _reset(self, view: eyes.View, reasons: dict[str, str]) -> bool:
        """Reset what is not released; whether anything was. Why it was not is added to the reasons."""
        reached: set[str] = set()
        for device in self._wanted:
            if device.id in reasons and device.gpu not in reached:
                problem = reset(device.gpu, view)
                if problem:
                    reasons[device.id] += f", and {device.gpu} is not reset: {problem}"
                else:
                    self._work.did(f"reset {device.gpu}")
                    reached |= hive(device.gpu, view.devices) or set()
        return bool(reached)

    def _failed(self, error: FleetError, view: eyes.View, reasons: t.Mapping[str, str]) -> Failed:
        done = self._work.done
        return Failed(error, **self._values(view, reasons), changed=bool(done), actions=list(done),
                      diff=[self._diff(view)])

    def _diff(self, view: eyes.View) -> dict[str, str]:
        return report.diff(self._request.devices, self._before.holders, view.holders)

    def _values(self, view: eyes.View, reasons: t.Mapping[str, str]) -> Plain:
        fates, kept = self._work.fates, (*self._plan.kept, *self._work.kept)
        devices = report.devices(self._wanted, self._before.holders, view.holders, view.used, reasons, kept)
        return {"processes": report.processes(fates), "kept": report.kept(kept),
                "survivors": report.survivors(fates), "devices": devices, "freed_bytes": report.freed(devices),
                "seconds": round(time.monotonic() - self._began, 3)}
