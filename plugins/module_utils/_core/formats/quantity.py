# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Numbers as tools print them: with a unit, as a mapping of value and unit, or "N/A" where there is none."""

from __future__ import annotations

import math
import re
import typing as t

_NUMBER = re.compile(r"^\s*(?P<sign>-?)(?P<value>\d{1,18}(?:\.\d{1,9})?)\s*(?P<unit>[^\d\s][^\s]*)?\s*$")
_BYTES = {"b": 1, "kb": 1024, "kib": 1024, "mb": 1024**2, "mib": 1024**2, "gb": 1024**3, "gib": 1024**3,
          "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4, "tb": 1024**4}


def quantity(value: t.Any) -> tuple[float, str] | None:
    """Return (number, unit in lower case) of 750, "750 W" or {"value": 750, "unit": "W"}; None for anything else."""
    if isinstance(value, dict):
        inner = quantity(value.get("value"))
        return None if inner is None else (inner[0], str(value.get("unit") or inner[1]).lower())
    if isinstance(value, str):
        match = _NUMBER.match(value)
        return None if match is None else (float(match["sign"] + match["value"]), (match["unit"] or "").lower())
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value), ""


def whole(value: t.Any) -> int | None:
    """Return the number without its unit, rounded; None if there is none, or a negative one."""
    found = quantity(value)
    return None if found is None or found[0] < 0 else round(found[0])


def size(value: t.Any, unit: str = "b") -> int | None:
    """Return bytes; a number without unit counts in ``unit``. Tools write MB and mean MiB."""
    found = quantity(value)
    factor = None if found is None else _BYTES.get(found[1] or unit.lower())
    return None if found is None or factor is None else round(found[0] * factor)


def speed(value: t.Any) -> int | None:
    """Return MT/s of "32 GT/s", "16GT/s" or 32 (GT/s); numbers from 1000 on are MT/s already."""
    found = quantity(value)
    if found is None or found[0] <= 0:
        return None
    return round(found[0] if found[1].startswith("mt/s") or found[0] >= 1000 else found[0] * 1000)


def word(value: t.Any) -> str | None:
    """Return a text; None for "N/A", "NA", "None", an empty text and anything that is no text."""
    text = value.strip() if isinstance(value, str) else ""
    return text if text and text.upper() not in ("N/A", "NA", "NONE", "UNKNOWN") else None
