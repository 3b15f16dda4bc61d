# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Schema and strict reader accept the same profiles; what a limit is for which product."""

from __future__ import annotations

import copy
import json
import typing as t
from pathlib import Path

import jsonschema
import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.inherit import resolve
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.measures import MEASURES
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.profile import Profile
from ansible_collections.instinct.fleet.plugins.plugin_utils.diagnosis_files import OWN, read
from ansible_collections.instinct.fleet.tests.unit.support.healthy import profile

SCHEMA = jsonschema.Draft202012Validator(json.loads((OWN / "schema/health_profile.schema.json").read_text(encoding="utf-8")))
FILES = sorted((OWN / "profiles").glob("*.yml"))
OURS = [(document["path"], document["data"]) for document in read().profiles]


def whole(name: str = "burn_in") -> dict[str, t.Any]:
    """A profile with every key, of one check and one tool."""
    found = copy.deepcopy(resolve(OURS, name))
    found["checks"] = {"memory-held": found["checks"]["memory-held"]}
    found["active"] = {"active-copy": found["active"]["active-copy"]}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_named_for_its_profile_and_of_the_schema(path: Path) -> None:
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert data["id"] == path.stem
    SCHEMA.validate(data)


def test_every_check_is_in_a_profile() -> None:
    assert {rule.id for rule in profile().rules} == set(MEASURES)


@pytest.mark.parametrize("name", ["admission", "running", "burn_in"])
def test_every_number_has_a_source(name: str) -> None:
    found = profile(name)
    limits = [limit for rule in (*found.rules, *(active.rule for active in found.active)) for limit in rule.limits]
    assert limits and all(limit.sources and limit.confidence for limit in limits)


def places(data: t.Any, path: tuple[t.Any, ...] = ()) -> t.Iterator[tuple[t.Any, ...]]:
    """Paths to everything in plain data."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def by_reader(data: t.Any) -> bool:
    try:
        Profile.from_document(data)
    except DataError:
        return False
    return True


# What another profile gives a schema cannot ask for, so a missing key is the reader's alone.
@pytest.mark.parametrize("value", [None, True, -1, "", "x y", [], {}, [1], {"x": 1}], ids=str)
def test_schema_and_reader_refuse_the_same_values(value: t.Any) -> None:
    differ = []
    for path in places(whole()):
        data = whole()
        at = data
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value
        if SCHEMA.is_valid(data) != by_reader(data):
            differ.append(path)
    # An empty list of limits or records is a profile that checks nothing; the schema alone knows names and products by form.
    assert [path for path in differ if path[0] not in ("checks", "active", "extends", "title") or path[-1] not in (
        "limits", "arguments", "products", "not_products", "memory-held", "active-copy", 0, 1, 2, 3)] == []


REFUSED = {
    "neither number nor margin": (("checks", "memory-held", "limits", 0), {"verdict": "warn", "when": "above", "sources": ["s"], "confidence": "derived"},
                                  "profile: checks.memory-held.limits[0]: has neither number nor margin; give one of them"),
    "no source": (("checks", "memory-held", "sources"), [],
                  "profile: checks.memory-held.sources: is empty: a number without a source is none; say where it is from"),
    "an unknown check": (("checks", "memory-lost"), whole()["checks"]["memory-held"], "profile: checks.memory-lost: is no check of this collection"),
    "no time": (("active", "active-copy", "timeout_seconds"), ..., "profile: active.active-copy timeout_seconds: is missing; add it"),
}


@pytest.mark.parametrize(("path", "value", "sentence"), REFUSED.values(), ids=REFUSED)
def test_from_document_refuses(path: tuple[t.Any, ...], value: t.Any, sentence: str) -> None:
    data = whole()
    at: t.Any = data
    for key in path[:-1]:
        at = at[key]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    with pytest.raises(DataError) as error:
        Profile.from_document(data)
    assert error.value.sentence.startswith(sentence)


def test_an_active_check_can_be_switched_off() -> None:
    data = whole()
    data["active"]["active-copy"]["enabled"] = False
    assert Profile.from_document(data).active == ()


@pytest.mark.parametrize(("product", "numbers"), [("MI300X", {8}), ("MI300A", {4}), ("MI210", {1}), (None, {1})])
def test_limits_for_a_product_are_its_own_or_those_for_all(product: str | None, numbers: set[int]) -> None:
    rule = next(rule for rule in profile().rules if rule.id == "gpu-count")
    assert {limit.number for limit in rule.limits_for(product)} == numbers
