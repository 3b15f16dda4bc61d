# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A sample held against the limits of its check: verdict, what was wanted, what was seen."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..findings import Check
from .baseline import Basis
from .profile import ABOVE, BASELINE, BLOCKS, HOUR, Limit, Rule
from .sample import Sample

_SINCE = {BASELINE: " since the baseline", HOUR: " per hour"}


@dc.dataclass(frozen=True)
class Judged:
    """A check with its verdict, and whether its being unknown keeps the node from work."""

    check: Check
    blocks: bool = False


@dc.dataclass(frozen=True)
class _Opinion:
    verdict: str
    wanted: str
    seen: str
    sample: Sample
    blocks: bool = False


def judge_rule(rule: Rule, unit: str, samples: t.Sequence[Sample], product: str | None, basis: Basis) -> Judged:
    """One check of one subject from its samples, of which there is at least one."""
    if product in rule.not_products:
        none = Sample(samples[0].subject, reason=f"not supported by {product}", supported=False)
        return _joined(rule, [_opinion(rule, unit, none, product, basis)])
    return _joined(rule, [_opinion(rule, unit, sample, product, basis) for sample in samples])


def _opinion(rule: Rule, unit: str, sample: Sample, product: str | None, basis: Basis) -> _Opinion:
    limits = rule.limits_for(product)
    if sample.value is None:
        wanted = _wanted(limits[0], sample, unit) if limits else ""
        blocks = sample.supported and rule.unknown == BLOCKS
        return _Opinion("unknown", wanted, sample.reason, sample, blocks)
    if not limits:
        return _Opinion("unknown", "", f"{_seen(sample, unit)}; the profile has no limit for {product}", sample)
    found = [_against(limit, rule, unit, sample, basis) for limit in limits]
    return max(found, key=_weight)


def _against(limit: Limit, rule: Rule, unit: str, sample: Sample, basis: Basis) -> _Opinion:
    """The opinion by one limit. What only lacks a baseline never blocks: time alone mends it."""
    wanted, seen = _wanted(limit, sample, unit), _seen(sample, unit)
    bound, value, unsure = _bound(limit, sample), sample.value or 0.0, ""
    if bound is None:
        return _Opinion("unknown", wanted, f"{seen}; the device names no limit", sample)
    if limit.since != "now":
        value, unsure = _over_time(limit, rule, sample, basis)
        seen = f"{value:g} {unit}{_SINCE[limit.since]}, {seen} in all".replace("  ", " ")
    if value > bound if limit.when == ABOVE else value < bound:
        return _Opinion(limit.verdict, wanted, seen, sample)
    return _Opinion("unknown", wanted, unsure, sample) if unsure else _Opinion("pass", wanted, seen, sample)


def _over_time(limit: Limit, rule: Rule, sample: Sample, basis: Basis) -> tuple[float, str]:
    """What came since the baseline or in an hour, and why that is not sure yet."""
    key, value = counter(rule.id, sample), sample.value or 0.0
    if limit.since == BASELINE:
        came = basis.since(sample.subject, key, value)
        return (0.0, "there is no baseline") if came is None else (came, "")
    rate, unsure = basis.per_hour(sample.subject, key, value)
    return (0.0 if rate is None else rate), unsure


def counter(rule_id: str, sample: Sample) -> str:
    """The name of a counter in a baseline."""
    return f"{rule_id}/{sample.what}" if sample.what else rule_id


def _bound(limit: Limit, sample: Sample) -> float | None:
    if limit.margin is not None and sample.named is not None:
        return sample.named - limit.margin
    return limit.number


def _wanted(limit: Limit, sample: Sample, unit: str) -> str:
    bound = _bound(limit, sample)
    if bound is None or not unit:  # a number without a unit is no count but a state, and the title says which is wanted
        return ""
    side = "at most" if limit.when == ABOVE else "at least"
    return f"{side} {bound:g} {unit}" + _SINCE.get(limit.since, "")


def _seen(sample: Sample, unit: str) -> str:
    words = sample.seen or f"{sample.value:g} {unit}".rstrip()
    return f"{sample.what}: {words}" if sample.what else words


def _joined(rule: Rule, opinions: t.Sequence[_Opinion]) -> Judged:
    """The check of all samples of a subject: the worst verdict, with all that have it."""
    heaviest = max(map(_weight, opinions))
    having = [opinion for opinion in opinions if _weight(opinion) == heaviest]
    first = having[0]
    if first.verdict == "pass":
        having = [max(having, key=lambda opinion: opinion.sample.value or 0.0)]
    seen = "; ".join(dict.fromkeys(opinion.seen for opinion in having))
    sample = first.sample
    return Judged(Check(rule.id, sample.subject, first.verdict, having[0].wanted, seen, sample.why or rule.why,
                        sample.domain or rule.domain), first.blocks)


def _weight(opinion: _Opinion) -> int:
    """What counts most of several: fail, no data that blocks, warn, other no data, pass."""
    return 4 if opinion.blocks else {"fail": 5, "warn": 3, "unknown": 2, "pass": 1}[opinion.verdict]
