# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the firmware columns of AMD's tables to what can be compared. A form that is not known is an error."""

from __future__ import annotations

import re
from typing import Any

from translate import provenance

Fact = dict[str, Any]

LATER = r"(?P<later> or later)?"
# Form of a version -> the kinds that it tells, the one that is compared first.
FORMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (rf"(?P<pldm>\d\d(?:\.\d\d){{3}}){LATER}(?: \(needed for [^)]+\))?", ("pldm",)),
    (rf"MU(?P<mu>\d+) (?:with|w/) IFWI (?P<ifwi>\w+){LATER}", ("ifwi", "mu")),
    (rf"IFWI (?P<ifwi>\w+){LATER}", ("ifwi",)),
    (rf"BKC ?(?P<bkc>\d+(?:\.\d+)?) \(IFWI (?P<ifwi>\w+)\){LATER}", ("bkc", "ifwi")),
    (rf"BKC (?P<bkc>\d+(?:\.\d+)?){LATER}", ("bkc",)),
    (r"(?P<pi>PI\w+)", ("pi",)),
    (r"VBIOS (?P<vbios>[\w-]+)", ("vbios",)),
)


def row(fact: Fact, confidence: str) -> Fact:
    """A record of ``firmware``."""
    versions = [version(text) for text in fact["versions"]]
    return {"gpu": fact["gpu"], "kind": fact["kind"], "versions": versions} | provenance(fact, confidence)


def version(text: str) -> Fact:
    """A record of ``firmware[].versions``."""
    match, (kind, *others) = next(((m, kinds) for form, kinds in FORMS if (m := re.fullmatch(form, text))),
                                  (None, ("",)))
    if not match:
        raise ValueError(f"firmware: not understood: {text}")
    found = match.groupdict()
    record: Fact = {"text": text, "kind": kind, "value": found[kind]}
    if found.get("later"):
        record["or_later"] = True
    return record | ({"also": [{"kind": other, "value": found[other]} for other in others]} if others else {})
