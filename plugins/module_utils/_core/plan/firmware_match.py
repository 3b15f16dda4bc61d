# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Whether a version that was read is one that will do.

Versions are put in order only where their grammar is known, and only within a kind. Answers are True, False, or None
where nothing can be said.
"""

from __future__ import annotations

import re
import typing as t

from ..release.firmware import FirmwareVersion

Seen = t.Mapping[str, t.Optional[str]]  # kind -> version as the node says it

# Kind of a version -> its grammar. A kind that is not here is compared to nothing: no reading inside the node tells it.
GRAMMARS = {
    "pldm": r"\d{2,3}(?:\.\d{2,3}){3}",  # 01.26.01.03; source: amdsmi_interface.py, which prints numbers so
    "vbios": r"[A-Z]\w+-\w+",  # D3430401-037
    "nic": r"\w+(?:[.-]\w+)+",  # 28.46.3048, 1.117.5-a-45
}
# Part numbers that GPUs tell begin so (113-D3431500-101); tables of releases leave it out.
_PART = "113-"
_LATER = " or later"


def fulfils(versions: t.Iterable[FirmwareVersion], seen: Seen) -> bool | None:
    """Whether what was read is any one of the versions."""
    answers = {_is(version, seen) for version in versions}
    return True if True in answers else None if None in answers else False


def nic_version(text: str) -> FirmwareVersion | None:
    """A version that a site wants on a NIC; None if it asks for an order that the version does not have."""
    value = text.removesuffix(_LATER)
    if not re.fullmatch(GRAMMARS["nic"], value, re.ASCII) or (value != text and _numbers(value) is None):
        return None
    return FirmwareVersion(text, "nic", value, or_later=value != text)


def _is(wanted: FirmwareVersion, seen: Seen) -> bool | None:
    """Whether all that the version asks for is there: what is missing decides, what is unknown does not."""
    answers = {_compared(wanted, _plain(wanted.kind, seen.get(wanted.kind)))}
    answers |= {True if _plain(part.kind, seen.get(part.kind)) == part.value else None for part in wanted.also}
    return False if False in answers else None if None in answers else True


def _plain(kind: str, text: str | None) -> str | None:
    """A version of the node as tables print it; None if it has not the grammar of its kind."""
    short = text[len(_PART):] if text and kind == "vbios" and text.startswith(_PART) else text
    return short if short and kind in GRAMMARS and re.fullmatch(GRAMMARS[kind], short, re.ASCII) else None


def _compared(wanted: FirmwareVersion, have: str | None) -> bool | None:
    if have is None or have == wanted.value:
        return None if have is None else True
    first, second = _numbers(have), _numbers(wanted.value)
    if first is None or second is None:
        return None if wanted.or_later else False
    if first == second:  # 22.41.01000 and 22.41.1000
        return True
    # "01.25.13.04 (needed for SPX/NPS1)": what comes before will not do, of what comes after nothing is said.
    remark = wanted.text.endswith(")") and not wanted.or_later
    if first > second:
        return wanted.or_later or (None if remark else False)
    return False


def _numbers(version: str) -> tuple[int, ...] | None:
    """What numeric versions are ordered by; None for others."""
    return tuple(map(int, version.split("."))) if re.fullmatch(r"\d+(?:\.\d+)*", version, re.ASCII) else None
