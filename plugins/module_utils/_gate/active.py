# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Tools that put GPUs under load, where they are installed: run one after the other, each bounded in time."""

from __future__ import annotations

import os
import typing as t

from .._act.process import run
from .._core.errors import FleetError
from .._core.health.actives import Ran
from .._core.health.profile import Active

# Where each tool is, most special first; what is on the PATH of others is not run as root.
_PLACES = {
    "rvs": ("/opt/rocm/bin/rvs", "/usr/bin/rvs"),
    "transferbench": ("/opt/rocm/bin/TransferBench", "/usr/bin/TransferBench"),
    "rocm_bandwidth_test": ("/opt/rocm/bin/rocm-bandwidth-test", "/usr/bin/rocm-bandwidth-test"),
    "amdgpuhealth": ("/var/lib/amd-metrics-exporter/amdgpuhealth", "/usr/local/bin/amdgpuhealth",
                     "/usr/bin/amdgpuhealth"),
}


def run_all(actives: t.Sequence[Active]) -> tuple[tuple[Active, Ran], ...]:
    """Run each tool."""
    return tuple((active, run_one(active)) for active in actives)


def run_one(active: Active) -> Ran:
    """Run one tool for at most its time."""
    program = next((path for path in _PLACES[active.tool] if os.access(path, os.X_OK)), None)
    if program is None:
        return Ran(problem=f"{active.tool} is not installed")
    try:
        done = run([program, *active.arguments], active.timeout)
    except (FleetError, OSError) as error:
        return Ran(problem=f"{program} could not be run: {error}")
    if done.timed_out:
        return Ran(problem=f"{active.tool} did not end within {active.timeout} s")
    return Ran(done.code, done.out, done.err)
