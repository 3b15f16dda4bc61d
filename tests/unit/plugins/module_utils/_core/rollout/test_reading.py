# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an inventory may say of a roll-out, and the sentence for what it may not."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import reading
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Policy, Window

ALL = tuple(range(7))

SLIPS = {"fleet_upgrade_window": "windows", "fleet_upgrade_failure": "failures", "fleet_upgrade_max_unavailble": "max_unavailable",
         "fleet_upgrade_domains": "domain", "fleet_upgrade_rolback": "rollback"}


@pytest.mark.parametrize(("name", "meant"), SLIPS.items(), ids=SLIPS)
def test_a_slip_is_named(name: str, meant: str) -> None:
    with pytest.raises(DataError, match=rf"^variable {name}: no roll-out has such a variable; did you mean fleet_upgrade_{meant}\?$"):
        reading.refuse_misspelt(["ansible_host", "fleet_upgrade_windows", name])


def test_a_slip_of_the_way_back_is_named() -> None:
    with pytest.raises(DataError, match=r"^variable fleet_rollback_wait: no roll-out .*; did you mean fleet_rollback_waits\?$"):
        reading.refuse_misspelt(["fleet_rollback_to", "fleet_rollback_waits", "fleet_rollback_wait"])


def test_a_way_back_at_once_waits_for_places_alone() -> None:
    given = Policy(4, 2, 1, 60, (Window(ALL, 1320, 360),))
    assert reading.at_once(given) == Policy(4, 2, 1)


def test_what_a_site_calls_its_own_is_its_own() -> None:
    reading.refuse_misspelt(["fleet_upgrade_windows_of_the_night", "fleet_upgrade_owner", "fleet_upgrad_window", "windows", "window"])


POLICIES: dict[str, tuple[dict[str, t.Any], Policy]] = {
    "nothing": ({}, Policy()),
    "numbers": ({"max_unavailable": 4, "failures": 2, "per_domain": 1, "pause": 60}, Policy(4, 2, 1, 60)),
    "numbers as a command line gives them": (
        {"max_unavailable": "4", "failures": " 2 ", "per_domain": "1", "pause": "60", "windows": []}, Policy(4, 2, 1, 60)),
    "shares, rounded down": ({"max_unavailable": "10%", "failures": "10%"}, Policy(3, 3)),
    "a share of few is one, of failures none": ({"max_unavailable": "1%", "failures": "1%"}, Policy(1, 0)),
    "all": ({"max_unavailable": "100%", "failures": "100%"}, Policy(35, 35)),
    "no failure": ({"failures": "0%", "windows": None}, Policy()),
    "a window of every day": ({"windows": [{"begins": "22:00", "ends": "06:00"}]}, Policy(windows=(Window(ALL, 1320, 360),))),
    "a window of one minute less than an hour": (
        {"windows": [{"begins": "20:00", "ends": "20:59"}]}, Policy(windows=(Window(ALL, 1200, 1259),))),
    "windows of days and zones": (
        {"windows": [{"days": ["sat", "mon"], "begins": "00:00", "ends": "23:59", "zone": "UTC"},
                     {"begins": "01:05", "ends": "02:00", "zone": "+05:30"}, {"begins": "01:00", "ends": "02:00", "zone": "-08:00"}]},
        Policy(windows=(Window((5, 0), 0, 1439, 0), Window(ALL, 65, 120, 330), Window(ALL, 60, 120, -480)))),
}


@pytest.mark.parametrize(("given", "policy"), POLICIES.values(), ids=POLICIES)
def test_policy(given: dict[str, t.Any], policy: Policy) -> None:
    assert reading.policy(given, 35) == policy
    assert reading.policy(reading.written(policy), None) == policy


