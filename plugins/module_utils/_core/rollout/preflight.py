# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What speaks against an upgrade by its plan alone, and by what other tasks were told in check mode."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..act.check import OK, REFUSED, UNKNOWN, Check
from .due import INSTALLS, Due, Plain

_CHANGES = (*INSTALLS, "remove", "evict")


def of_plan(seen: Due) -> tuple[Check, ...]:
    """Problems that would make the gate or the proof fail at the end; a reboot that is needed and not allowed."""
    checks = [Check("plan", REFUSED, problem) for problem in seen.problems] or [
        Check("plan", OK, "every problem is one that a step mends")]
    if seen.reboot and not seen.has("reboot"):
        checks.append(Check("reboot", REFUSED, f"a reboot is needed and not allowed ({seen.reboot}); "
                                               "set gpu_driver_reboot_allowed to true"))
    return tuple(checks)


def of_packages(seen: Due, broken: t.Sequence[tuple[str, str]]) -> tuple[Check, ...]:
    """Packages that are half done. ``broken``: their names and states.

    One that is half installed can only be installed again or removed, which the plan does with its own alone; all
    others it configures.
    """
    name = "half-done packages"
    if not broken or not seen.has(*_CHANGES):
        return ()
    touched = {package for data in seen.data("repair") for package in data["packages"]}
    lost = [package for package, state in broken if state == "half-installed" and package not in touched]
    if lost:
        return (Check(name, REFUSED, f"{', '.join(lost)}: half installed, and not of this release; "
                                     "install or remove it by hand, then run again"),)
    words = ", ".join(f"{package} ({state})" for package, state in broken)
    return (Check(name, OK, f"are finished first: {words}"),)


def of_answer(name: str, answer: Plain, good: str) -> Check:
    """What a task came to that asked something in check mode. ``good``: what is said of it where it did not fail."""
    if answer.get("unreachable"):
        return Check(name, REFUSED, "the host that was asked did not answer")
    if answer.get("failed"):
        return Check(name, REFUSED, str(answer.get("msg") or "failed without a reason; run again with -v"))
    return Check(name, OK, good)


def of_boot(answer: Plain) -> Check:
    """What node_boot said in check mode: whether the kernel that is known to work comes back by itself."""
    check = of_answer("boot", answer, "a kernel that does not come up gives way to the one that runs")
    words = (answer.get("fallback") or {}).get("words", "")
    return dc.replace(check, verdict=UNKNOWN, words=words) if check.verdict == OK and words else check


def of_trial(steps: t.Container[str], built: Plain) -> Check:
    """What came of the build on trial.

    Args:
        steps: actions that the plan of the driver has.
        built: what gpu_driver_trial came to; nothing of the kind where it was not asked.
    """
    if "trial" not in steps:
        return Check("trial", OK, "no driver is to be built")
    if "tools" in steps:
        return Check("trial", UNKNOWN, "the driver is built on trial only once dkms is installed there")
    if built.get("failed"):
        return of_answer("trial", built, "")
    if not built.get("tried"):
        return Check("trial", UNKNOWN, "the node did not answer when the driver was to be built on trial")
    return Check("trial", OK, "; ".join(one["words"] for one in built["results"]))
