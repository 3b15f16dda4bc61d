# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""One gate: look, judge, wait until it passes or the time is up, remember. The module and the agent are this."""

from __future__ import annotations

import dataclasses as dc
import datetime
import time
import typing as t

from .._act.clock import ticks
from .._core.faults.catalogue import FaultCatalogue
from .._core.faults.find import find
from .._core.health import baseline as bl
from .._core.health import history, quarantine
from .._core.health.actives import Ran, judge_active
from .._core.health.judge import NOTHING_DECLARED, Judgement, judge, sections
from .._core.health.node_state import product
from .._core.health.profile import Active, Profile
from .._core.health.sample import Seen, Wanted
from .._core.look.shape import Look
from .._core.plan.managed import RELEASE_RECORD
from .._core.release.named import named
from .._core.release.products import DeviceIds
from .._look import wanted as lw
from .._look.sight import Sight
from .._node.machine import Machine
from .active import run_all
from .state import State

NONE, TAKE, COMPARE = "none", "take", "compare"


@dc.dataclass(frozen=True)
class Request:
    """What is asked.

    Attributes:
        profile: what the node must show.
        faults: what logs may tell.
        actor: who asks.
        wanted: what was declared of the node.
        wait: seconds after which waiting ends; 0: one look.
        interval: seconds between looks.
        timeout: seconds that a look may take.
        baseline: none, take, compare.
        active: whether tools are run.
        record: whether anything is written.
        quarantine: whether failing sets the node aside; None: what the profile says.
        products: PCI device ids, by which GPUs are known that nothing on the node names.
    """

    profile: Profile
    faults: FaultCatalogue
    actor: str
    wanted: Wanted = NOTHING_DECLARED
    wait: float = 0
    interval: float = 5
    timeout: float = 30
    baseline: str = COMPARE
    active: bool = False
    record: bool = True
    quarantine: bool | None = None
    products: tuple[DeviceIds, ...] = ()


@dc.dataclass(frozen=True)
class Answer:
    """What came of it. ``actions``: what was written, or would be, in words. ``waited``: seconds."""

    judgement: Judgement
    actions: tuple[str, ...] = ()
    quarantine: quarantine.Quarantine | None = None
    waited: float = 0

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data: the form that docs/gate.md describes."""
        judgement = self.judgement
        bad = history.notable(judgement)
        base = judgement.baseline
        return {
            "verdict": judgement.verdict, "exit_code": judgement.exit_code,
            "gpus": dict(judgement.gpus), "checks": [_plain(check) for check in judgement.checks],
            "evidence": list(history.evidence(judgement)),
            "next_action": bad[0].why.remedy if bad else "",
            "quarantine": self.quarantine.to_dict() if self.quarantine else None,
            "baseline": {"taken": base.taken.epoch if base else None, "notes": list(judgement.notes)},
            "waited": round(self.waited, 1),
        }


def _plain(check: t.Any) -> dict[str, t.Any]:
    return {**dc.asdict(check), "why": {**dc.asdict(check.why), "sources": list(check.why.sources)}}


def now() -> str:
    """The time, as the files of the gate say it."""
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


@dc.dataclass(frozen=True)
class _Round:
    """One look and what it was judged."""

    seen: Look
    judgement: Judgement
    epoch: float
    waited: float


def judged(
    seen: Look, profile: Profile, faults: FaultCatalogue, base: bl.Baseline | None = None,
    wanted: Wanted = NOTHING_DECLARED, ran: t.Sequence[tuple[Active, Ran]] = (), epoch: float = 0.0,
    products: t.Sequence[DeviceIds] = (),
) -> Judgement:
    """The judgement of one look, with what its log tells and what tools say."""
    seen = named(seen, products)
    told = [(finding, faults.faults[finding.id].gate) for finding in find(seen, faults, products)]
    tools = [judge_active(active, of_tool, product(Seen(seen))) for active, of_tool in ran]
    return judge(seen, profile, base, told, wanted, tools, epoch)


def run(request: Request, state: State, check_mode: bool = False) -> Answer:
    """Gate this node.

    Raises:
        FleetError: a file of the gate is not right, or another gate runs.
    """
    base = state.read_baseline() if request.baseline == COMPARE else None
    state.read_quarantine()  # what cannot be read is said before tools run for an hour
    ran = run_all(request.profile.active) if request.active and not check_mode else ()
    last = _until_it_passes(request, base, ran)
    if not request.record:
        held = state.read_quarantine()
        return Answer(_set_aside(last.judgement, held), (), held, last.waited)
    if check_mode:
        return _remember(request, state, last, base, write=False)
    with state.locked(request.timeout):
        return _remember(request, state, last, base, write=True)


def _until_it_passes(request: Request, base: bl.Baseline | None, ran: t.Sequence[tuple[Active, Ran]]) -> _Round:
    wanted = lw.Wanted(files=(RELEASE_RECORD,), log_patterns=tuple(request.faults.patterns(("kernel",))))
    needed = sections(request.profile)
    for gone in ticks(request.wait, max(request.interval, 0.1)):
        seen, epoch = Sight(Machine(timeout=request.timeout), wanted).take(needed), time.time()
        found = judged(seen, request.profile, request.faults, base, request.wanted, ran, epoch, request.products)
        last = _Round(seen, found, epoch, gone)
        if found.exit_code == 0:
            break
    return last


def _set_aside(judgement: Judgement, held: quarantine.Quarantine | None) -> Judgement:
    """The judgement of a node in quarantine: it fails, whatever its GPUs show."""
    check = quarantine.check(held)
    if check is None:
        return judgement
    return dc.replace(judgement, verdict="fail", checks=(check.check, *judgement.checks))


def _remember(request: Request, state: State, last: _Round, base: bl.Baseline | None, write: bool) -> Answer:
    when, actions, before = now(), [], state.read_quarantine()
    after = quarantine.after(before, request.profile, last.judgement, request.actor, when, request.quarantine)
    if after != before:
        actions.append(f"set the node aside: {after.reason}" if after else "lift the quarantine that a gate set")
    final = _set_aside(last.judgement, after)
    told, lines = history.add(state.read_history(), request.profile.id, final, when)
    actions += [f"record {request.profile.id}: {final.verdict}"] if lines else []
    kept, words = _baseline(request, last, base)
    actions += words
    if write:
        if after != before:
            state.write_quarantine(after)
        if kept is not None and kept != base:
            state.write_baseline(kept)
        state.write_history(told, lines)
    return Answer(dc.replace(final, baseline=kept), tuple(actions), after, last.waited)


def _baseline(request: Request, last: _Round, base: bl.Baseline | None) -> tuple[bl.Baseline | None, list[str]]:
    """The baseline to keep, and what is done about it in words. New marks alone are no change."""
    if request.baseline == NONE:
        return None, []
    if request.baseline == TAKE or base is None:
        return bl.take(last.seen, last.judgement.counts, last.epoch), ["take a baseline"]
    return last.judgement.baseline, list(last.judgement.notes)
