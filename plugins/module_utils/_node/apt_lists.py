# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The lists that apt has of its repositories."""

from __future__ import annotations

import stat

from .._core.formats import apt_lists
from .machine import Machine

LISTS = "/var/lib/apt/lists"


def torn(machine: Machine, folder: str = LISTS) -> tuple[str, ...]:
    """Paths of those that are not whole.

    Raises:
        UnreadableError: they cannot be read.
    """
    there = ((name, machine.stat(f"{folder}/{name}")) for name in machine.names(folder))
    sizes = {name: found.st_size for name, found in there if found and stat.S_ISREG(found.st_mode)}
    names = apt_lists.torn(sizes, lambda name: machine.text(f"{folder}/{name}") or "")
    return tuple(f"{folder}/{name}" for name in names)
