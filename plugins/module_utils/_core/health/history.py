# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a node keeps of its gates: the last verdict by each profile, and a line for each time that it changed."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

from ..findings import NODE, VERDICTS, Check
from ..strict import Reader
from .judge import Judgement

VERSION, KIND = "v1", "health"


@dc.dataclass(frozen=True)
class Last:
    """The last gate by one profile.

    Attributes:
        when: when it ran, ISO 8601.
        since: since when the verdict is this one.
        verdict: of the node.
        gpus: of each GPU.
        checks: those that are not as they should be, each "id of subject: what was seen".
    """

    when: str
    since: str
    verdict: str
    gpus: t.Mapping[str, str]
    checks: tuple[str, ...]

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data."""
        return {**dc.asdict(self), "checks": list(self.checks)}


@dc.dataclass(frozen=True)
class History:
    """The last gate by each profile, by its name."""

    profiles: t.Mapping[str, Last] = dc.field(default_factory=dict)

    def to_dict(self) -> dict[str, t.Any]:
        """Plain data, as ``read`` takes it."""
        return {"version": VERSION, "kind": KIND,
                "profiles": {name: last.to_dict() for name, last in sorted(self.profiles.items())}}

    @property
    def latest(self) -> tuple[str, Last] | None:
        """The profile that was asked last, and what came of it."""
        return max(self.profiles.items(), key=lambda pair: pair[1].when, default=None)


def read(raw: object, where: str) -> History:
    """A history from plain data.

    Raises:
        DataError: it is not of that form.
    """
    reader = Reader(raw, f"{where}:")
    reader.choice("version", (VERSION,))
    reader.choice("kind", (KIND,))
    history = History(reader.named("profiles", _last))
    reader.done()
    return history


def _last(reader: Reader) -> Last:
    return Last(reader.text("when"), reader.text("since"), reader.choice("verdict", VERDICTS),
                reader.texts_by_name("gpus"), reader.texts("checks"))


def notable(judgement: Judgement) -> tuple[Check, ...]:
    """The checks that a person should see: what is not as it should be, and what keeps the node from work."""
    return tuple(check for check in judgement.checks
                 if check.verdict in ("fail", "warn") or (check.id, check.subject) in judgement.blocking)


def evidence(judgement: Judgement) -> tuple[str, ...]:
    """These checks in words, a line for all GPUs of which the same was seen."""
    subjects: dict[tuple[str, str], list[str]] = {}
    for check in notable(judgement):
        subjects.setdefault((check.id, check.seen), []).append(check.subject)
    return tuple(f"{ident} of {names[0] if len(names) == 1 else f'{len(names)} GPUs'}: {seen}"
                 for (ident, seen), names in subjects.items())


def add(history: History, profile: str, judgement: Judgement, when: str) -> tuple[History, tuple[str, ...]]:
    """The history with this gate, and a line of JSON for each subject whose verdict is another than before."""
    before = history.profiles.get(profile)
    bad = notable(judgement)
    same = before is not None and before.verdict == judgement.verdict
    last = Last(when, before.since if before and same else when, judgement.verdict, dict(judgement.gpus),
                evidence(judgement))
    old = {NODE: before.verdict, **before.gpus} if before else {}
    lines = []
    for subject, verdict in {NODE: judgement.verdict, **judgement.gpus}.items():
        if old.get(subject) != verdict:
            ids = sorted({check.id for check in bad if subject in (NODE, check.subject)})
            lines.append(json.dumps({"when": when, "profile": profile, "subject": subject, "from": old.get(subject),
                                     "to": verdict, "checks": ids}, sort_keys=True) + "\n")
    return History({**history.profiles, profile: last}), tuple(lines)
