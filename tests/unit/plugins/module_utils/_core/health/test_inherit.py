# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles that extend others, and documents that are none."""

from __future__ import annotations

import copy
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.inherit import resolve
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.profile import Profile
from ansible_collections.instinct.fleet.plugins.plugin_utils.diagnosis_files import read

OURS = [(document["path"].rpartition("/")[2], document["data"]) for document in read().profiles]


def site(**data: t.Any) -> tuple[str, dict[str, t.Any]]:
    return "site.yml", {"version": "v1", "kind": "health_profile", "id": "mine", "extends": "admission", **data}


def rules(name: str, *documents: tuple[str, object]) -> dict[str, t.Any]:
    profile = Profile.from_document(resolve([*OURS, *documents], name), name)
    return {rule.id: rule for rule in profile.rules}


def test_resolve_changes_one_key_of_one_record() -> None:
    mine, ours = rules("mine", site(checks={"power-cap": {"unknown": "blocks"}})), rules("admission")
    assert mine["power-cap"].unknown == "blocks" and mine["power-cap"].limits == ours["power-cap"].limits
    assert {name for name in mine if mine[name] != ours[name]} == {"power-cap"}


def test_resolve_switches_a_check_off() -> None:
    assert set(rules("admission")) - set(rules("mine", site(checks={"rdma-links": {"enabled": False}}))) == {"rdma-links"}


def test_resolve_lets_a_site_extend_what_it_replaces() -> None:
    found = resolve([*OURS, site(id="admission", title="ours", unknown="tolerated")], "admission")
    assert (found["title"], found["unknown"], len(found["checks"])) == ("ours", "tolerated", len(rules("admission")))
    assert resolve([*OURS, site(id="admission", unknown="tolerated")], "burn_in")["unknown"] == "tolerated"


def test_resolve_adds_a_whole_record() -> None:
    whole = copy.deepcopy(dict(OURS)["admission.yml"]["checks"]["power-cap"])
    part = [(path, {**data, "checks": {k: v for k, v in data["checks"].items() if k != "power-cap"}} if data["id"] == "admission" else data)
            for path, data in OURS]
    assert "power-cap" in resolve([*part, site(checks={"power-cap": whole})], "mine")["checks"]


REFUSED = {
    "no such profile": ([], "nightly", "profile: there is no profile 'nightly'; choose one of admission, burn_in, running"),
    "extends nothing that is there": ([site(extends="nothing")], "mine", "site.yml: extends: there is no profile 'nothing'; name one that there is"),
    "extends itself alone": ([site(extends="mine")], "mine", "site.yml: extends: there is no profile 'mine'; name one that there is"),
    "a circle": ([site(extends="other"), ("other.yml", {"id": "other", "extends": "mine"})], "mine",
                 "site.yml: extends: mine extends itself over other; take one of them out"),
    "no mapping": ([("site.yml", [])], "admission", "site.yml: id: is missing or not text; name the profile: [a-z][a-z0-9_]*"),
    "checks in a list": ([site(checks=[])], "admission", "site.yml: checks: is not a mapping; write it as a mapping"),
    "a check that is a number": ([site(checks={"power-cap": 5})], "mine", "site.yml: checks.power-cap: is a number, not a mapping; write it as a mapping"),
    "a check that nobody knows": ([site(checks={"pages-lost": {}})], "mine", "site.yml: checks.pages-lost.title: is missing; add it"),
}


@pytest.mark.parametrize(("documents", "name", "sentence"), REFUSED.values(), ids=REFUSED)
def test_resolve_refuses(documents: list[tuple[str, object]], name: str, sentence: str) -> None:
    with pytest.raises(DataError) as error:
        resolve([*OURS, *documents], name)
    assert error.value.sentence == sentence


def test_resolve_keeps_a_record_that_the_site_leaves_empty() -> None:
    assert rules("mine", site(checks={"power-cap": None}))["power-cap"] == rules("admission")["power-cap"]
