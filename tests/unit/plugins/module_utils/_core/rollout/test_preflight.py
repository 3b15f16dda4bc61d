# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked for a plan, what answers come to, and how long its steps take."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.room import MIB, Place
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import preflight
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.preflight import Check
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.typical import DURATIONS, SIZES, Typical

Step = tuple[str, str, dict[str, t.Any]]
TYPICAL = Typical(
    {**{(what, ""): 10 ** number for number, what in enumerate(DURATIONS)}, ("reboot", "MI300X"): 7},
    {what: number * MIB for number, what in enumerate(SIZES, 1)}, (Place("rocm", "/opt"),))
K1, K2 = "6.1.0-56-amd64", "6.12.111+deb12-amd64"
QUESTION: Step = ("gpu_driver", "available", {"packages": ["amdgpu-dkms=1:6"], "together": True})
TRIAL: Step = ("gpu_driver", "trial", {"kernels": [K1, K2]})
BUILD: Step = ("gpu_driver", "build", {"kernel": K2})
INSTALL: Step = ("gpu_driver", "install", {"packages": ["amdgpu-dkms=1:6"]})
REBOOT: Step = ("node_maintenance", "reboot", {})
ROCM: Step = ("rocm_userspace", "install", {"packages": ["rocm=7"]})


def of(role: str, steps: t.Sequence[Step], **more: t.Any) -> dict[str, t.Any]:
    return {"steps": [{"action": action, "data": data} for owner, action, data in steps if owner == role],
            "problems": [], "reboot": "", **more}


def plan(*steps: Step, wanted: str | None = K2, manager: str = "apt", **of_driver: t.Any) -> dict[str, t.Any]:
    roles = dict.fromkeys(["gpu_driver", *(role for role, _action, _data in steps)])
    return {
        "plans": {role: of(role, steps, **(of_driver if role == "gpu_driver" else {})) for role in roles},
        "release": {"kernel": {"wanted": wanted}, "os": {"manager": manager}, "gpus": [{"product": "MI300X"}] * 2},
    }


def due(*steps: Step, there: tuple[str, ...] = (K1,), **more: t.Any) -> preflight.Due:
    return preflight.due(plan(*steps, **more), there)


def test_what_a_plan_says() -> None:
    seen = due(QUESTION, TRIAL, BUILD, problems=["p"], reboot="r")
    assert (seen.manager, seen.problems, seen.reboot, seen.kernel, seen.new, seen.product) == (
        "apt", ("p",), "r", K2, True, "MI300X")
    assert (seen.question, seen.builds) == (QUESTION[2], (K1, K2))
    assert not due(there=(K2,)).new
    bare = preflight.due({**plan(wanted=None), "release": {
        "kernel": {"wanted": None}, "os": {"manager": "dnf"}, "gpus": []}}, ())
    assert (bare.kernel, bare.new, bare.product, bare.question, bare.builds) == ("", False, "", {}, ())


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
def test_the_plan_refuses_what_its_proof_would(seen: preflight.Due, checks: list[Check]) -> None:
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


@pytest.mark.parametrize(("room", "mib"), [({"room": MIB + 1}, [2]), ({"room": 0}, []), ({"failed": True}, []), ({"room": None}, [])])
def test_a_snapshot_needs_room(room: dict[str, t.Any], mib: list[int]) -> None:
    needs = preflight.of_snapshot(room)
    assert [need["mib"] for need in needs] == mib
    assert all((need["directory"], need["assumed"]) == ("/var/lib/instinct/kept", False) for need in needs)


def test_a_refusal_names_all_that_refuse() -> None:
    checks = [Check("a", "refused", "x"), Check("b", "unknown", "y"), Check("c", "refused", "z"), Check("d", "ok", "k")]
    assert preflight.refusal(checks) == "x; z"
    assert checks[0].to_dict() == {"name": "a", "verdict": "refused", "words": "x"}


@pytest.mark.parametrize(("seen", "needs", "images"), [
    (due(QUESTION, there=(K2,)), [], 0),
    (due(TRIAL, BUILD, INSTALL), [
        ("/var/lib/dkms", 1, "the build of the driver"), ("/lib/modules", 6, "the driver's modules for 2 kernels"),
        ("/var/tmp", 2, "the build on trial"), ("/boot", 6, f"kernel {K2}")], 2),
    (due(BUILD, there=(K2,)), [
        ("/var/lib/dkms", 1, "the build of the driver"), ("/lib/modules", 3, "the driver's modules for 1 kernel")], 1),
    (due(INSTALL, ROCM, manager="dnf"), [
        ("/boot", 6, f"kernel {K2}"), ("/usr", 5, f"kernel {K2}"), ("/usr", 7, "the driver's packages"),
        ("/opt", 8, "ROCm")], 2),
    (due(("gpu_driver", "initramfs", {}), there=(K2,), manager="dnf"), [], 1),
])
def test_what_must_fit(seen: preflight.Due, needs: list[tuple[str, int, str]], images: int) -> None:
    assert [(need["directory"], need["mib"], need["what"]) for need in preflight.needs(seen, TYPICAL)] == needs
    assert preflight.images(seen) == images
    assert all(need["assumed"] for need in preflight.needs(seen, TYPICAL))


@pytest.mark.parametrize(("seen", "apply", "more"), [
    (due(TRIAL, BUILD, INSTALL, REBOOT), 200 + 10**3 + 10**5, {"trial": 200, "reboot": 7}),
    (due(("gpu_driver", "initramfs", {}), ("gpu_driver", "load", {}), there=(K2,)), 10**5 + 10**6, {}),
    (due(ROCM, ("gpu_partition", "apply", {}), ("gpu_firmware", "flash", {}), there=(K2,)), 10**4 + 10**8 + 10**9, {}),
    (due(("rocm_userspace", "evict", {}), there=(K2,)), 10**4, {}),
])
def test_how_long_each_step_takes(seen: preflight.Due, apply: int, more: dict[str, int]) -> None:
    still = {"snapshot": 10, "trial": 0, "reboot": 0, "gate": 10**10 + 1}
    assert preflight.timing(seen, TYPICAL) == {**still, **more, "apply": apply}
