# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What speaks against an upgrade by its plan alone, and what answers in check mode come to."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.check import Check
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import preflight
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.due import Due
from ansible_collections.instinct.fleet.tests.unit.support.plans_due import BUILD, INSTALL, REBOOT, Step, due


@pytest.mark.parametrize(("seen", "checks"), [
    (due(INSTALL), [Check("plan", "ok", "every problem is one that a step mends")]),
    (due(INSTALL, problems=["amdgpu does not load at boot", "b"]), [
        Check("plan", "refused", "amdgpu does not load at boot"), Check("plan", "refused", "b")]),
    (due(INSTALL, REBOOT, reboot="kernel must boot"), [Check("plan", "ok", "every problem is one that a step mends")]),
    (due(INSTALL, reboot="kernel must boot"), [
        Check("plan", "ok", "every problem is one that a step mends"),
        Check("reboot", "refused", "a reboot is needed and not allowed (kernel must boot); "
                                   "set gpu_driver_reboot_allowed to true")]),
])
def test_the_plan_refuses_what_its_proof_would(seen: Due, checks: list[Check]) -> None:
    assert list(preflight.of_plan(seen)) == checks


HALF = [("linux-image-6.12", "half-configured"), ("amdgpu-dkms", "half-installed")]
REPAIR: Step = ("gpu_driver", "repair", {"packages": ["amdgpu-dkms"]})


@pytest.mark.parametrize(("steps", "broken", "verdict", "words"), [
    ((INSTALL, REPAIR), HALF, "ok",
     "are finished first: linux-image-6.12 (half-configured), amdgpu-dkms (half-installed)"),
    ((INSTALL, REPAIR), [*HALF, ("mesa", "half-installed")], "refused",
     "mesa: half installed, and not of this release; install or remove it by hand, then run again"),
])
def test_half_done_packages_that_the_repair_does_not_end_are_refused(
    steps: tuple[Step, ...], broken: list[tuple[str, str]], verdict: str, words: str,
) -> None:
    assert preflight.of_packages(due(*steps), broken) == (Check("half-done packages", verdict, words),)


def test_half_done_packages_matter_where_packages_change() -> None:
    assert preflight.of_packages(due(BUILD), HALF) == preflight.of_packages(due(INSTALL), []) == ()


@pytest.mark.parametrize(("answer", "check"), [
    ({"standing": "open"}, Check("scheduler", "ok", "good")),
    ({"failed": True, "msg": "slurm: no answer"}, Check("scheduler", "refused", "slurm: no answer")),
    ({"failed": True}, Check("scheduler", "refused", "failed without a reason; run again with -v")),
    ({"unreachable": True, "failed": True}, Check("scheduler", "refused", "the host that was asked did not answer")),
])
def test_what_a_question_in_check_mode_came_to(answer: dict[str, t.Any], check: Check) -> None:
    assert preflight.of_answer("scheduler", answer, "good") == check


@pytest.mark.parametrize(("answer", "verdict", "words"), [
    ({"fallback": {"words": ""}}, "ok", "a kernel that does not come up gives way to the one that runs"),
    ({"fallback": {"words": "GRUB cannot write"}}, "unknown", "GRUB cannot write"),
    ({"failed": True, "msg": "boot loader: x", "fallback": {"words": "y"}}, "refused", "boot loader: x"),
    ({}, "ok", "a kernel that does not come up gives way to the one that runs"),
])
def test_a_kernel_that_would_not_come_back_is_said(answer: dict[str, t.Any], verdict: str, words: str) -> None:
    assert preflight.of_boot(answer) == Check("boot", verdict, words)


BUILDS = {"trial": [{"data": {}}]}
TRIALS: dict[str, tuple[dict[str, t.Any], dict[str, t.Any], Check]] = {
    "of nothing": ({"install": []}, {}, Check("trial", "ok", "no driver is to be built")),
    "that cannot be yet": ({**BUILDS, "tools": []}, {"skipped": True},
                           Check("trial", "unknown", "the driver is built on trial only once dkms is installed there")),
    "that went well": (BUILDS, {"tried": True, "results": [{"words": "x builds for a"}, {"words": "x builds for b"}]},
                       Check("trial", "ok", "x builds for a; x builds for b")),
    "that failed": (BUILDS, {"failed": True, "msg": "x does not build for a"}, Check("trial", "refused", "x does not build for a")),
    "that failed without a word": (BUILDS, {"failed": True}, Check("trial", "refused", "failed without a reason; run again with -v")),
    **{f"that {why}": (BUILDS, built, Check("trial", "unknown", "the node did not answer when the driver was to be built on trial"))
       for why, built in {"nobody answered": {"unreachable": True, "msg": "no route"}, "was not asked for": {}}.items()},
}


@pytest.mark.parametrize(("steps", "built", "check"), TRIALS.values(), ids=TRIALS)
def test_a_trial(steps: dict[str, t.Any], built: dict[str, t.Any], check: Check) -> None:
    assert preflight.of_trial(steps, built) == check
