# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Links as samples."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.health import links
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.sample import Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import OFF_THE_BUS
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.host import RdmaPort
from ansible_collections.instinct.fleet.tests.unit.support.healthy import A, gpu, health, look


@pytest.mark.parametrize(("virtual", "states", "value", "supported"), [
    (False, ("up", "up"), 0, True), (False, ("down", "down"), 2, True), (True, ("down", "down"), None, False),
    (None, ("down", "down"), None, True), (True, ("down", "up"), 1, True), (False, ("absent", "absent"), None, False), (False, (), None, False),
])
def test_links_between_gpus(virtual: bool | None, states: tuple[str, ...], value: int | None, supported: bool) -> None:
    seen = look((gpu(virtual_function=virtual),), (health(A, xgmi_links=states),))
    (sample,) = links.xgmi_links(Seen(seen))
    assert (sample.value, sample.supported) == (value, supported)


@pytest.mark.parametrize(("link", "use", "value"), [
    (lk.Link(16, 16, 32000, 32000), 90, 32000), (lk.Link(16, 16, 2500, 32000), 0, 32000), (lk.Link(16, 16, 2500, 32000), 1, 2500),
    (lk.Link(16, 16, 2500, 32000), None, None), (lk.Link(16, 16, 16000, None), 90, 16000),
])
def test_speed_counts_under_load(link: lk.Link, use: int | None, value: int | None) -> None:
    seen = look((gpu(pcie=link),), (health(A, gfx_activity_percent=use),))
    assert [sample.value for sample in links.speed(Seen(seen))] == [value]


def test_a_silent_gpu_may_be_at_rest() -> None:
    seen = dc.replace(look((gpu(pcie=lk.Link(16, 16, 2500, 32000)),)), health=None)
    assert [sample.value for sample in links.speed(Seen(seen))] == [None]


def test_only_the_gpu_that_fell_off_the_bus_is_gone() -> None:
    other = "0000:26:00.0"
    seen = dc.replace(look(), gpus=lk.Gpus((gpu(A, pcie=lk.Link()), gpu(other, 1)), {f"{A}.pcie.width": OFF_THE_BUS}))
    assert [(sample.subject, sample.value) for sample in links.on_bus(Seen(seen))] == [(A, 1), (other, 0)]
    assert [sample.reason for sample in links.speed(Seen(seen)) if sample.subject == A] == [OFF_THE_BUS]


def test_a_port_that_is_down_counts_beside_one_that_is_silent() -> None:
    seen = look(host=dc.replace(look().host, rdma=(RdmaPort("a", 1), RdmaPort("b", 2, state="INIT"))))
    (sample,) = links.rdma(Seen(seen))
    assert (sample.value, sample.seen) == (1, "b/2 INIT (physical state unknown)")
