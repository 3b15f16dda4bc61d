# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Making one ROCm the active one."""

from __future__ import annotations

import typing as t

from .._core.errors import FleetError
from .._core.look.shape import Rocm
from .._core.plan.rocm_active import Commands
from .._node import rocm
from .._node.machine import Machine
from .process import run

_QUICK = 60


def look() -> Rocm:
    """What is installed, and what is active.

    Raises:
        FleetError: it cannot be seen.
    """
    seen = rocm.read(Machine())
    for field, reason in sorted(seen.unknown.items()):
        raise FleetError(f"rocm.{field}", f"is unknown: {reason}", "run as root (become: true)")
    return seen


def refuse_missing(seen: Rocm, prefix: str) -> None:
    """Refuse to activate what is not there.

    Raises:
        FleetError: says what is.
    """
    paths = [p.path for p in seen.prefixes]
    if prefix not in paths:
        raise FleetError("prefix", f"there is no ROCm in {prefix}", f"there is {', '.join(paths) or 'none'}")


def carry_out(commands: Commands, left: t.Callable[[Rocm], Commands]) -> Rocm:
    """Run commands and look again; ``left`` tells what would still have to be run.

    Raises:
        FleetError: one of them failed, or it did not help.
    """
    for argv in commands:
        done = run(argv, _QUICK)
        if done.code:
            raise FleetError(" ".join(argv), f"ended with {done.code}: {' '.join((done.err or done.out).split())}",
                             "look at /opt/rocm and at update-alternatives")
    after = look()
    more = left(after)
    if more:
        raise FleetError("/opt/rocm", f"is not as wanted after all commands: {' '.join(more[0])} is left",
                         "look at /opt/rocm and at update-alternatives")
    return after
