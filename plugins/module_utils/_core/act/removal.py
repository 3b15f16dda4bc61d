# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a removal of packages may take with it: nothing that was not named."""

from __future__ import annotations

import re
import typing as t

from ..errors import FleetError

# A line of apt-get --simulate for each package: Remv rocminfo:amd64 [1.0.0.70203-90~24.04] (apt-get(8))
_REMOVED = re.compile(r"^(?:Remv|Purg) (?P<name>[^\s:]+)", re.MULTILINE)


def parse_simulation(text: str) -> tuple[str, ...]:
    """Names of the packages that apt would remove."""
    return tuple(sorted({match["name"] for match in _REMOVED.finditer(text)}))


def refuse_more(names: t.Collection[str], removed: t.Collection[str], way_out: str = "") -> None:
    """Refuse a removal that takes more than was named: somebody else's packages need what would go.

    ``way_out``: what else can be done than to remove them first, in words.

    Raises:
        FleetError: names them.
    """
    more = sorted(set(removed) - set(names))
    if more:
        raise FleetError(", ".join(more), f"{'needs' if len(more) == 1 else 'need'} what should be removed, "
                         "and would go with it", remove_first("it" if len(more) == 1 else "them", way_out))


def remove_first(what: str, way_out: str) -> str:
    """The hint of a refusal to remove packages that others need."""
    return f"remove {what} first" + (f", or {way_out}" if way_out else "")
