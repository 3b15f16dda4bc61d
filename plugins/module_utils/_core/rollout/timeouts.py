# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How long a node that reboots is waited for, by the products of its GPUs."""

from __future__ import annotations

import functools
import re
import typing as t

from ..errors import DataError
from ..records import Document, begun, cited
from ..release.provenance import CONFIDENCES
from ..strict import Contradiction, Reader

KIND = "reboot_timeouts"
_EITHER = re.compile(r"\s+or\s+")


def longest(timeouts: t.Mapping[str, int], products: t.Iterable[str]) -> int:
    """Seconds for a node with such GPUs. A product that is not known, or one of two, counts as any that it may be."""
    names = [name for product in products for name in _EITHER.split(product)]
    return max(timeouts.get(name, timeouts[""]) for name in ("", *names))


def read_timeouts(document: Document) -> dict[str, int]:
    """Seconds by product; those of "" are for any node.

    Raises:
        DataError: the file is not of its form, or has none for any node; the message names it.
        Contradiction: it says two things of one product.
    """
    reader, _kind = begun(document["data"], document["path"], (KIND,))
    known = reader.texts_by_name("sources")
    found: dict[str, int] = {}
    for path, (product, seconds) in reader.records("timeouts", functools.partial(_timeout, known=known), []):
        if product in found:
            raise Contradiction(path, "says again what is said above", "remove one")
        found[product] = seconds
    reader.done()
    if "" not in found:
        raise DataError(f"{document['path']}: timeouts", "has none for any node", "add one without a product")
    return found


def _timeout(reader: Reader, known: t.Mapping[str, str]) -> tuple[str, tuple[str, int]]:
    product, seconds = reader.text("product", ""), reader.count("seconds")
    cited(reader, known)
    reader.choice("confidence", CONFIDENCES)
    reader.text("note", "")
    if not seconds:
        raise DataError(f"{reader.path}.seconds", "is missing or 0", "add it")
    return reader.path, (product, seconds)
