# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Bringing a node to the profile that is due, or back to what it was, and proving it by reading back."""

from __future__ import annotations

import dataclasses as dc
import time
import typing as t

from .._act import journal
from .._act.lock import node_lock
from .._act.outcome import Failed, Outcome
from .._act.process import clean_end, uninterrupted
from .._core.errors import FleetError
from .._core.qos import plan as qos
from .._core.qos import state
from .._core.qos.schedule import due
from .._core.qos.shape import NODE, Target, label
from . import data, eyes
from .request import APPLIED, RESTORED, Request

_ROLLED_BACK, _NOT_RESTORED = "rolled_back", "not_restored"


def run(request: Request) -> Outcome:
    """Do what is asked.

    Raises:
        FleetError: it is refused, and nothing was touched; or it failed, with return values.
    """
    if request.state not in (APPLIED, RESTORED) or request.check:
        kept, seen, made = _decided(request)
        would = request.state in (APPLIED, RESTORED)
        rows = qos.rows(made, seen, {}, qos.WOULD_CHANGE if would else qos.DIFFERS)
        actions = _actions(made, kept) if would else ()
        return Outcome(actions, _diff(rows, foreseen=True) if would else (), values(made, rows))
    with clean_end(), node_lock(request.lock_timeout):
        kept, seen, made = _decided(request)
        if not made.steps:
            if made.keep != kept:
                data.remember(made.keep)
            return Outcome(_actions(made, kept), (), values(made, qos.rows(made, seen, {})))
        return _carried_out(request, kept, made)


def _decided(request: Request) -> tuple[state.State | None, tuple[Target, ...], qos.Plan]:
    kept = data.remembered()
    seen, _failed = eyes.see(request.known.ids, request.timeout)
    missing = set(request.gpus) - {target.name for target in seen}
    if missing:
        raise FleetError(f"gpu {min(missing)}", "is not on this node", "name GPUs by their PCI address")
    name = "" if request.state == RESTORED else due(request.base, request.schedule, *_clock())
    profile = request.profiles[name] if name else None
    chosen = {NODE, *(request.gpus or (target.name for target in seen))}
    return kept, seen, qos.plan(profile, seen, request.known.products, kept, chosen, request.refuse)


def _clock() -> tuple[float, int]:
    """Seconds since 1970, and minutes that this clock is before UTC."""
    now = time.time()
    return now, time.localtime(now).tm_gmtoff // 60


def _carried_out(request: Request, kept: state.State | None, made: qos.Plan) -> Outcome:
    """What was before is written down first, so that a run which is cut off can be undone."""
    data.remember(state.meanwhile(kept, made.keep))
    with uninterrupted():
        now, failed = eyes.see(request.known.ids, request.timeout, made.steps)
        rows = qos.rows(made, now, failed)
        wrong = [row for row in rows if row.result == qos.FAILED]
        if wrong:
            rows = _taken_back(request, made, rows)
        left = [row for row in rows if row.result == _NOT_RESTORED]
        if not left:
            data.remember(kept if wrong else made.keep)
    _journal(request, kept, made, "failed" if wrong else "done")
    if wrong:
        first = wrong[0]
        where = NODE if first.target == NODE else f"gpu {first.target}"
        error = FleetError(where, f"{label(first.setting)} is {first.after} and not {first.wanted}: {first.reason}",
                           "read the kernel log (journalctl -k -g amdgpu)")
        raise Failed(error, **values(made, rows), changed=bool(left), actions=[])
    return Outcome(_actions(made, kept), _diff(rows), values(made, rows))


def _taken_back(request: Request, made: qos.Plan, rows: t.Sequence[qos.Row]) -> tuple[qos.Row, ...]:
    """After a failure: what was seen before the steps, as far as it goes."""
    now, said = eyes.see(request.known.ids, request.timeout, qos.back(made))
    there = {target.name: target.values for target in now}
    found = []
    for row in rows:
        if row.result not in (qos.APPLIED, qos.FAILED):
            found.append(row)
            continue
        same = there.get(row.target, {}).get(row.setting) == made.seen[row.target].get(row.setting)
        other = "another setting failed" if same else said.get((row.target, row.setting), "no call failed")
        result, after = (_ROLLED_BACK, row.before) if same else (_NOT_RESTORED, "unknown")
        found.append(dc.replace(row, result=result, reason=row.reason or other, after=after))
    return tuple(found)


def values(made: qos.Plan, rows: t.Sequence[qos.Row]) -> dict[str, t.Any]:
    """The return values but for actions and diff."""
    counted = [row for row in rows if row.result != qos.UNSUPPORTED]
    return {
        "profile": made.profile, "as_wanted": all(row.result in (qos.UNCHANGED, qos.APPLIED) for row in counted),
        "settings": [dc.asdict(row) for row in counted],
        "unsupported": [dc.asdict(one) for one in made.unsupported],
    }


def _actions(made: qos.Plan, kept: state.State | None) -> tuple[str, ...]:
    """The steps in words, and what is remembered otherwise."""
    steps = tuple(step.words for step in made.steps)
    if made.keep == kept:
        return steps
    word = "forget what was before profiles" if made.keep is None else f"remember what was before {made.keep.profile}"
    return (*steps, word)


def _diff(rows: t.Sequence[qos.Row], foreseen: bool = False) -> tuple[dict[str, str], ...]:
    """One entry with a line for each setting that changes; none where none does."""
    changed = [row for row in rows if row.result in (qos.APPLIED, qos.WOULD_CHANGE)]
    if not changed:
        return ()
    before, after = (
        "".join(f"{row.target} {label(row.setting)}: {getattr(row, name)}\n" for row in changed)
        for name in ("before", "wanted" if foreseen else "after"))
    return ({"before_header": "settings", "after_header": "settings", "before": before, "after": after},)


def _journal(request: Request, kept: state.State | None, made: qos.Plan, result: str) -> None:
    journal.append({"who": request.actor, "what": "qos", "from": kept.profile if kept else RESTORED,
                    "to": made.profile or RESTORED, "result": result})
