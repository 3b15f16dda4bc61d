# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Carries out a plan of RDMA: files as one set, then modules of the kernel."""

from __future__ import annotations

from .._core.errors import FleetError
from .._core.rdma.plan import Plan
from .files import replace_all
from .process import run


def carry_out(plan: Plan, timeout: float) -> None:
    """Do what the plan says.

    Raises:
        FleetError: a file cannot be written, or a module does not load.
    """
    replace_all(plan.files)
    for name in plan.load:
        done = run(["modprobe", "--", name], timeout)
        if done.timed_out:
            raise FleetError(f"module {name}", f"did not load within {timeout:.0f} s", "see the kernel's log")
        if done.code:
            said = " ".join((done.err or done.out).split())
            raise FleetError(f"module {name}", f"does not load: {said}", "install its driver, then run again")
