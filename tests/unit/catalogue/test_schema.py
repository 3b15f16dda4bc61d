# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Schemas and strict reader accept the same files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.release.catalogue import KINDS, read_document
from ansible_collections.instinct.fleet.plugins.plugin_utils.catalogue_files import validators
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import CATALOGUE, document
from ansible_collections.instinct.fleet.tests.unit.support.mutants import accepts, mutants

FILES = sorted(str(path.relative_to(CATALOGUE)) for path in CATALOGUE.rglob("*.yml"))
SAMPLES = ["releases/rocm-6.2.0.yml", "components.yml", "products.yml", "repositories.yml", "dkms_evidence.yml",
           "windows/driver_rocm.yml", "windows/gpu_limits.yml"]


def by_schema(data: Any) -> bool:
    """Whether the schema of the file's kind accepts it."""
    return bool(validators()[data["kind"]].is_valid(data))


def shortened(data: Any) -> Any:
    """The file with as many of each list, its last ones first, as are needed to reach every key."""
    if isinstance(data, dict):
        return {key: shortened(value) for key, value in data.items()}
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        return data[-1:] if isinstance(data, list) else data
    kept: list[Any] = []
    for item in reversed(data):
        if set(item) - {key for other in kept for key in other} or not kept:
            kept.insert(0, item)
    return [shortened(item) for item in kept]


def sample(path: str) -> Any:
    """A small file that has every key of its kind. AMD's table of ROCm 6.2 has no firmware: that is another one's."""
    data = shortened(document(path))
    if "release" in data:
        rows = document("releases/rocm-10.0.0.yml")["release"]["firmware"]
        row = next(row for row in rows if "also" in row["versions"][0])
        data["release"]["firmware"] = [row | {"versions": row["versions"][:1], "source": ["S1"]}]
    return data


def test_there_is_a_schema_for_every_kind():
    assert sorted(validators()) == sorted([*KINDS, "release", "common"])
    for name, validator in validators().items():
        validator.check_schema(validator.schema)
        assert validator.schema["$schema"] == "https://json-schema.org/draft/2020-12/schema", name


@pytest.mark.parametrize("path", FILES)
def test_every_file_is_accepted_by_both(path):
    assert (by_schema(document(path)), accepts(read_document, document(path))) == (True, True)


def keys(schema: dict[str, Any], data: Any, path: str = "") -> Iterator[str]:
    """Keys that the schema knows and the data does not use anywhere."""
    if schema.get("type") == "array":
        found = [set(keys(schema["items"], item, f"{path}[]")) for item in data]
        yield from set.intersection(*found) if found else ()
    for key, part in schema.get("properties", {}).items():
        if key in data:
            yield from keys(part, data[key], f"{path}.{key}")
        elif key != "note":
            yield f"{path}.{key}"


@pytest.mark.parametrize("path", SAMPLES)
def test_a_sample_has_every_key_of_its_kind(path):
    data = sample(path)
    assert list(keys(validators()[data["kind"]].schema, data)) == []


@pytest.mark.parametrize("path", SAMPLES)
def test_both_accept_and_refuse_the_same_mutants(path):
    verdicts = [(what, by_schema(mutant), accepts(read_document, mutant)) for what, mutant in mutants(sample(path))]
    assert [v for v in verdicts if v[1] != v[2]] == []
    # Mutants that nobody refused would make this test say nothing.
    refused = [v for v in verdicts if not v[1]]
    assert len(refused) > len(verdicts) / 2


@pytest.mark.parametrize("path", FILES)
def test_a_file_names_its_schema(path):
    folders = path.count("/")
    kind = document(path)["kind"]
    line = (CATALOGUE / path).read_text().splitlines()[1]
    assert line == f"# yaml-language-server: $schema={'../' * folders}schema/{kind}.schema.json"
    schema = json.loads((CATALOGUE / path).parent.joinpath(line.split("=")[1]).read_text())
    assert schema["properties"]["kind"]["const"] == kind
