# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Schema and strict reader of checks of containers accept the same files; our file is right."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.image.checks import Check
from ansible_collections.instinct.fleet.plugins.module_utils._core.records import begun
from ansible_collections.instinct.fleet.tests.unit.support.containers import DATA, documents
from ansible_collections.instinct.fleet.tests.unit.support.mutants import accepts, mutants

VALIDATOR = jsonschema.Draft202012Validator(json.loads((DATA / "schema/container_checks.schema.json").read_text()))
RECORDS = documents()[0]["data"]["checks"]


def read(data: Any, path: str) -> None:
    """What the reader makes of a file that need not have all checks."""
    reader, _kind = begun(data, path, ("container_checks",))
    reader.records("checks", Check.read)
    reader.done()


def test_our_file_is_accepted_and_names_its_schema() -> None:
    VALIDATOR.check_schema(VALIDATOR.schema)
    assert list(VALIDATOR.iter_errors(documents()[0]["data"])) == []
    line = (DATA / "checks.yml").read_text().splitlines()[1]
    assert line == "# yaml-language-server: $schema=schema/container_checks.schema.json"


@pytest.mark.parametrize("index", [0, -1])
def test_schema_and_reader_judge_alike(index: int) -> None:
    data = {"version": "v1", "kind": "container_checks", "checks": [RECORDS[index]]}
    verdicts = [(what, VALIDATOR.is_valid(mutant), accepts(read, mutant)) for what, mutant in mutants(data)]
    assert [verdict for verdict in verdicts if verdict[1] != verdict[2]] == []


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["id"])
def test_a_check_says_why_in_a_sentence_and_what_to_do(record: Any) -> None:
    assert record["cause"].endswith(".") and not record["remedy"].endswith(".")
    assert record["remedy"][0].islower()
