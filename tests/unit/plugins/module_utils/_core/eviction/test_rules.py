# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of evictions: file, schema and reader agree, and nothing is taken without a source."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.rules import read_rules
from ansible_collections.instinct.fleet.tests.unit.support.evictions import DATA, FILE, RULES
from ansible_collections.instinct.fleet.tests.unit.support.mutants import accepts, mutants

TEXT = FILE.read_text(encoding="utf-8")
SCHEMA = jsonschema.Draft202012Validator(json.loads((FILE.parent / "schema/eviction_rules.schema.json").read_text()))


def read(data: Any, path: str) -> object:
    return read_rules({"path": path, "data": data})


def test_the_file_is_accepted_by_both_and_names_its_schema() -> None:
    SCHEMA.check_schema(SCHEMA.schema)
    assert list(SCHEMA.iter_errors(DATA)) == []
    assert TEXT.splitlines()[1] == "# yaml-language-server: $schema=schema/eviction_rules.schema.json"


def test_both_accept_and_refuse_the_same_mutants() -> None:
    verdicts = [(what, SCHEMA.is_valid(mutant), accepts(read, mutant)) for what, mutant in mutants(DATA)]
    assert [v for v in verdicts if v[1] != v[2]] == []
    assert sum(not valid for _what, valid, _read in verdicts) > len(verdicts) / 2


def test_every_source_is_used() -> None:
    assert {key for rule in DATA["rules"].values() for key in rule["sources"]} == set(DATA["sources"])


def test_the_numbers_are_those_of_the_reports() -> None:
    assert (RULES.grace("P1"), RULES.grace("P2"), RULES.protection_seconds, RULES.protection_gpus) == (30, 15, 1800, 8)
    assert (RULES.stall_from, RULES.stall_to, RULES.burst, RULES.shared_memory) == (2, 8, 3, ("MI300A",))


def test_a_number_that_is_none_is_named() -> None:
    rules = DATA["rules"] | {"grace_p1": DATA["rules"]["grace_p1"] | {"number": 0}}
    with pytest.raises(DataError, match=r"^f: rules\.grace_p1\.number: is missing or 0; give a number from 1$"):
        read(DATA | {"rules": rules}, "f")