NUMBER = "write a number from 0"
SHARE = f"{NUMBER}, or '10%' of the nodes"
LEAST = SHARE.replace("0,", "1,")
WRONG: dict[str, tuple[str, t.Any, str]] = {
    "none": ("max_unavailable", 0, f"is 0; {LEAST}"),
    "no share": ("max_unavailable", "0%", f"is '0%'; {LEAST}"),
    "more than all": ("failures", "101%", f"is '101%'; {SHARE}"),
    "less than none": ("failures", -1, f"is -1; {SHARE}"),
    "yes": ("failures", True, f"is True; {SHARE}"),
    "half a node": ("failures", 0.5, f"is 0.5; {SHARE}"),
    "no number": ("failures", None, f"is None; {SHARE}"),
    "a word": ("max_unavailable", "many", f"is 'many'; {LEAST}"),
    "digits of another script": ("failures", "\u0663", f"is '\u0663'; {SHARE}"),
    "too long to be meant": ("failures", "9" * 100, f"is '{'9' * 56}...; {SHARE}"),
    "as long as is shown": ("failures", "9" * 58, f"is '{'9' * 58}'; {SHARE}"),
    "what would steer a terminal": ("failures", "1\x1b[2J", f"is '1\\x1b[2J'; {SHARE}"),
    "a share of a domain": ("per_domain", "10%", f"is '10%'; {NUMBER}"),
    "a pause with its unit": ("pause", "5m", f"is '5m'; {NUMBER}"),
    "windows in one text": ("windows", "22:00-06:00", "is '22:00-06:00', and no list; write [{days: [sat, sun], begins: '22:00', ends: '06:00'}]"),
    "a window that is none": ("windows", ["22:00"], "[0]: is text, not a mapping; write it as a mapping"),
    "an hour that YAML made a number of": ("windows", [{"begins": 1320, "ends": "06:00"}], "[0].begins: is a number, not text; put it in quotes"),
    "an hour that is none": ("windows", [{"begins": "24:00", "ends": "06:00"}], "[0].begins: '24:00' is no time of day; write '22:00', in quotes"),
    "a minute that is none": ("windows", [{"begins": "22:00", "ends": "06:60"}], "[0].ends: '06:60' is no time of day; write '22:00', in quotes"),
    "no end": ("windows", [{"begins": "22:00"}], "[0].ends: is missing; add it"),
    "a day that is none": ("windows", [{"days": ["sunday"], "begins": "22:00", "ends": "06:00"}],
                           "[0].days[0]: is 'sunday', which does not match mon|tue|wed|thu|fri|sat|sun; write it in that form"),
    "no day": ("windows", [{"days": [], "begins": "22:00", "ends": "06:00"}], "[0].days: is empty; name days, or leave it out for every day"),
    "a zone by name": ("windows", [{"begins": "22:00", "ends": "06:00", "zone": "Europe/Berlin"}],
                       "[0].zone: 'Europe/Berlin' is no distance from UTC; write UTC, or '+02:00' in quotes"),
    "a word that is not known": ("windows", [{"begins": "22:00", "ends": "06:00", "day": "mon"}], "[0].day: is not a known key; did you mean days"),
}


