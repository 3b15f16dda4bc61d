# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What upgrades take as a rule: schema and strict reader accept the same files, and the numbers are of the catalogue's products."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.typical import read_typical
from ansible_collections.instinct.fleet.plugins.plugin_utils.node_data import products
from ansible_collections.instinct.fleet.plugins.plugin_utils.typical_files import OWN, typical
from ansible_collections.instinct.fleet.tests.unit.support.mutants import accepts, mutants

TEXT = (OWN / "typical.yml").read_text(encoding="utf-8")
DATA: dict[str, Any] = yaml.safe_load(TEXT)
SCHEMA = jsonschema.Draft202012Validator(json.loads((OWN / "schema/rollout_typical.schema.json").read_text()))
SAMPLE = DATA | {"durations": [d for d in DATA["durations"] if d["what"] == "reboot"][:2], "sizes": DATA["sizes"][-1:]}


def read(data: Any, path: str) -> object:
    """What the reader makes of a file of a site, over ours."""
    return read_typical([{"path": "typical.yml", "data": DATA}, {"path": path, "data": data}])


def test_the_file_is_accepted_by_both_and_names_its_schema() -> None:
    SCHEMA.check_schema(SCHEMA.schema)
    assert list(SCHEMA.iter_errors(DATA)) == []
    read_typical([{"path": "typical.yml", "data": DATA}])
    assert TEXT.splitlines()[1] == "# yaml-language-server: $schema=schema/rollout_typical.schema.json"


def test_both_accept_and_refuse_the_same_mutants() -> None:
    verdicts = [(what, SCHEMA.is_valid(mutant), accepts(read, mutant)) for what, mutant in mutants(SAMPLE)]
    assert [v for v in verdicts if v[1] != v[2]] == []
    assert sum(not valid for _what, valid, _read in verdicts) > len(verdicts) / 2


def test_products_are_those_of_the_catalogue_and_every_source_is_used() -> None:
    known = {product.name for product in products()}
    assert {d["product"] for d in DATA["durations"] if "product" in d} <= known
    used = {key for rows in (DATA["durations"], DATA["sizes"], DATA["places"]) for row in rows for key in row["sources"]}
    assert used == set(DATA["sources"])


@pytest.mark.parametrize(("name", "directory"), [
    ("rocm-core", "/opt"), ("amdrocm7.2-gfx94x", "/opt"), ("hipblaslt", "/opt"), ("rocblas", "/opt"), ("amd-smi-lib", "/opt"),
    ("amdgpu-dkms", None), ("linux-image-6.8.0-85-generic", None), ("libc6", None)])
def test_where_packages_put_their_files(name: str, directory: str | None) -> None:
    assert next((p.directory for p in typical().places if re.match(p.pattern, name)), None) == directory
