# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What the tools of ROCm print as JSON: banners before it, and the wrappings that releases put around the same records.

A list of records, one record alone, a mapping with the list under one key (gpu_data), or a mapping from card to record.
source: ROCm/amdsmi:CHANGELOG.md; ROCm/ROCm issues with outputs of 6.1 to 10.1
"""

from __future__ import annotations

import json
import re
import typing as t

from ..errors import DataError

Record = dict[str, t.Any]

_START = re.compile(r"^[ \t]*(?=[\[{]\s*(?:[\[{\"\]}]|$))", re.MULTILINE)
_CARD = re.compile(r"^(?:card|gpu)[ _]?(\d+)$", re.IGNORECASE)


def _refuse(constant: str) -> t.NoReturn:
    raise ValueError(f"{constant} is not JSON")


def document(text: str) -> t.Any:
    """Return the first JSON document of a text, banners before and prompts behind it skipped; None if there is none.

    Raises:
        DataError: it begins, but is cut off or damaged.
    """
    start = _START.search(text)
    if start is None:
        return None
    try:
        return json.JSONDecoder(parse_constant=_refuse).raw_decode(text, start.end())[0]
    except RecursionError:
        raise DataError("JSON", "is nested too deep") from None
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        what = "is cut off" if cut else f"is damaged in line {error.lineno}: {error.msg}"
        raise DataError("JSON", what, "take it again") from None
    except ValueError as error:
        raise DataError("JSON", f"is damaged: {error}"[:120], "take it again") from None


def records(data: t.Any) -> list[Record]:
    """Return the records of a document, whatever stands around them; cards of a mapping get ``gpu``."""
    if isinstance(data, list):
        return [item for item in data if isinstance(item, dict)]
    if not isinstance(data, dict):
        return []
    cards = [(int(match[1]), value) for match, value in ((_CARD.match(key), value) for key, value in data.items())
             if match and isinstance(value, dict)]
    if cards:
        return [{**value, "gpu": number} for number, value in cards]
    inner = data.get("gpu_data")
    return records(inner) if isinstance(inner, list) else [data]
