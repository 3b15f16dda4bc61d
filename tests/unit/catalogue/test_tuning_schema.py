# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Schemas and strict readers of settings accept the same files; each file of ours is right and used."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.strict import Reader
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.catalogue import Catalogue
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.setting import FORMS, Setting
from ansible_collections.instinct.fleet.tests.unit.support.mutants import accepts, mutants
from ansible_collections.instinct.fleet.tests.unit.support.tuning import DATA, FILES

KINDS = ("tuning_profile", "tuning_settings")
VALIDATORS = {kind: jsonschema.Draft202012Validator(json.loads((DATA / f"schema/{kind}.schema.json").read_text()))
              for kind in KINDS}


def document(path: str) -> Any:
    return yaml.safe_load((DATA / path).read_text(encoding="utf-8"))


def read(data: Any, path: str) -> object:
    """What the reader makes of a file: of a profile without the settings that it names."""
    return Catalogue.from_documents([{"path": path, "data": data, "layer": 0}])


SETTINGS = document("settings.yml")["settings"]


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


def test_our_files_make_a_catalogue() -> None:
    found = Catalogue.from_documents({"path": path, "data": document(path), "layer": 0} for path in FILES)
    assert sorted(found.profiles) == ["inference", "pass_through", "training"]
    assert [setting.id for setting in found.settings.values() if setting.name == "kernel.numa_balancing"] == []  # gpu_qos has it
    for name, profile in found.profiles.items():
        assert f"profiles/{name}.yml" in FILES
        assert [ident for ident in profile.settings if not found.settings[ident].value] == []


@pytest.mark.parametrize("kind", FORMS)
def test_schema_and_reader_judge_a_setting_alike(kind: str) -> None:
    sample = next(one for one in SETTINGS if one["kind"] == kind and "value" in one)
    data = {"version": "v1", "kind": "tuning_settings", "settings": [sample]}
    verdicts = [(what, VALIDATORS["tuning_settings"].is_valid(mutant), accepts(read, mutant)) for what, mutant in mutants(data)]
    assert [verdict for verdict in verdicts if verdict[1] != verdict[2]] == []


def test_schema_and_reader_judge_a_profile_alike() -> None:
    data = document("profiles/pass_through.yml")
    verdicts = [(what, VALIDATORS["tuning_profile"].is_valid(mutant), accepts(read, mutant)) for what, mutant in mutants(data)]
    assert [verdict for verdict in verdicts if verdict[1] != verdict[2]] == []


@pytest.mark.parametrize("record", SETTINGS, ids=lambda record: record["id"])
def test_a_setting_says_why_in_a_sentence(record: Any) -> None:
    setting = Setting.read(Reader(record, "settings.yml"))[1]
    assert setting.why.endswith(".") and len(setting.why) <= 160