@pytest.mark.parametrize(("name", "value", "sentence"), WRONG.values(), ids=WRONG)
def test_a_wrong_value_is_named(name: str, value: t.Any, sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        reading.policy({name: value}, 35)
    assert caught.value.sentence == f"fleet_upgrade_{name}{'' if sentence.startswith('[') else ': '}{sentence}"


YES, NO = (True, 1, "true", "True", " yes", "on", "1"), (False, 0, "false", "False", "no ", "OFF", "0")


@pytest.mark.parametrize(("given", "meant"), [*((one, True) for one in YES), *((one, False) for one in NO)])
def test_a_flag(given: t.Any, meant: bool) -> None:
    assert reading.flag(given, "fleet_upgrade_rollback") is meant


@pytest.mark.parametrize("given", ["flase", "ture", "", "none", None, 2, 0.0, [], "nope", ["true"]])
def test_a_flag_that_is_neither_is_named(given: t.Any) -> None:
    with pytest.raises(DataError) as caught:
        reading.flag(given, "fleet_upgrade_rollback")
    assert caught.value.sentence == f"fleet_upgrade_rollback: is {given!r}; write true or false"


TAGS = {
    "some": (["gpu_driver", "x\x1b"], [], "--tags gpu_driver,x "), "all but some": (["all"], ["gpu_health"], "--skip-tags gpu_health"),
    "both": (["tagged"], ["a", "b"], "--tags tagged --skip-tags a,b"), "none of the roles'": (["untagged"], [], "--tags untagged"),
}


@pytest.mark.parametrize(("only", "without", "named"), TAGS.values(), ids=TAGS)
def test_a_part_of_the_steps_is_refused(only: list[str], without: list[str], named: str) -> None:
    reading.refuse_tags(["all"], [])
    with pytest.raises(DataError) as caught:
        reading.refuse_tags(only, without)
    assert caught.value.sentence == (
        f"{named.strip()}: a roll-out takes every step or none, or it would note as done what was left out; "
        "run it without tags; the playbook site knows those of the roles")


HOSTS = ["n1", "n2", "n3"]
GROUPS = {"all": ["n1", "n2", "n3", "x1"], "first": ["n2", "x1", "n1"], "other": ["x1"], "n3": ["n1"]}

CANARIES: dict[str, tuple[t.Any, tuple[str, ...]]] = {
    "none is named": (None, ()),
    "an empty text": ("", ()),
    "a node": ("n2", ("n2",)),
    "nodes with commas": ("n2, n1", ("n2", "n1")),
    "a list": (["n3", "n1"], ("n3", "n1")),
    "a group, as far as its nodes are upgraded": ("first", ("n2", "n1")),
    "a group and a node of it": (["n1", "first"], ("n1", "n2")),
    "a node goes before a group of that name": ("n3", ("n3",)),
    "a node that is not in this run": ("x1, n1", ("n1",)),
    "a group of which none is in this run": ("other", ()),
}


@pytest.mark.parametrize(("given", "nodes"), CANARIES.values(), ids=CANARIES)
def test_canaries(given: t.Any, nodes: tuple[str, ...]) -> None:
    assert reading.canaries(given, HOSTS, GROUPS) == nodes


RETRIED: dict[str, tuple[t.Any, set[str]]] = {
    "no": (False, set()), "no, from a command line": ("false", set()), "nothing": ("", set()), "an empty list": ([], set()),
    "all": (True, {"n1", "n2", "n3"}), "all, from a command line": ("True", {"n1", "n2", "n3"}), "yes": ("yes", {"n1", "n2", "n3"}),
    "one": ("n2", {"n2"}), "some": (["n3", "n1"], {"n1", "n3"}), "null": (None, set()),
}


@pytest.mark.parametrize(("given", "nodes"), RETRIED.values(), ids=RETRIED)
def test_retried(given: t.Any, nodes: set[str]) -> None:
    assert reading.retried(given, HOSTS) == nodes


@pytest.mark.parametrize(("given", "named"), [(["n1"], True), ("n2,n1", True), (["n10"], False), (True, False), (None, False)])
def test_named(given: t.Any, named: bool) -> None:
    assert reading.named(given, "n1") == named


NAMES: dict[str, tuple[t.Any, str]] = {
    "a canary that is no node": (
        lambda: reading.canaries(["n1", "n9"], HOSTS, GROUPS),
        "fleet_upgrade_canary: has 'n9', which is no node of the inventory and no group; name nodes or a group"),
    "a canary without an inventory": (
        lambda: reading.canaries("x1", HOSTS, {}),
        "fleet_upgrade_canary: has 'x1', which is no node of the inventory and no group; name nodes or a group"),
    "a canary that is a number": (lambda: reading.canaries(7, HOSTS, GROUPS), "fleet_upgrade_canary: is 7, and no list of names; write [name, name]"),
    "canaries of numbers": (lambda: reading.canaries([7], HOSTS, GROUPS), "fleet_upgrade_canary: is [7], and no list of names; write [name, name]"),
    "a node to try again that is none": (
        lambda: reading.retried("n1,n9", HOSTS),
        "fleet_upgrade_retry: has 'n9', which is no node of this roll-out; write true, false, or names of nodes"),
    "a mapping to try again": (lambda: reading.retried({"n1": 1}, HOSTS), "fleet_upgrade_retry: is {'n1': 1}, and no list of names; write [name, name]"),
}


@pytest.mark.parametrize(("call", "sentence"), NAMES.values(), ids=NAMES)
def test_a_wrong_name_is_named(call: t.Callable[[], t.Any], sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        call()
    assert caught.value.sentence == sentence
