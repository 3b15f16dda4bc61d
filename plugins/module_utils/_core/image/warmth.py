# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Whether files of an image are read into memory before anybody asks for them."""

from __future__ import annotations

WARM, WARMED, COLD, TOO_LARGE = "warm", "warmed", "cold", "too_large"
# Of what is available: programs of the node need the rest, and the kernel gives up files when it lacks room.
_SHARE = 0.5


def state(size: int, cold: int, available: int) -> str:
    """``warm``: nothing is to be read; ``too_large``: it would push out what the node needs; else ``cold``."""
    if not cold:
        return WARM
    return COLD if size <= available * _SHARE else TOO_LARGE
