# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tenants and wishes as an inventory has them."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import wish
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Checkpoint, Tenant, Wish
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Window

LEAST = {"name": "serving", "tenant": "chat", "priority": "P0"}
NIGHT = {"days": ["sat", "sun"], "begins": "22:00", "ends": "06:00", "zone": "+02:00"}


@pytest.mark.parametrize(("raw", "found"), [
    ({"gpus": 2}, Wish("serving", "chat", "P0", gpus=2)),
    ({"partitions": 3, "gpus": None, "share": None}, Wish("serving", "chat", "P0", partitions=3)),
    ({"devices": ["0000:05:00.0-3"], "share": 25}, Wish("serving", "chat", "P0", devices=("0000:05:00.0-3",), share=25)),
    ({"gpus": 8, "memory_gib": 64, "link": "all_to_all", "one_numa": True, "windows": [NIGHT], "memory_bandwidth": 80,
      "scope": "fleet"},
     Wish("serving", "chat", "P0", gpus=8, memory_gib=64, link="all_to_all", one_numa=True,
          windows=(Window((5, 6), 1320, 360, 120),), memory_bandwidth=80, scope="fleet")),
])
def test_wishes(raw: dict[str, t.Any], found: Wish) -> None:
    assert wish.wish({**LEAST, **raw}, "list[0]") == found
    assert wish.plain(found)["windows"] == [NIGHT] * len(found.windows)


WAYS = "list[0]: says in none or in several ways how much it wants; name one of gpus, partitions and devices"


@pytest.mark.parametrize(("raw", "sentence"), [
    ({}, WAYS), ({"gpus": 1, "devices": ["0000:05:00.0"]}, WAYS),
    ({"gpus": 0}, "list[0].gpus: is 0; write how many, or remove the reservation"),
    ({"partitions": 0}, "list[0].partitions: is 0; write how many, or remove the reservation"),
    ({"gpus": 1, "priority": "P3"}, "list[0].priority: is 'P3'; choose one of P0, P1, P2"),
    ({"gpus": 1, "link": "ring"}, "list[0].link: is 'ring'; choose one of all_to_all, any"),
    ({"gpus": 1, "share": 0}, "list[0].share: is 0; write per cent, from 1 to 100"),
    ({"gpus": 1, "share": 101}, "list[0].share: is 101; write per cent, from 1 to 100"),
    ({"gpus": 1, "memory_bandwidth": 120}, "list[0].memory_bandwidth: is 120; write per cent, from 1 to 100"),
    ({"devices": ["0000:05:00.0"], "scope": "fleet"}, "list[0]: names devices, and those are of one node; leave out scope"),
    ({"gpus": 1, "gpu": 2}, "list[0].gpu: is not a known key; did you mean gpus"),
    ({"gpus": 1, "name": "Serving"}, f"list[0].name: is 'Serving', which does not match {wish.NAME}; write it in that form"),
    ({"gpus": 1, "windows": {}}, "list[0].windows: is {}, and no list; write [{days: [sat, sun], begins: '22:00', ends: '06:00'}]"),
])
def test_wishes_that_are_none(raw: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        wish.wish({**LEAST, **raw}, "list[0]")
    assert caught.value.sentence == sentence


def test_a_wish_is_a_mapping() -> None:
    with pytest.raises(DataError, match="is a list, not a mapping"):
        wish.wish([], "list[0]")


def test_tenants_come_by_name() -> None:
    save = {"command": ["/usr/bin/save", "now"], "signal": "SIGUSR1", "seconds": 60}
    raw = {"train": {"users": ["ann"], "units": ["train.service"], "slurm_accounts": ["ml"], "namespaces": ["ml"],
                     "container_label": "training", "checkpoint": save, "protected": True}, "chat": None}
    assert wish.tenants(raw, "tenants") == (
        Tenant("chat"),
        Tenant("train", ("ann",), ("train.service",), ("ml",), ("ml",), "training",
               Checkpoint(("/usr/bin/save", "now"), "SIGUSR1", 60), True))


@pytest.mark.parametrize(("raw", "sentence"), [
    ([], "tenants: is not a mapping; write it as {team_a: {users: [alice]}}"),
    ({"a": []}, "tenants.a: is a list, not a mapping; write it as a mapping"),
    ({"a": {"name": "b"}}, "tenants.a.name: is not a known key; the key of the mapping is the name"),
    ({"team-a": {}}, f"tenants.team-a.name: is 'team-a', which does not match {wish.TENANT}; write it in that form"),
    ({7: {}}, "tenants.7.name: is a number, not text; put it in quotes"),
    ({"a": {"user": ["ann"]}}, "tenants.a.user: is not a known key; did you mean users"),
    ({"a": {"checkpoint": {"signal": "USR1"}}},
     "tenants.a.checkpoint.signal: is 'USR1', which does not match SIG[A-Z0-9]{2,8}; write it in that form"),
])
def test_tenants_that_are_none(raw: object, sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        wish.tenants(raw, "tenants")
    assert caught.value.sentence == sentence


NOT_ONE = "which is not one service, scope or slice of the tenant; name one, as in vllm.service"


@pytest.mark.parametrize("unit", [
    "vllm.mount", "vllm", "service", ".service", "-.slice", "../x.service", "a b.service", "a\n.service", "vllm-.service", "vllm@.service",
    "user-.slice", "system.slice", "user.slice", "machine.slice", "init.scope", "user@1001.service", "tenant.slice", "tenant-b.slice",
])
def test_units_that_are_more_than_one_or_of_others(unit: str) -> None:
    with pytest.raises(DataError) as caught:
        wish.tenants({"a": {"units": [unit]}}, "tenants")
    assert caught.value.sentence == f"tenants.a.units: names {unit!r}, {NOT_ONE}"


def test_units_that_are_one() -> None:
    units = ["vllm.service", "vllm@1.service", "user-1001.slice", "session-3.scope", "a\\x2d.service", "systems.slice"]
    (found,) = wish.tenants({"a": {"units": units}}, "tenants")
    assert found.units == tuple(units)


def test_a_unit_is_of_one_tenant_and_a_user_may_be_of_two() -> None:
    wish.tenants({"a": {"users": ["ann"]}, "b": {"users": ["ann"]}}, "tenants")
    with pytest.raises(DataError) as caught:
        wish.tenants({"a": {"units": ["v.service"]}, "b": {"units": ["v.service"]}}, "tenants")
    assert caught.value.sentence == "tenants.b.units: names v.service, which is a unit of a; leave it to one of them"


@pytest.mark.parametrize("user", ["a b", "a\nb", "../a", "-a", "a:b", "a,b"])
def test_users_that_are_none(user: str) -> None:
    with pytest.raises(DataError, match=r"^tenants\.a\.users\[0\]: is .*, which does not match "):
        wish.tenants({"a": {"users": [user]}}, "tenants")


def test_root_is_no_user_of_a_tenant() -> None:
    with pytest.raises(DataError, match=r"^tenants\.a\.users: names root, who may open every device; name users"):
        wish.tenants({"a": {"users": ["root"]}}, "tenants")
