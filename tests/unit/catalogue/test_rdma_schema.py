# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Schemas and strict readers of RDMA data accept the same files; each file of ours is right and used."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.catalogue import Catalogue
from ansible_collections.instinct.fleet.tests.unit.support.mutants import accepts, mutants
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

DATA = ROOT / "roles/rdma_stack/files/rdma"
FILES = sorted(str(path.relative_to(DATA)) for path in DATA.rglob("*.yml"))
KINDS = ("rdma_checks", "rdma_family", "rdma_stacks")
VALIDATORS = {kind: jsonschema.Draft202012Validator(json.loads((DATA / f"schema/{kind}.schema.json").read_text()))
              for kind in KINDS}


def document(path: str) -> Any:
    return yaml.safe_load((DATA / path).read_text(encoding="utf-8"))


def read(data: Any, path: str) -> object:
    return Catalogue.from_documents([{"path": path, "data": data, "layer": 0}])


def test_there_is_a_schema_for_every_kind() -> None:
    assert sorted(path.name for path in (DATA / "schema").iterdir()) == [f"{kind}.schema.json" for kind in KINDS]
    for kind, validator in VALIDATORS.items():
        validator.check_schema(validator.schema)
        assert validator.schema["properties"]["kind"] == {"const": kind}


@pytest.mark.parametrize("path", FILES)
def test_every_file_is_accepted_and_names_its_schema(path: str) -> None:
    data = document(path)
    assert list(VALIDATORS[data["kind"]].iter_errors(data)) == []
    line = (DATA / path).read_text().splitlines()[1]
    assert line == f"# yaml-language-server: $schema={'../' * path.count('/')}schema/{data['kind']}.schema.json"
    assert not path.startswith("families/") or path == f"families/{data['name']}.yml"


# A family whose lists are short, for each mutant is one of every key.
@pytest.mark.parametrize(("path", "cut"), [("families/ionic.yml", None), ("stacks.yml", ("stacks", "mixtures")), ("checks.yml", ("checks",))])
def test_schema_and_reader_judge_alike(path: str, cut: tuple[str, ...] | None) -> None:
    data = document(path)
    data |= {key: data[key][:1] for key in cut or ()}
    verdicts = [(what, VALIDATORS[data["kind"]].is_valid(mutant), accepts(read, mutant)) for what, mutant in mutants(data)]
    assert [verdict for verdict in verdicts if verdict[1] != verdict[2]] == []


def test_what_is_said_is_a_sentence() -> None:
    for text in document("checks.yml")["checks"]:
        assert text["why"].endswith(".") and not text["remedy"].endswith("."), text["id"]
