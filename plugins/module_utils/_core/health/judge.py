# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""May this node take work? Checks, each GPU and the node, by one look and one profile."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..findings import NODE, Check, Finding
from ..look.shape import Look
from . import baseline as bl
from .limits import Judged, counter, judge_rule
from .measures import MEASURES
from .node_state import product
from .profile import Profile, Rule
from .sample import Sample, Seen, Wanted

NOTHING_DECLARED = Wanted()
# The exit contract of the gate: 0 the node may take work, 1 it must not, 2 that could not be judged.
EXIT = {"pass": 0, "warn": 0, "fail": 1, "unknown": 2}
_SEVERITY = {"fail": "error", "warn": "warning"}


@dc.dataclass(frozen=True)
class Judgement:
    """What a gate found.

    Attributes:
        verdict: of the node.
        checks: all of them, worst first.
        gpus: verdict of each GPU by its PCI address.
        blocking: the checks that have no data and therefore keep the node from work, as (id, subject).
        notes: what began anew in the baseline.
        baseline: to keep for the next time; None: there was none.
        counts: what the counters stand at, for a new baseline.
    """

    verdict: str
    checks: tuple[Check, ...]
    gpus: t.Mapping[str, str] = dc.field(default_factory=dict)
    blocking: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    baseline: bl.Baseline | None = None
    counts: bl.Counts = dc.field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """0, 1 or 2."""
        return EXIT[self.verdict]


def sections(profile: Profile) -> tuple[str, ...]:
    """The sections of a look that a profile needs, in a fixed order."""
    needed = {section for rule in profile.rules for section in MEASURES[rule.id].sections}
    return tuple(sorted(needed | {"gpus", "smi", "kernel", "driver", "host"}))


def judge(
    look: Look, profile: Profile, baseline: bl.Baseline | None = None, faults: t.Sequence[tuple[Finding, str]] = (),
    wanted: Wanted = NOTHING_DECLARED, actives: t.Sequence[Judged] = (), now: float = 0.0,
) -> Judgement:
    """Judge a node.

    Args:
        look: with the sections that ``sections`` names; what it lacks is no data.
        profile: what the node must show.
        baseline: what its counters stood at.
        faults: findings of the logs of this boot, each with what the gate makes of it (fail, warn, none).
        wanted: what was declared.
        actives: what tools that were run say.
        now: seconds since the epoch, for rates.
    """
    seen = Seen(look, wanted, tuple(faults))
    sampled = [(rule, list(MEASURES[rule.id].take(seen))) for rule in profile.rules]
    counts = _counts(sampled)
    basis = bl.hold(baseline, look, counts, now, profile.rate_minimum_seconds)
    products = {gpu.bdf: gpu.product for gpu in seen.gpus}
    judged = list(actives)
    for rule, samples in sampled:
        by_subject: dict[str, list[Sample]] = {}
        for sample in samples:
            by_subject.setdefault(sample.subject, []).append(sample)
        for subject, of_subject in by_subject.items():
            kind = product(seen) if subject == NODE else products[subject]
            judged.append(judge_rule(rule, MEASURES[rule.id].unit, of_subject, kind, basis))
    return Judgement(
        verdict(judged), _ordered(judged),
        {gpu.bdf: verdict([item for item in judged if item.check.subject == gpu.bdf]) for gpu in seen.gpus},
        tuple((item.check.id, item.check.subject) for item in judged if item.blocks),
        basis.notes, basis.next(counts, profile.rate_window_seconds), counts,
    )


def _counts(sampled: t.Iterable[tuple[Rule, t.Sequence[Sample]]]) -> dict[str, dict[str, int]]:
    """What each counter of each GPU stands at."""
    found: dict[str, dict[str, int]] = {}
    for rule, samples in sampled:
        for sample in samples if MEASURES[rule.id].counts else ():
            if sample.value is not None:
                found.setdefault(sample.subject, {})[counter(rule.id, sample)] = int(sample.value)
    return found


def verdict(judged: t.Sequence[Judged]) -> str:
    """fail, then unknown that blocks, then warn, then pass; nothing that was judged is unknown."""
    verdicts = {item.check.verdict for item in judged}
    if "fail" in verdicts:
        return "fail"
    if any(item.blocks for item in judged) or not verdicts - {"unknown"}:
        return "unknown"
    return "warn" if "warn" in verdicts else "pass"


def _ordered(judged: t.Sequence[Judged]) -> tuple[Check, ...]:
    def weight(item: Judged) -> int:
        order = {"fail": 0, "warn": 2, "unknown": 3, "pass": 4}
        return 1 if item.blocks else order[item.check.verdict]
    return tuple(item.check for item in sorted(judged, key=weight))


def findings(judgement: Judgement, profile: Profile) -> tuple[Finding, ...]:
    """The checks that are not as they should be, as findings."""
    titles = {rule.id: rule.title for rule in profile.rules}
    titles |= {active.rule.id: active.rule.title for active in profile.active}
    return tuple(
        Finding(check.id, "health", _SEVERITY[check.verdict], check.domain, check.subject,
                f"{titles[check.id]}: {check.seen}" + (f"; wanted {check.wanted}" if check.wanted else ""),
                check.why, (f"{check.id}: {check.seen}",))
        for check in judgement.checks if check.verdict in _SEVERITY)
