# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a tool that was run says of the node."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..findings import NODE, Check
from ..formats import stress
from .baseline import Basis
from .limits import Judged, judge_rule
from .profile import BLOCKS, Active
from .sample import Sample

_PARSERS: dict[str, t.Callable[[str], tuple[stress.Result, ...]]] = {
    "rvs": stress.rvs, "transferbench": stress.transferbench, "rocm_bandwidth_test": stress.rocm_bandwidth_test,
}
_OWN_VERDICT = "amdgpuhealth"  # exits with 0, 1, or 2 if it does not know; source: see the profile burn_in
_LONGEST = 200  # characters of a last line


@dc.dataclass(frozen=True)
class Ran:
    """A tool that was run. ``problem``: why there is nothing to read (not installed, ended after its time)."""

    code: int = 0
    out: str = ""
    err: str = ""
    problem: str = ""


def judge_active(active: Active, ran: Ran, product: str | None) -> Judged:
    """The check that a tool's results are. What could not be run or read is unknown; a tool that fails is a failure."""
    if ran.problem:
        return _unknown(active, ran.problem)
    if active.tool == _OWN_VERDICT:
        if ran.code not in (0, 1):
            return _unknown(active, f"{active.tool} does not know: {_last_line(ran)}")
        return _limits(active, [Sample(NODE, ran.code, seen=_last_line(ran))], product)
    results = _PARSERS[active.tool](ran.out)
    samples = [_sample(result) for result in results]
    if ran.code and not any(result.passed is False for result in results):
        words = f"{active.tool} ended with exit code {ran.code}: {_last_line(ran)}"
        return Judged(Check(active.rule.id, NODE, "fail", "exit code 0", words, active.rule.why, active.rule.domain))
    return _limits(active, samples, product) if samples else _unknown(active, f"{active.tool} printed no result")


def _sample(result: stress.Result) -> Sample:
    if result.passed is None:
        return Sample(NODE, result.value, result.what)
    return Sample(NODE, int(not result.passed), result.what, seen=result.words)


def _limits(active: Active, samples: t.Sequence[Sample], product: str | None) -> Judged:
    unit = "GB/s" if active.tool in ("transferbench", "rocm_bandwidth_test") else ""
    return judge_rule(active.rule, unit, samples, product, Basis(None, (), 0, 0))


def _unknown(active: Active, reason: str) -> Judged:
    rule = active.rule
    return Judged(Check(rule.id, NODE, "unknown", "", reason, rule.why, rule.domain), rule.unknown == BLOCKS)


def _last_line(ran: Ran) -> str:
    lines = [line.strip() for line in (ran.err + "\n" + ran.out).splitlines() if line.strip()]
    return lines[-1][:_LONGEST] if lines else "it said nothing"
