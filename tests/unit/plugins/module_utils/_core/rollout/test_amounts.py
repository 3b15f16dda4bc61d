# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much room an upgrade takes, and how long its steps."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.room import MIB, Place
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import amounts
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.due import Due
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.typical import DURATIONS, SIZES, Typical
from ansible_collections.instinct.fleet.tests.unit.support.plans_due import (
    BUILD,
    INSTALL,
    K2,
    QUESTION,
    REBOOT,
    ROCM,
    TRIAL,
    due,
)

TYPICAL = Typical(
    {**{(what, ""): 10 ** number for number, what in enumerate(DURATIONS)}, ("reboot", "MI300X"): 7},
    {what: number * MIB for number, what in enumerate(SIZES, 1)}, (Place("rocm", "/opt"),))


@pytest.mark.parametrize(("room", "mib"), [({"room": MIB + 1}, [2]), ({"room": 0}, []), ({"failed": True}, []), ({"room": None}, [])])
def test_a_snapshot_needs_room(room: dict[str, t.Any], mib: list[int]) -> None:
    needs = amounts.of_snapshot(room)
    assert [need["mib"] for need in needs] == mib
    assert all((need["directory"], need["assumed"]) == ("/var/lib/instinct/kept", False) for need in needs)


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
def test_what_must_fit(seen: Due, needs: list[tuple[str, int, str]], images: int) -> None:
    assert [(need["directory"], need["mib"], need["what"]) for need in amounts.needs(seen, TYPICAL)] == needs
    assert amounts.images(seen) == images
    assert all(need["assumed"] for need in amounts.needs(seen, TYPICAL))


@pytest.mark.parametrize(("seen", "apply", "more"), [
    (due(TRIAL, BUILD, INSTALL, REBOOT), 200 + 10**3 + 10**5, {"trial": 200, "reboot": 7}),
    (due(("gpu_driver", "initramfs", {}), ("gpu_driver", "load", {}), there=(K2,)), 10**5 + 10**6, {}),
    (due(ROCM, ("gpu_partition", "apply", {}), ("gpu_firmware", "flash", {}), there=(K2,)), 10**4 + 10**8 + 10**9, {}),
    (due(("rocm_userspace", "evict", {}), there=(K2,)), 10**4, {}),
])
def test_how_long_each_step_takes(seen: Due, apply: int, more: dict[str, int]) -> None:
    still = {"snapshot": 10, "trial": 0, "reboot": 0, "gate": 10**10 + 1}
    assert amounts.timing(seen, TYPICAL) == {**still, **more, "apply": apply}
