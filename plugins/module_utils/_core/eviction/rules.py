# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The numbers of evictions, each with its source: eviction/rules.yml of the role gpu_reservation."""

from __future__ import annotations

import dataclasses as dc
import functools
import typing as t

from ..errors import DataError
from ..records import Document, begun, cited
from ..release.provenance import CONFIDENCES
from ..strict import Reader
from .shape import Rules

KIND = "eviction_rules"


def read_rules(document: Document) -> Rules:
    """The rules of a file.

    Raises:
        DataError: it is not of its form; the message names it.
    """
    reader, _kind = begun(document["data"], document["path"], (KIND,))
    known = reader.texts_by_name("sources")
    numbers = reader.record("rules", functools.partial(_all, known=known))
    found = Rules(**numbers, shared_memory=reader.texts("shared_memory"))
    reader.done()
    return found


def _all(reader: Reader, known: t.Mapping[str, str]) -> dict[str, int]:
    names = [field.name for field in dc.fields(Rules) if field.default is dc.MISSING]
    return {name: reader.record(name, functools.partial(_one, known=known)) for name in names}


def _one(reader: Reader, known: t.Mapping[str, str]) -> int:
    number = reader.count("number")
    cited(reader, known)
    reader.choice("confidence", CONFIDENCES)
    reader.text("note", "")
    if not number:
        raise DataError(f"{reader.path}.number", "is missing or 0", "give a number from 1")
    return number
