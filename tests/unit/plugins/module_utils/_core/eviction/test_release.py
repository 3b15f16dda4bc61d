# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether devices were given back, and whether a reset may help where they were not."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.release import (
    hive,
    unreleased,
    why_no_reset,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.shape import Holder
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Device
from ansible_collections.instinct.fleet.tests.unit.support.evictions import (
    BDFS,
    DEVICES,
    GIB,
    RULES,
    A,
    B,
    C,
    D,
    holder,
)

TWO = DEVICES[:2]


@pytest.mark.parametrize(("now", "used", "reasons"), [
    ([], {A: GIB, B: 5}, {}),
    ([], {A: None}, {}),
    ([holder(9, "serve", A)], {A: 64 * GIB}, {}),
    ([holder(9, "serve", C)], {A: 2 * GIB}, {A: "2048 MiB are in use that no process holds"}),
    ([holder(7, "train", A)], {}, {A: "pid 7 (python3, bob, tenant train) stays"}),
    ([holder(7, "train", B, state="ended")], {}, {B: "pid 7 (python3, bob, tenant train) ended, and the driver still has it"}),
    ([holder(20, None, B)], {}, {B: "pid 20 (python3, bob, of no tenant) came meanwhile"}),
], ids=["all of it", "the driver does not say", "others were left alone", "memory of nobody", "who stays", "who ended", "who came"])
def test_what_is_not_released(now: list[Holder], used: dict[str, int | None], reasons: dict[str, str]) -> None:
    assert unreleased(TWO, {7}, {7, 9}, now, used, RULES) == reasons


def test_memory_that_the_host_shares_proves_nothing() -> None:
    assert unreleased([dc.replace(TWO[0], product="MI300A")], {7}, {7}, [], {A: 64 * GIB}, RULES) == {}


def test_a_partition_that_others_hold_has_its_gpus_memory_in_use() -> None:
    part = dc.replace(TWO[0], id=f"{A}-0", of=2)
    assert unreleased([part], {7}, {7, 9}, [holder(9, "serve", f"{A}-1")], {A: 64 * GIB}, RULES) == {}


ISLANDS = [dc.replace(device, peers=peers) for device, peers in zip(DEVICES, [(B,), (A,), (), None])]


@pytest.mark.parametrize(("gpu", "devices", "expected"), [
    (A, DEVICES, set(BDFS)), (A, ISLANDS, {A, B}), (C, ISLANDS, {C}), (D, ISLANDS, None), ("0000:ff:00.0", ISLANDS, None),
], ids=["all of the node", "an island", "alone", "links unknown", "not there"])
def test_whom_a_reset_reaches(gpu: str, devices: t.Sequence[Device], expected: set[str] | None) -> None:
    assert hive(gpu, devices) == expected


@pytest.mark.parametrize(("gpus", "now", "clients", "unknown", "said"), [
    ({A, B}, [holder(7, "train", A, state="ended"), holder(9, "serve", C)], {9: (C,)}, "", ""),
    (None, [], {}, "", "which GPUs a reset would reach is unknown"),
    ({A, B}, [holder(9, "serve", f"{B}-3")], {}, "", "pid 9 (python3, bob, tenant serve) is on a GPU that the reset would reach"),
    ({A, B}, [], {40: (B,)}, "", "pid 40 is on a GPU that the reset would reach"),
    ({A, B}, [], {}, "no library", "whether anybody else is on it is unknown: no library"),
], ids=["nobody", "links unknown", "a process on a neighbour", "a client of the library", "nobody knows"])
def test_when_a_gpu_may_be_reset(gpus: set[str] | None, now: list[Holder], clients: dict[int, t.Collection[str]], unknown: str,
                                 said: str) -> None:
    assert why_no_reset(gpus, now, clients, unknown) == said
