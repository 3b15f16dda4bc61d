# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The part of a look that is about logs: which known patterns were met, how often, and where. Read through shape.py."""

from __future__ import annotations

import dataclasses as dc

from .gpus import Unknown


@dc.dataclass(frozen=True)
class Hit:
    """Lines of one log that one pattern met, with the same subject and the same value of the group that it keeps apart.

    ``first`` and ``last`` count the lines of that log from 0; clocks jump, line numbers do not.
    """

    id: str  # of the pattern, which is the id of a fault or of a mark
    where: str  # kernel, dkms, packages, container, library, tool
    origin: str  # kmsg, journal, or the path of a file
    subject: str  # PCI address, or "node"
    count: int
    first: int
    last: int
    groups: dict[str, str] = dc.field(default_factory=dict)  # named groups: each as the last line had it that had it
    sums: dict[str, int] = dc.field(default_factory=dict)  # groups that begin with new_: added up over all lines
    sample: tuple[str, ...] = ()  # first and last line, cut to 300 characters
    first_time: str = ""  # as the log has it; "" if it has none
    last_time: str = ""
    followed: dict[str, int] = dc.field(default_factory=dict)  # id of another pattern -> lines from one of ours to it


@dc.dataclass(frozen=True)
class LogRead:
    """One log that was read."""

    where: str
    origin: str
    lines: int
    complete: bool | None = None  # it reaches back to the start of this boot; None: cannot be told
    boots: int | None = None  # how many boots it has; only the last one counts


@dc.dataclass(frozen=True)
class Log:
    """What logs of the node hold of the patterns that were asked for."""

    read: tuple[LogRead, ...] = ()
    hits: tuple[Hit, ...] = ()
    unknown: Unknown = dc.field(default_factory=dict)  # kernel, dkms, packages -> why it could not be read
