# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file of preconditions: its form, its profiles, and which row goes over which."""

from __future__ import annotations

import copy
import json
from typing import Any

import jsonschema
import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.preconditions.catalogue import (
    Preconditions,
    read_document,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.preconditions.judges import JUDGES
from ansible_collections.instinct.fleet.tests.unit.support.mutants import accepts, mutants
from ansible_collections.instinct.fleet.tests.unit.support.preconditions import DATA, documents

SCHEMA = json.loads((DATA / "schema/preconditions.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
RECORD: dict[str, Any] = {
    "id": "swap", "title": "a title", "check": "sysctl", "profiles": ["rdma"], "severity": "info", "domain": "pcie",
    "gate": "none", "explains": ["other"], "scope": "node", "why": "w", "remedy": "r", "sources": ["s"],
    "confidence": "derived",
    "wanted": [{"values": {"name": "vm.swappiness", "least": 1}},
               {"profiles": ["rdma"], "products": ["MI300X"], "values": {"least": 2}, "remedy": "r2"}]}
PROFILES = ({"id": "rdma", "what": "a"}, {"id": "hpc", "what": "b"})


def document(*records: dict[str, Any], path: str = "f.yml", layer: int = 0, profiles: Any = PROFILES) -> dict[str, Any]:
    """A file with these records."""
    data = {"version": "v1", "kind": "preconditions", "host_profiles": list(profiles), "preconditions": list(records)}
    return {"path": path, "data": copy.deepcopy(data), "layer": layer}


def test_our_own_file_is_accepted_by_schema_and_reader():
    data = documents()[0]["data"]
    assert list(VALIDATOR.iter_errors(data)) == []
    assert len(Preconditions.from_documents(documents()).by_id) == len(data["preconditions"]) > 40


def test_the_schema_is_one_and_names_every_check():
    VALIDATOR.check_schema(SCHEMA)
    assert SCHEMA["properties"]["preconditions"]["items"]["properties"]["check"]["enum"] == sorted(JUDGES)


def test_every_check_is_used():
    assert {record.check for record in Preconditions.from_documents(documents()).by_id.values()} == set(JUDGES)


def test_what_is_explained_is_there():
    by_id = Preconditions.from_documents(documents()).by_id
    assert {name for r in by_id.values() for name in r.explains} - set(by_id) == set()
    assert [r.id for r in by_id.values() if r.id in r.explains] == []


def test_schema_and_reader_accept_the_same_files():
    data = document(RECORD)["data"]
    different = [done for done, mutant in mutants(data) if VALIDATOR.is_valid(mutant) != accepts(read_document, mutant)]
    assert different == []


REFUSED = [
    ("another kind of value", {"wanted": [{"values": {"name": "x", "least": "1"}}]},
     "f.yml: preconditions[0].wanted[0].values.least: is not a number; write it in that form"),
    ("a value that the check does not know", {"wanted": [{"values": {"name": "x", "least": 1, "most": 2}}]},
     "f.yml: preconditions[0].wanted[0].values.most: is nothing that the check sysctl knows; it knows name, least"),
    ("a check that takes no value", {"check": "whole", "wanted": [{"values": {"name": "x"}}]},
     "f.yml: preconditions[0].wanted[0].values.name: is nothing that the check whole knows; it knows no values"),
    ("no value", {"wanted": [{"values": {}}]},
     "f.yml: preconditions[0].wanted[0].values: is not a mapping with a value in it; write it in that form"),
    ("a value that YAML took for another", {"check": "acs", "wanted": [{"values": {"state": True}}]},
     "f.yml: preconditions[0].wanted[0].values.state: is no text, no number from 0 on, and no list of different texts; "
     "put yes, no, on and off in quotes"),
    ("a word that is not allowed", {"check": "acs", "wanted": [{"values": {"state": "maybe", "bits": 1}}]},
     "f.yml: preconditions[0].wanted[0].values.state: is none of on, off; write it in that form"),
    ("a text for a list", {"check": "bound", "wanted": [{"values": {"drivers": "amdgpu"}}]},
     "f.yml: preconditions[0].wanted[0].values.drivers: is not a list of texts; write it in that form"),
    ("a value that nobody gives", {"wanted": [{"values": {"name": "x"}}]},
     "f.yml: preconditions[0].wanted: no row gives least; the check sysctl needs it"),
    ("no source", {"sources": []},
     "f.yml: preconditions[0].sources: is empty: a fact without a source is none; say where it is from"),
    ("an unknown check", {"check": "guess"}, None),
    ("an unknown profile", {"profiles": ["gaming"]},
     "f.yml: preconditions[0]: names the host profile 'gaming', which no file defines; define it in host_profiles, or correct it"),
    ("a pattern that is none", {"check": "one_source", "wanted": [{"values": {"amd": "(", "marks": ["a"], "names": ["b"]}}]},
     "f.yml: preconditions[0].wanted: amd is no regular expression: missing ), unterminated subpattern at position 0; correct it"),
]


@pytest.mark.parametrize(("change", "sentence"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_a_file_that_is_not_right_is_refused(change, sentence):
    with pytest.raises(DataError) as refused:
        Preconditions.from_documents([document(RECORD | change)])
    assert sentence is None or refused.value.sentence == sentence


def test_an_id_is_there_once_in_a_layer():
    with pytest.raises(DataError) as refused:
        Preconditions.from_documents([document(RECORD), document(RECORD, path="g.yml")])
    assert refused.value.sentence == "g.yml: preconditions[0].id: 'swap' is also f.yml: preconditions[0]; rename one"


def test_a_site_replaces_ours_and_defines_profiles():
    mine = RECORD | {"title": "of the site", "profiles": ["serving"]}
    found = Preconditions.from_documents([document(RECORD), document(mine, layer=1, profiles=[{"id": "serving", "what": "c"}])])
    assert found.by_id["swap"].title == "of the site"
    assert found.profiles == {"rdma": "a", "hpc": "b", "serving": "c"}


def test_profiles_are_chosen_by_name():
    found = Preconditions.from_documents([document(RECORD)])
    assert found.choose(["hpc", "rdma", "hpc"]) == ("hpc", "rdma")
    with pytest.raises(DataError) as refused:
        found.choose(["rdma", "gaming"])
    assert refused.value.sentence == "host profiles: there is none called 'gaming'; choose of hpc, rdma"


ROWS = [
    ((), (), {"name": "vm.swappiness", "least": 1}),
    (("rdma",), (), {"name": "vm.swappiness", "least": 1}),
    (("rdma",), ("MI300X",), {"name": "vm.swappiness", "least": 2}),
    (("hpc",), ("MI300X",), {"name": "vm.swappiness", "least": 1}),
    (("rdma",), ("MI210", "MI300X"), {"name": "vm.swappiness", "least": 2}),
]


@pytest.mark.parametrize(("profiles", "products", "values"), ROWS)
def test_a_later_row_goes_over_an_earlier_one(profiles, products, values):
    record = Preconditions.from_documents([document(RECORD)]).by_id["swap"]
    assert record.wanted(profiles, products).by_name == values


@pytest.mark.parametrize(("profiles", "products", "remedy"), [
    (("rdma",), ("MI300X", "MI210"), "r2"), (("rdma",), ("MI210",), "r"), (("hpc",), ("MI300X",), "r"),
])  # fmt: skip
def test_a_row_may_have_a_remedy_of_its_own(profiles, products, remedy):
    (record,) = Preconditions.from_documents([document(RECORD)]).by_id.values()
    cause = record.cause(profiles, products)
    assert (cause.cause, cause.remedy, cause.sources) == ("w", remedy, ("s",))


def test_profiles_that_want_opposites_are_refused():
    record = Preconditions.from_documents(documents()).by_id["acs"]
    with pytest.raises(FleetError) as refused:
        record.wanted(("rdma", "passthrough"), ())
    assert refused.value.sentence == (
        "host profiles rdma and passthrough: want opposites of acs (state off and on); choose one of them "
        "(source: ROCm/gpu-cluster-networking:docs/how-to/single-node-config.rst)")


def test_profiles_that_want_the_same_are_not():
    record = Preconditions.from_documents(documents()).by_id["numa-balancing"]
    assert record.wanted(("rdma", "hpc"), ("MI300A",)).by_name == {"value": 0}
