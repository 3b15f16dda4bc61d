# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Only a machine that was made to be simulated is touched."""

from __future__ import annotations

from pathlib import Path

from .errors import SimError
from .state import State

MARKER = Path("/usr/lib/instinct-sim/SIMULATED")


def marked() -> bool:
    """Whether this machine was made to be simulated."""
    return MARKER.exists()


def check(state: State) -> None:
    """Refuse to write to the machine's own /sys or /dev where that could be a real one.

    Raises:
        SimError: this machine is not marked as simulated, and the state names its real folders.
    """
    for key, real in (("node.sysfs", "/sys"), ("node.dev", "/dev")):
        if state.get(key) == real and not marked():
            raise SimError(
                f"{real}: this machine is not a simulated one ({MARKER} is missing); give another folder as {key}"
            )
