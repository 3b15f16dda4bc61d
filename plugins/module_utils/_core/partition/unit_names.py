# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Names of systemd's units as people write them: slurmd is slurmd.service, and processes are in that."""

from __future__ import annotations

import re
import typing as t

from ..errors import DataError

_KINDS = "service|socket|timer|path|target|mount|slice|scope"
_NAME = re.compile(rf"(?!-)(?!.*@(?:\.\w+)?$)[A-Za-z0-9:_.@\\-]+?(?P<kind>\.(?:{_KINDS}))?", re.ASCII)


def unit_names(listed: t.Iterable[str], where: str = "stop_units") -> tuple[str, ...]:
    """The names as systemd lists them, each once.

    Raises:
        DataError: one is no name of a unit.
    """
    found = []
    for name in listed:
        match = _NAME.fullmatch(name)
        if not match:
            raise DataError(where, f"{name!r} is no name of a unit", "write it as in slurmd.service")
        found.append(name if match["kind"] else f"{name}.service")
    return tuple(dict.fromkeys(found))
