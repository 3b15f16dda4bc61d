# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Schemas and strict readers of partition data accept the same files."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.profile import Profile
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.reading import read_capabilities
from ansible_collections.instinct.fleet.tests.unit.support.mutants import accepts, mutants
from ansible_collections.instinct.fleet.tests.unit.support.partition_data import DATA, FILES, document

KINDS = ("partition_drivers", "partition_products", "partition_profile")
VALIDATORS = {kind: jsonschema.Draft202012Validator(json.loads((DATA / f"schema/{kind}.schema.json").read_text()))
              for kind in KINDS}


def read(data: Any, path: str) -> object:
    """What the reader of the file's kind makes of it."""
    if data["kind"] == "partition_profile":
        return Profile.from_document(data, path)
    return read_capabilities([{"path": path, "data": data, "layer": 0}])


def by_schema(data: Any) -> bool:
    """Whether the schema of the file's kind accepts it."""
    return bool(VALIDATORS[data["kind"]].is_valid(data))


def products() -> Any:
    """A small file with every key that products have."""
    data = document("products.yml")
    by_name = {product["name"]: product for product in data["products"]}
    pair = next(pair for pair in by_name["MI300X"]["pairs"] if len(pair["periods"]) == 2)
    whole = by_name["MI300X"] | {"pairs": [pair], "virtual": by_name["MI300X"]["virtual"][:1]}
    return data | {"products": [whole, by_name["MI210"]]}


SAMPLES = {
    "products": products(),
    "drivers": document("drivers.yml"),
    "a profile for all GPUs": document("profiles/tpx-nps1.yml"),
    "a profile for some": document("profiles/half-spx-half-cpx.yml") | {
        "gpus": [{"gpus": [0, "0000:26:00.0"], "compute": "SPX", "memory": "NPS1"}]},
}


def test_there_is_a_schema_for_every_kind():
    assert sorted(path.name for path in (DATA / "schema").iterdir()) == [f"{kind}.schema.json" for kind in KINDS]
    for kind, validator in VALIDATORS.items():
        validator.check_schema(validator.schema)
        assert validator.schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert validator.schema["properties"]["kind"] == {"const": kind}


@pytest.mark.parametrize("path", FILES)
def test_every_file_is_accepted_by_both(path):
    assert list(VALIDATORS[document(path)["kind"]].iter_errors(document(path))) == []
    read(document(path), path)


@pytest.mark.parametrize("path", FILES)
def test_a_file_names_its_schema(path):
    line = (DATA / path).read_text().splitlines()[1]
    assert line == f"# yaml-language-server: $schema={'../' * path.count('/')}schema/{document(path)['kind']}.schema.json"


@pytest.mark.parametrize("data", SAMPLES.values(), ids=SAMPLES)
def test_both_accept_and_refuse_the_same_mutants(data):
    verdicts = [(what, by_schema(mutant), accepts(read, mutant)) for what, mutant in mutants(data)]
    assert [v for v in verdicts if v[1] != v[2]] == []
    refused = [v for v in verdicts if not v[1]]
    assert len(refused) > len(verdicts) / 2  # mutants that nobody refuses would make this test say nothing


WRONG = [
    ("products", ("products", 0, "memory_change"), "dynamic"),
    ("products", ("products", 0, "xcds"), 0),
    ("products", ("products", 0, "automatic"), {"NPS3": "SPX"}),
    ("products", ("products", 0, "automatic"), {"NPS1": "spx"}),
    ("products", ("products", 0, "pairs", 0, "compute"), "MPX"),
    ("products", ("products", 0, "pairs", 0, "periods"), []),
    ("products", ("products", 0, "pairs", 0, "periods", 1, "driver_from"), "6.x"),
    ("products", ("products", 0, "virtual", 0, "functions"), -1),
    ("drivers", ("minors", 0, "devices"), -64),
    ("drivers", ("reloading", 0, "library_from"), "26.x"),
    ("a profile for some", ("gpus",), []),
    ("a profile for some", ("gpus", 0, "gpus"), []),
    ("a profile for some", ("gpus", 0, "gpus"), "none"),
    ("a profile for some", ("gpus", 0, "gpus"), [0, 0]),
    ("a profile for some", ("gpus", 0, "gpus"), ["all"]),
    ("a profile for some", ("gpus", 0, "gpus"), [True]),
    ("a profile for some", ("count",), 0),
    ("a profile for some", ("name",), "CPX NPS4"),
]


@pytest.mark.parametrize(("sample", "place", "value"), WRONG, ids=[f"{w[1][-1]} {w[2]!r}" for w in WRONG])
def test_what_is_wrong_is_refused_by_both(sample, place, value):
    data = json.loads(json.dumps(SAMPLES[sample]))
    node = data
    for key in place[:-1]:
        node = node[key]
    node[place[-1]] = value
    assert (by_schema(data), accepts(read, data)) == (False, False)
