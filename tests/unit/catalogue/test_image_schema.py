# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Schema and strict reader of images accept the same files; each image of ours is right."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.image.definition import Definition, definitions
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.order import ordered
from ansible_collections.instinct.fleet.tests.unit.support.images import DATA, FILES, FRAMEWORK, A, record
from ansible_collections.instinct.fleet.tests.unit.support.mutants import accepts, mutants

VALIDATOR = jsonschema.Draft202012Validator(json.loads((DATA / "schema/image.schema.json").read_text()))


def document(path: str) -> Any:
    return yaml.safe_load((DATA / path).read_text(encoding="utf-8"))


def read(data: Any, path: str) -> dict[str, Definition]:
    return definitions([{"path": path, "data": data}])


def test_the_schema_is_one() -> None:
    VALIDATOR.check_schema(VALIDATOR.schema)
    assert sorted(path.name for path in (DATA / "schema").iterdir()) == ["image.schema.json"]


@pytest.mark.parametrize("path", FILES)
def test_every_file_is_right_and_is_named_by_its_image(path: str) -> None:
    data = document(path)
    assert list(VALIDATOR.iter_errors(data)) == []
    assert (DATA / path).read_text().splitlines()[1] == "# yaml-language-server: $schema=schema/image.schema.json"
    (found,) = read(data, path).values()
    assert f"{found.name}.yml" == path
    assert ordered(found.layers, path)[0].name == "base"


STACKED = {"name": "rdma", "from": "stack.rdma", "packages": ["libibverbs1"]}


@pytest.mark.parametrize("data", [
    record(), record(parent={"archive": "/srv/base.tar", "digest": A}, rocm="7.0.2"), record(layers=[FRAMEWORK]), record(layers=[STACKED]),
], ids=["image", "archive", "framework", "stack"])
def test_schema_and_reader_judge_alike(data: Any) -> None:
    verdicts = [(what, VALIDATOR.is_valid(mutant), accepts(read, mutant)) for what, mutant in mutants(data)]
    assert [verdict for verdict in verdicts if verdict[1] != verdict[2]] == []


@pytest.mark.parametrize(("pin", "right"), [
    ("a1=1", True), ("x11=1:7.7+23~x3", True), ("a1=latest", False), ("a1=*", False), ("a1=1.x", False), ("a1=1.X-2", False), ("a1==1", False), ("a1", False),
])
def test_schema_and_reader_see_what_is_pinned(pin: str, right: bool) -> None:
    data = record(layers=[{"name": "base", "packages": [pin]}])
    assert (VALIDATOR.is_valid(data), accepts(read, data)) == (right, right)


@pytest.mark.parametrize(("layer", "right"), [
    (STACKED, True), ({**STACKED, "from": "release.rocm"}, False), ({**STACKED, "packages": ["libibverbs1=latest"]}, False),
    ({"run": ["pip install torch"]}, False), ({"run": ["make install"]}, True), ({"run": ["pip install --no-index /opt/a.whl"]}, True),
    ({"copy": [{"image": f"quay.io/a@{A}", "paths": ["/opt/../a"]}]}, False), ({"copy": [{"image": "quay.io/a:1", "paths": ["/opt"]}]}, False),
    ({"python": {"packages": [{"name": "a", "version": "1", "hashes": [A]}, {"name": "b", "version": "2"}]}}, False),
    ({"python": {"packages": [{"name": "a", "version": "1.*"}]}}, False),
])
def test_schema_and_reader_see_what_is_open(layer: dict[str, Any], right: bool) -> None:
    data = record(layers=[{"name": "base", **layer}])
    assert (VALIDATOR.is_valid(data), accepts(read, data)) == (right, right)
