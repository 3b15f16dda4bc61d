# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What is wrong and what was judged: the words that faults, preconditions, knobs and the health gate share."""

from __future__ import annotations

import dataclasses as dc
import typing as t

# Weakest first. info changes nothing; warning is for the next maintenance; error takes the GPU or node out of work;
# critical says that it may not come back without hands.
SEVERITIES = ("info", "warning", "error", "critical")
# Who has to act. A finding of domain workload never condemns hardware.
DOMAINS = ("driver", "firmware", "pcie", "hardware", "workload", "configuration", "packages", "container", "fabric")
# Best first. No data is unknown: never pass, never fail.
VERDICTS = ("pass", "warn", "unknown", "fail")
NODE = "node"  # the subject of what is about the whole node


@dc.dataclass(frozen=True)
class Cause:
    """What the catalogue says about a finding: why, what to do, and who says so."""

    cause: str  # one sentence
    remedy: str  # what to do next, as an order: "boot ..., then ..."
    sources: tuple[str, ...] = ()  # where it is documented
    confidence: str = "documented"  # documented, third_party, derived, unverified


@dc.dataclass(frozen=True)
class Finding:
    """One thing that is wrong, of one subject.

    Attributes:
        id: of the record in a catalogue: probe-no-bar.
        kind: fault (of a log), precondition, knob, health.
        severity: one of SEVERITIES.
        domain: one of DOMAINS.
        subject: NODE, or what it is about: PCI address of a GPU, "pid 4711 (python3)", a package, a file.
        summary: one sentence with the values of this case in it.
        why: cause, remedy and their sources.
        evidence: what was seen, as it was seen: lines of logs, fields of the look with their values.
        count: how often it was seen.
        first: place of its first line in the log, None if it is not from a log.
        last: place of its last line.
        explains: ids of findings that are consequences of this one; its own id: the same of other GPUs, those of
            one event or all afterwards.
        scope: whom it explains: gpu (the same subject), node (any subject).
        origin: the log whose lines first and last count; empty if it is not from a log.
        together: lines within which the same of other GPUs is one event with it; 0: there are no such events.
        announced_by: ids of those that may say the same of its GPU long before.
    """

    id: str
    kind: str
    severity: str
    domain: str
    subject: str
    summary: str
    why: Cause
    evidence: tuple[str, ...] = ()
    count: int = 1
    first: int | None = None
    last: int | None = None
    explains: tuple[str, ...] = ()
    scope: str = "gpu"
    origin: str = ""
    together: int = 0
    announced_by: tuple[str, ...] = ()

    @property
    def plain(self) -> dict[str, t.Any]:
        """What modules return of it, as JSON can hold it: without what ties it to others."""
        return {"id": self.id, "kind": self.kind, "severity": self.severity, "domain": self.domain,
                "subject": self.subject, "summary": self.summary, "evidence": list(self.evidence), "count": self.count,
                "origin": self.origin, "cause": self.why.cause, "remedy": self.why.remedy,
                "sources": list(self.why.sources), "confidence": self.why.confidence}


@dc.dataclass(frozen=True)
class Check:
    """One thing that was judged, of one subject.

    Attributes:
        id: of the record in a catalogue: ecc-uncorrectable, acs.
        subject: NODE or a PCI address.
        verdict: one of VERDICTS.
        wanted: in words, with unit; empty if there is nothing to want.
        seen: in words, with unit; for unknown the reason why nothing was seen.
        why: why it matters, what to do, sources.
        domain: one of DOMAINS.
    """

    id: str
    subject: str
    verdict: str
    wanted: str
    seen: str
    why: Cause
    domain: str = "configuration"


def worst(verdicts: tuple[str, ...]) -> str:
    """Return the worst verdict; unknown if nothing was judged."""
    return max(verdicts, key=VERDICTS.index, default="unknown")
