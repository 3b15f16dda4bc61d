# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Schemas and strict readers of profiles and of what products take accept the same files."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.products import read_products
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.profile import Profile
from ansible_collections.instinct.fleet.tests.unit.support.mutants import accepts, mutants
from ansible_collections.instinct.fleet.tests.unit.support.qos_data import DATA, FILES, document, profile

KINDS = ("qos_products", "qos_profile")
VALIDATORS = {kind: jsonschema.Draft202012Validator(json.loads((DATA / f"schema/{kind}.schema.json").read_text()))
              for kind in KINDS}


def read(data: Any, path: str) -> object:
    """What the reader of the file's kind makes of it."""
    if data["kind"] == "qos_profile":
        return Profile.from_document(data, path)
    return read_products([{"path": path, "data": data, "layer": 0}])


def by_schema(data: Any) -> bool:
    """Whether the schema of the file's kind accepts it."""
    return bool(VALIDATORS[data["kind"]].is_valid(data))


def products() -> Any:
    """A small file with every key that products have."""
    data = document("products.yml")
    return data | {"products": [product for product in data["products"] if product["name"] in ("MI210", "MI300X")]}


SAMPLES = {
    "products": products(),
    "a profile with everything": profile(
        power_cap="275 W", soc_pstate="1", xgmi_plpd="disallow", process_isolation="on", performance_level="manual",
        sclk_min_mhz=500, sclk_max_mhz=1500, mclk_max_mhz=1200, irq_affinity="near", numa_balancing="off",
        products={"MI210": {"power_cap": "92%"}}, optional=["xgmi_plpd"],
        measured=[{"product": "MI210", "what": "w", "figures": "f", "source": "s"}]),
    "a level with its clock": profile(performance_level="determinism 1900"),
}


def test_there_is_a_schema_for_every_kind():
    assert sorted(path.name for path in (DATA / "schema").iterdir()) == [f"{kind}.schema.json" for kind in KINDS]
    for kind, validator in VALIDATORS.items():
        validator.check_schema(validator.schema)
        assert validator.schema["properties"]["kind"] == {"const": kind}


def test_the_profiles_are_there():
    assert [path for path in FILES if "/" in path] == [
        f"profiles/{name}.yml" for name in ("burst", "maintenance", "night_training", "serving")]


@pytest.mark.parametrize("path", FILES)
def test_every_file_is_accepted_by_both_and_names_its_schema(path):
    assert list(VALIDATORS[document(path)["kind"]].iter_errors(document(path))) == []
    read(document(path), path)
    line = (DATA / path).read_text().splitlines()[1]
    assert line == f"# yaml-language-server: $schema={'../' * path.count('/')}schema/{document(path)['kind']}.schema.json"


@pytest.mark.parametrize("data", SAMPLES.values(), ids=SAMPLES)
def test_both_accept_and_refuse_the_same_mutants(data):
    verdicts = [(what, by_schema(mutant), accepts(read, mutant)) for what, mutant in mutants(data)]
    assert [v for v in verdicts if v[1] != v[2]] == []
    refused = [v for v in verdicts if not v[1]]
    assert len(refused) > len(verdicts) / 2


WRONG = [
    {"power_cap": "0 W"}, {"power_cap": "101%"}, {"power_cap": "275W"}, {"power_cap": 275}, {"soc_pstate": "10"},
    {"xgmi_plpd": "off"}, {"process_isolation": True}, {"performance_level": "fast"}, {"performance_level": "determinism"},
    {"performance_level": "determinism 19"}, {"sclk_max_mhz": -1}, {"irq_affinity": "0-3"}, {"numa_balancing": "1"},
    {"products": {"mi210": {}}}, {"products": {"MI210": {"numa_balancing": "off"}}}, {"optional": ["power"]},
]


@pytest.mark.parametrize("settings", WRONG, ids=map(str, WRONG))
def test_what_is_wrong_is_refused_by_both(settings):
    assert (by_schema(profile(**settings)), accepts(read, profile(**settings))) == (False, False)
