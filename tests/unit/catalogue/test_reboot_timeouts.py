# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a node that reboots is waited for: schema and strict reader accept the same, and every product has a number."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import yaml

from ansible_collections.instinct.fleet.plugins.filter.reboot_timeout import FILE
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.timeouts import read_timeouts
from ansible_collections.instinct.fleet.plugins.plugin_utils.node_data import products
from ansible_collections.instinct.fleet.tests.unit.support.mutants import accepts, mutants

TEXT = FILE.read_text(encoding="utf-8")
DATA: dict[str, Any] = yaml.safe_load(TEXT)
SCHEMA = jsonschema.Draft202012Validator(json.loads((FILE.parent / "schema/reboot_timeouts.schema.json").read_text()))
SAMPLE = DATA | {"timeouts": [row for row in DATA["timeouts"] if row.get("product") in (None, "MI300X")]}


def read(data: Any, path: str) -> object:
    return read_timeouts({"path": path, "data": data})


def test_the_file_is_accepted_by_both_and_names_its_schema() -> None:
    SCHEMA.check_schema(SCHEMA.schema)
    assert list(SCHEMA.iter_errors(DATA)) == []
    assert TEXT.splitlines()[1] == "# yaml-language-server: $schema=schema/reboot_timeouts.schema.json"


def test_both_accept_and_refuse_the_same_mutants() -> None:
    verdicts = [(what, SCHEMA.is_valid(mutant), accepts(read, mutant)) for what, mutant in mutants(SAMPLE)]
    assert [v for v in verdicts if v[1] != v[2]] == []
    assert sum(not valid for _what, valid, _read in verdicts) > len(verdicts) / 2


def test_every_product_of_the_catalogue_has_a_number_and_every_source_is_used() -> None:
    assert {row["product"] for row in DATA["timeouts"] if "product" in row} == {product.name for product in products()}
    assert {key for row in DATA["timeouts"] for key in row["sources"]} == set(DATA["sources"])
