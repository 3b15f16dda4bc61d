# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A health profile: which checks a GPU node must pass, with which limits, and what no data means.

The numbers are data with their sources. What a check measures is in the other files of this package, by its id.
"""

from __future__ import annotations

import dataclasses as dc

from ..errors import DataError
from ..findings import DOMAINS, Cause
from ..release.provenance import CONFIDENCES
from ..strict import Reader
from .measures import MEASURES

VERSION, KIND = "v1", "health_profile"
NAME = r"[a-z][a-z0-9_]*"
ABOVE, BELOW = "above", "below"
NOW, BASELINE, HOUR = "now", "baseline", "hour"
BLOCKS, TOLERATED = "blocks", "tolerated"
TOOLS = ("rvs", "transferbench", "rocm_bandwidth_test", "amdgpuhealth")


@dc.dataclass(frozen=True)
class Limit:
    """One limit of a check.

    Attributes:
        verdict: warn or fail, where the limit is broken.
        when: above or below: on which side of the limit is the harm.
        number: the limit; None where only what the device names counts.
        margin: the limit is so far below what the device itself names, where it names one; None: never ask it.
        since: now (the value as it is), baseline (what came since the baseline), hour (the same in an hour).
        products: for these alone, in place of the limits for all.
        sources: who says so.
        confidence: how sure that is.
    """

    verdict: str
    when: str
    number: int | None
    margin: int | None
    since: str
    products: tuple[str, ...]
    sources: tuple[str, ...]
    confidence: str

    @classmethod
    def read(cls, reader: Reader) -> Limit:
        """One record of ``limits``."""
        limit = cls(
            verdict=reader.choice("verdict", ("warn", "fail")), when=reader.choice("when", (ABOVE, BELOW)),
            number=reader.count("number"), margin=reader.count("margin"),
            since=reader.choice("since", (NOW, BASELINE, HOUR), NOW), products=reader.texts("products", ()),
            sources=_sources(reader), confidence=reader.choice("confidence", CONFIDENCES),
        )
        if limit.number is None and limit.margin is None:
            raise DataError(reader.path, "has neither number nor margin", "give one of them")
        return limit


@dc.dataclass(frozen=True)
class Rule:
    """One check of a profile.

    Attributes:
        id: which measure it judges.
        title: in words.
        domain: who has to act.
        unknown: blocks or tolerated: what it means for the node if there is no data.
        limits: the strictest that is broken counts.
        not_products: GPUs that have no such thing.
        why: why it matters, what to do, who says so.
    """

    id: str
    title: str
    domain: str
    unknown: str
    limits: tuple[Limit, ...]
    not_products: tuple[str, ...]
    why: Cause

    def limits_for(self, product: str | None) -> tuple[Limit, ...]:
        """The limits for a product: its own, and those for all that it has no own of the same verdict and kind for."""
        own = tuple(limit for limit in self.limits if product in limit.products)
        taken = {(limit.verdict, limit.since) for limit in own}
        return own + tuple(limit for limit in self.limits
                           if not limit.products and (limit.verdict, limit.since) not in taken)


@dc.dataclass(frozen=True)
class Active:
    """A tool that is run to see whether the GPUs work, where it is installed.

    Attributes:
        rule: the check that its results become.
        tool: which program it is, and so how its output is read.
        arguments: given to the program.
        timeout: seconds after which it is ended.
    """

    rule: Rule
    tool: str
    arguments: tuple[str, ...]
    timeout: int


@dc.dataclass(frozen=True)
class Profile:
    """What a node must show.

    Attributes:
        id: its name.
        title: in words.
        settle_seconds: how long a node may need until it shows it; what a gate waits at most if nobody says otherwise.
        rate_minimum_seconds: a rate over less than that says nothing.
        rate_window_seconds: over how long rates are reckoned, at least.
        quarantine: whether a node that fails is set aside.
        lifts: whether passing lifts a quarantine that a gate set.
        rules: its checks.
        active: tools to run.
    """

    id: str
    title: str
    settle_seconds: int
    rate_minimum_seconds: int
    rate_window_seconds: int
    quarantine: bool
    lifts: bool
    rules: tuple[Rule, ...]
    active: tuple[Active, ...]

    @classmethod
    def from_document(cls, document: object, path: str = "profile") -> Profile:
        """A profile that extends no other any more (see ``inherit.resolve``).

        Raises:
            DataError: it is not of the form that the schema describes.
        """
        reader = Reader(document, f"{path}:")
        reader.choice("version", (VERSION,))
        reader.choice("kind", (KIND,))
        unknown = reader.choice("unknown", (BLOCKS, TOLERATED))
        profile = cls(
            id=reader.text("id", pattern=NAME), title=reader.text("title"),
            settle_seconds=_seconds(reader, "settle_seconds"),
            rate_minimum_seconds=_seconds(reader, "rate_minimum_seconds"),
            rate_window_seconds=_seconds(reader, "rate_window_seconds"),
            quarantine=reader.flag("quarantine", False), lifts=reader.flag("lifts", False),
            rules=tuple(rule for rule in _rules(reader, unknown) if rule),
            active=tuple(item for item in _actives(reader, unknown) if item),
        )
        reader.done()
        return profile


def _rules(reader: Reader, unknown: str) -> tuple[Rule | None, ...]:
    raw = reader.named("checks", lambda r: _rule(r, unknown))
    for name in raw:
        if name not in MEASURES:
            raise DataError(f"{reader.path} checks.{name}", "is no check of this collection",
                            f"choose one of {', '.join(sorted(MEASURES))}")
    return tuple(rule and dc.replace(rule, id=name) for name, rule in raw.items())


def _rule(reader: Reader, unknown: str) -> Rule | None:
    rule = Rule(
        id="", title=reader.text("title"), domain=reader.choice("domain", DOMAINS),
        unknown=reader.choice("unknown", (BLOCKS, TOLERATED), unknown),
        limits=reader.records("limits", Limit.read), not_products=reader.texts("not_products", ()),
        why=Cause(reader.text("cause"), reader.text("remedy"), _sources(reader),
                  reader.choice("confidence", CONFIDENCES)),
    )
    return rule if reader.flag("enabled", True) else None


def _actives(reader: Reader, unknown: str) -> tuple[Active | None, ...]:
    raw = reader.named("active", lambda r: _active(r, unknown))
    return tuple(item and dc.replace(item, rule=dc.replace(item.rule, id=name)) for name, item in raw.items())


def _active(reader: Reader, unknown: str) -> Active | None:
    tool, arguments = reader.choice("tool", TOOLS), reader.texts("arguments", ())
    timeout, rule = _seconds(reader, "timeout_seconds"), _rule(reader, unknown)
    return Active(rule, tool, arguments, timeout) if rule else None


def _sources(reader: Reader) -> tuple[str, ...]:
    sources = reader.texts("sources")
    if not sources:
        raise DataError(f"{reader.path}.sources", "is empty: a number without a source is none", "say where it is from")
    return sources


def _seconds(reader: Reader, key: str) -> int:
    value = reader.count(key)
    if value is None:
        raise DataError(f"{reader.path} {key}", "is missing", "add it")
    return value
