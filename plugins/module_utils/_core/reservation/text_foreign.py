# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Files that somebody else wrote where the set has one: they are neither replaced nor removed."""

from __future__ import annotations

import typing as t

from ..act.fileset import Seen, Wanted
from ..errors import FleetError
from .text_names import HEADER

_DATA = ".json"  # has no header to tell by


def ours(wanted: t.Iterable[Wanted], found: t.Mapping[str, Seen], refuses: bool) -> tuple[Wanted, ...]:
    """The files of a set without those that are of others.

    Args:
        wanted: the set.
        found: what is at each path.
        refuses: whether one that should be written is refused instead of left; one to remove is left in any case.

    Raises:
        FleetError: there is such a file.
    """
    theirs = [file for file in wanted if found[file.path].kind == "file" and not file.path.endswith(_DATA)
              and not found[file.path].content.startswith(HEADER.encode())]
    blocking = [file.path for file in theirs if file.content is not None and refuses]
    if blocking:
        raise FleetError(blocking[0], "is there, and the role gpu_reservation did not write it",
                         "move it away, or let the role write to another path")
    return tuple(file for file in wanted if file not in theirs)
