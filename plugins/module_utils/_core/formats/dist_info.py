# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""METADATA of a package of Python: fields of a mail, and a text after them.

source: https://packaging.python.org/en/latest/specifications/core-metadata/
"""

from __future__ import annotations

from ..errors import DataError


def parse(text: str) -> tuple[str, str]:
    """Name and version.

    Raises:
        DataError: it has not just one of each.
    """
    head = text.replace("\r\n", "\n").partition("\n\n")[0]
    fields = [line.partition(":") for line in head.splitlines()]
    return _only(fields, "name"), _only(fields, "version")


def _only(fields: list[tuple[str, str, str]], name: str) -> str:
    found = [value.strip() for field, _sign, value in fields if field.lower() == name]
    if len(found) != 1 or not found[0]:
        raise DataError("METADATA", f"has not one {name}", "see the folder that it is in")
    return found[0]
