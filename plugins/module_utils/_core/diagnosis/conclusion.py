# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What is the matter with a node: one verdict, one root, one next step, and all that stands behind them."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..findings import NODE, SEVERITIES, VERDICTS, Check, Finding, worst
from ..look import shape as lk
from .rank import Ranked
from .unseen import Unseen

NOTHING = "nothing to do"
HEALTHY = "nothing is wrong"
ITSELF = "it"  # stands for a GPU's address where several GPUs are told of at once
_KINDS = ("fault", "health", "precondition", "knob")  # what happened comes before what may happen
# A workload that fails is told of, and never takes hardware out of work.
_VERDICT_OF = {"info": "pass", "warning": "warn", "error": "fail", "critical": "fail"}


@dc.dataclass(frozen=True)
class Diagnosis:
    """The answer for one node.

    Attributes:
        verdict: one of VERDICTS.
        summary: what is the matter, in one sentence.
        next_action: what to do next, in one sentence.
        ranked: findings that nothing else explains, each with its consequences, worst first.
        checks: all that was judged.
        unseen: what could not be read.
        seen: what the node is, in few words each.
    """

    verdict: str
    summary: str
    next_action: str
    ranked: tuple[Ranked, ...] = ()
    checks: tuple[Check, ...] = ()
    unseen: tuple[Unseen, ...] = ()
    seen: t.Mapping[str, str] = dc.field(default_factory=dict)

    @property
    def root(self) -> Finding | None:
        """The finding to begin with; None if there is none that asks for anything."""
        return next((r.finding for r in self.ranked if _verdict(r) != "pass"), None)

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data: the form that fleet_diagnose documents."""
        root = self.root
        counts = {verdict: sum(c.verdict == verdict for c in self.checks) for verdict in VERDICTS}
        return {
            "version": "v1", "kind": "diagnosis", "verdict": self.verdict, "summary": self.summary,
            "next_action": self.next_action, "seen": dict(self.seen),
            "root": {name: getattr(root, name) for name in ("id", "kind", "severity", "domain", "subject", "summary")}
            if root else None,
            "findings": [{**r.finding.plain, "consequences": [_short(c) for c in r.consequences]}
                         for r in self.ranked],
            "checks": {"counts": counts, "open": _open(self.checks)},
            "unknown": [dc.asdict(item) for item in self.unseen],
        }


def verdict_of(finding: Finding) -> str:
    """What a finding alone makes of the node."""
    verdict = _VERDICT_OF[finding.severity]
    return "warn" if verdict == "fail" and finding.domain == "workload" else verdict


def _verdict(ranked: Ranked) -> str:
    """What a finding makes of the node together with its consequences."""
    return worst(tuple(verdict_of(finding) for finding in (ranked.finding, *ranked.consequences)))


def _gathered(ranked: tuple[Ranked, ...]) -> tuple[Ranked, ...]:
    """The same, with what a host lacks for each of its GPUs told once: the other GPUs follow from the first."""
    found: dict[t.Any, Ranked] = {}
    for place, item in enumerate(ranked):
        key = item.finding.id if item.finding.kind == "precondition" else place
        first = found.get(key)
        found[key] = item if first is None else dc.replace(
            first, consequences=(*first.consequences, item.finding, *item.consequences))
    return tuple(found.values())


def _weight(ranked: Ranked) -> tuple[int, ...]:
    """Where to begin: what takes the node out of work, then the gravest, then what explains most."""
    everything = (ranked.finding, *ranked.consequences)
    severity = max(SEVERITIES.index(finding.severity) for finding in everything)
    return -VERDICTS.index(_verdict(ranked)), -severity, -len(everything), _KINDS.index(ranked.finding.kind)


def conclude(ranked: tuple[Ranked, ...], checks: tuple[Check, ...], blocked: bool, unseen: tuple[Unseen, ...],
             look: lk.Look, seen: t.Mapping[str, str]) -> Diagnosis:
    """The answer from all that was found, judged and not seen.

    Args:
        ranked: findings with their consequences, best root first.
        checks: all that was judged.
        blocked: the health profile keeps the node from work for what could not be judged.
        unseen: what could not be read.
        look: what was seen; it says who looked.
        seen: what the node is, for the answer.
    """
    ordered = tuple(sorted(_gathered(ranked), key=_weight))
    blind = tuple(item for item in unseen if item.needed)
    verdict = worst(("pass", *map(_verdict, ordered), *(["unknown"] if blind or blocked else [])))
    bare = Diagnosis(verdict, HEALTHY, NOTHING, ordered, checks, unseen, seen)
    root = bare.root
    summary = root.summary if root else _dark(blind, checks) if verdict == "unknown" else HEALTHY
    action = _see(blind, checks, look) if verdict == "unknown" else root.why.remedy if root else NOTHING
    return dc.replace(bare, summary=summary, next_action=action)


def _dark(blind: tuple[Unseen, ...], checks: tuple[Check, ...]) -> str:
    """That nothing is known to be wrong, and what was not seen."""
    names = [item.what for item in blind] or sorted({c.id for c in checks if c.verdict == "unknown"})
    return f"nothing is known to be wrong, but {', '.join(names)} could not be read"


def _see(blind: tuple[Unseen, ...], checks: tuple[Check, ...], look: lk.Look) -> str:
    """What to mend to be able to see."""
    if look.os is not None and not look.os.root:
        return "look as root (become: true)"
    why = [f"{item.what} {item.why}" if item.why.startswith("was not") else f"{item.what}: {item.why}"
           for item in blind]
    why = why or sorted({f"{c.id}: {c.seen}" for c in checks if c.verdict == "unknown"})
    return "mend what keeps this from being read, then look again: " + "; ".join(why[:3])


def _short(finding: Finding) -> dict[str, t.Any]:
    return {name: getattr(finding, name) for name in ("id", "kind", "severity", "subject", "summary", "count")}


def _open(checks: tuple[Check, ...]) -> list[dict[str, t.Any]]:
    """Checks that are not passed; what is the same of several GPUs is one entry."""
    found: dict[tuple[str, ...], list[str]] = {}
    for check in checks:
        if check.verdict != "pass":
            seen = check.seen.replace(check.subject, ITSELF) if check.subject != NODE else check.seen
            found.setdefault((check.id, check.verdict, check.domain, check.wanted, seen), []).append(check.subject)
    names = ("id", "verdict", "domain", "wanted", "seen")
    return [{**dict(zip(names, values)), "subjects": subjects} for values, subjects in found.items()]
