# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which kernel boots next, and which one comes back if that does not come up."""

from __future__ import annotations

import dataclasses as dc


@dc.dataclass(frozen=True)
class Choice:
    """Attributes: the kernel that boots next, and the one that boots by default until that has proved itself."""

    next: str
    default: str


def choice(wanted: str | None, running: str, kept: bool, proved: bool) -> Choice:
    """What is known to work is the default: the kernel that runs, or on the way back the one that ran before.

    Args:
        wanted: the pinned kernel; none for the one that runs.
        running: the kernel that runs.
        kept: whether the node goes back to what it kept.
        proved: whether a reboot follows that proves the next one; else nobody would ever make it the default.
    """
    following = wanted or running
    return Choice(following, following if kept or not proved else running)
