# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue of faults as it is shipped: its form, and that no line from outside can make it slow."""

from __future__ import annotations

import functools
import json
import pathlib
import re
from typing import Any

import jsonschema
import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.catalogue import KINDS, read_document
from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.rules import KINDS as RULES
from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.scan import Scan
from ansible_collections.instinct.fleet.plugins.plugin_utils import diagnosis_files
from ansible_collections.instinct.fleet.tests.unit.support.faults import fault, mark
from ansible_collections.instinct.fleet.tests.unit.support.mutants import accepts, mutants

DATA = diagnosis_files.OWN
FILES = sorted(str(path.relative_to(DATA)) for path in (*(DATA / "faults").glob("*.yml"), DATA / "marks.yml"))


@functools.cache
def validator(kind: str) -> Any:
    schema = json.loads((DATA / f"schema/{kind}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def values() -> dict[str, Any]:
    """A rule of each kind."""
    given = {"driver_kind": "dkms", "count_from": 2, "virtual_function": True, "driver_loaded": False, "instinct": True}
    return given | {kind: "6.11" if kind.endswith(("from", "before")) else "placed" for kind in RULES if kind not in given}


SAMPLES = {
    "faults": fault(products=["MI210"], when=[{"followed_by": "placed", "within": 9, "unknown": "holds"}], supersedes=["reset"],
                    explains=["reset"], scope="node", echoes=False, together=9, announced_by=["reset"], begins_with=["reset"]) | {"not_products": []},
    "marks": mark("placed", sources=["kernel"], subject="link", each=True),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_has_every_key_of_its_kind(kind):
    assert set(SAMPLES[kind]) == set(validator(kind).schema["properties"][kind]["items"]["properties"])


@pytest.mark.parametrize("kind", KINDS)
def test_schema_and_reader_accept_and_refuse_the_same_mutants(kind):
    data = {"version": "v1", "kind": kind, kind: [SAMPLES[kind]]}
    assert (validator(kind).is_valid(data), accepts(read_document, data)) == (True, True)
    verdicts = [(what, validator(kind).is_valid(mutant), accepts(read_document, mutant)) for what, mutant in mutants(data)]
    assert [v for v in verdicts if v[1] != v[2]] == []
    # Mutants that nobody refused would make this test say nothing.
    assert len([v for v in verdicts if not v[1]]) > len(verdicts) / 2


@pytest.mark.parametrize("rule", RULES)
def test_schema_and_reader_know_the_same_rules(rule):
    data = {"version": "v1", "kind": "faults", "faults": [fault(when=[{rule: values()[rule]}])]}
    assert (validator("faults").is_valid(data), accepts(read_document, data)) == (True, True)
    verdicts = [(what, validator("faults").is_valid(mutant), accepts(read_document, mutant)) for what, mutant in mutants(data)
                if "when" in what]
    assert [v for v in verdicts if v[1] != v[2]] == []
    two = {"version": "v1", "kind": "faults", "faults": [fault(when=[values()])]}
    assert (validator("faults").is_valid(two), accepts(read_document, two)) == (False, False)


@pytest.mark.parametrize("rule", RULES)
def test_schema_and_reader_count_lines_between_lines_alone(rule):
    data = {"version": "v1", "kind": "faults", "faults": [fault(when=[{rule: values()[rule], "within": 9}])]}
    assert validator("faults").is_valid(data) is accepts(read_document, data) is rule.endswith("followed_by")


def test_schema_and_reader_know_the_same_words():
    for key in ("where", "severity", "domain", "subject", "gate", "scope", "confidence"):
        for word in validator("faults").schema["properties"]["faults"]["items"]["properties"][key]["enum"]:
            data = {"version": "v1", "kind": "faults", "faults": [fault() | {key: word}]}
            assert accepts(read_document, data), (key, word)


@pytest.mark.parametrize("path", FILES)
def test_a_file_is_right_and_names_its_schema(path):
    text = (DATA / path).read_text()
    data = yaml.safe_load(text)
    assert [error.message for error in validator(data["kind"]).iter_errors(data)] == []
    folders = "../" * path.count("/")
    assert text.splitlines()[1] == f"# yaml-language-server: $schema={folders}schema/{data['kind']}.schema.json"


def test_there_is_a_description_beside_the_data():
    text = pathlib.Path(DATA / "README.md").read_text()
    properties = validator("faults").schema["properties"]["faults"]["items"]["properties"]
    assert [key for key in (*properties, *RULES) if f"`{key}`" not in text] == []


def hostile(pattern: str, words: list[str]) -> list[str]:
    """Lines that begin as the pattern wants it again and again, and never end so."""
    literals = re.findall(r"[A-Za-z][A-Za-z0-9 _:/-]{2,}", re.sub(r"\\.|\(\?P<\w+>|\(\?:", " ", pattern)) or words
    seeds = [literals[0], " ".join(literals), "".join(literals), *words]
    fill = ("0", "a", " ", "0000:00:00.0 ", "\\", "[", "(")
    return [(seed + filler * n) * (2100 // (len(seed) + n)) for seed in seeds for filler in fill for n in (1, 40, 2000)]


@pytest.mark.parametrize("path", FILES)
def test_no_line_takes_long(path):
    """It ends: what the reader lets pass is at worst square in the 2000 characters that a line is cut to.

    A pattern with repetitions within each other would not come back from the first of these lines.
    """
    data = yaml.safe_load((DATA / path).read_text())
    for record in data[data["kind"]]:
        scan = Scan([record], record["where"], "hostile")
        lines = [line for pattern in record["patterns"] for line in hostile(pattern, record["words"])]
        for line in lines:
            scan.feed(line)
        assert scan.result()[0].lines == len(lines) > 0
