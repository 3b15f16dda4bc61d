# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Temperatures and throttling as samples."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.health import heat
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.sample import Sample, Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.tests.unit.support.healthy import A, B, gpu, health, look


def test_every_sensor_has_its_own_limit_or_that_of_its_kind() -> None:
    seen = look((gpu(),), (health(A, temperatures_c={"hbm_0": 50, "hbm_1": 60, "memory": 55}, limits_c={"memory": 105, "hbm_1": 95}),))
    assert list(heat.temperature(*heat.MEMORY)(Seen(seen))) == [
        Sample(A, 50, "hbm_0", named=105), Sample(A, 60, "hbm_1", named=95), Sample(A, 55, "memory", named=105)]


def test_a_sensor_that_could_not_be_read_has_its_reason() -> None:
    seen = look((gpu(),), (health(A, temperatures_c={}, unknown={"temperatures_c.edge": "error 43"}),))
    (sample,) = heat.temperature("edge")(Seen(seen))
    assert (sample.reason, sample.supported) == ("error 43", True)


@pytest.mark.parametrize(("own", "other", "value"), [(56, 40, 16), (40, 56, -16), (40, 40, 0)])
def test_gradient_is_against_the_cooler_neighbour(own: int, other: int, value: int) -> None:
    third = "0000:46:00.0"
    seen = look((gpu(A), gpu(B, 1), gpu(third, 2)), tuple(
        health(bdf, temperatures_c={"memory": degrees}) for bdf, degrees in ((A, other + 9), (B, own), (third, other))))
    assert [sample.value for sample in heat.gradient(Seen(seen)) if sample.subject == B] == [value]


def test_gradient_of_a_gpu_without_health() -> None:
    seen = look((gpu(A), gpu(B, 1)), (health(A),))
    assert [sample.reason for sample in heat.gradient(Seen(seen))] == ["no neighbour tells a temperature", "the memory tells no temperature"]


def test_heat_is_every_cause_but_power() -> None:
    seen = look((gpu(),), (health(A, throttled={"ppt": True, "prochot": True, "vr_thermal": True, "hbm_thermal": False}),))
    assert list(heat.throttled_by_heat(Seen(seen))) == [Sample(A, 2, seen="prochot active, vr_thermal active")]


@pytest.mark.parametrize(("clock", "value"), [
    (lk.ClockRange(140, 132, 2100), 90), (lk.ClockRange(150, 132, 2100), 0), (lk.ClockRange(132, 132, 132), 0), (lk.ClockRange(132, 132, None), 0)])
def test_a_clock_is_stuck_that_could_be_faster(clock: lk.ClockRange, value: int) -> None:
    seen = look((gpu(),), (health(A, clocks={"gfx": clock}, gfx_activity_percent=90),))
    assert [sample.value for sample in heat.clock_stuck(Seen(seen))] == [value]
