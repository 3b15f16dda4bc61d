# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of different sources about the same thing make one root."""

from __future__ import annotations

import fnmatch
import json
import typing as t
from pathlib import Path

import jsonschema
import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.joints import (
    Joint,
    joined,
    merged,
    read_documents,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.rank import Ranked, rank
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import NODE, Cause, Finding
from ansible_collections.instinct.fleet.tests.unit.support.mutants import mutants
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

DATA = ROOT / "roles/gpu_health/files/diagnosis"
OWN: dict[str, t.Any] = yaml.safe_load((DATA / "joints.yml").read_text())
VALIDATOR = jsonschema.Draft202012Validator(json.loads((DATA / "schema/joints.schema.json").read_text()))

A, B = "0000:05:00.0", "0000:26:00.0"
JOINTS = (
    Joint(("unbound", "too-few"), ("probe-*", "not-loaded")),
    Joint(("not-loaded",), ("blacklist",)),
    Joint(("x",), ("y",)), Joint(("y",), ("x",)),
)  # fmt: skip


def finding(name: str, subject: str = NODE, **more: t.Any) -> Finding:
    return Finding(name, "fault", more.pop("severity", "error"), "driver", subject, f"{name} of {subject}", Cause("c", "r"), **more)


def said(items: tuple[Ranked, ...]) -> dict[str, list[str]]:
    def name(one: Finding) -> str:
        return one.id if one.subject == NODE else f"{one.id}@{one.subject}"

    return {name(item.finding): [name(one) for one in item.consequences] for item in items}


CASES = {
    "alone": (("unbound@" + A,), {"unbound@" + A: []}),
    "the same GPU": (("unbound@" + A, "probe-no-bar@" + A), {"probe-no-bar@" + A: ["unbound@" + A]}),
    "another GPU": (("unbound@" + B, "probe-no-bar@" + A), {"unbound@" + B: [], "probe-no-bar@" + A: []}),
    "the node follows from a GPU": (("too-few", "probe-no-bar@" + A), {"probe-no-bar@" + A: ["too-few"]}),
    "GPUs follow from the node": (("not-loaded", "unbound@" + A, "unbound@" + B), {"not-loaded": ["unbound@" + A, "unbound@" + B]}),
    "a package explains the node": (("not-loaded", "blacklist@/etc/modprobe.d/x.conf"), {"blacklist@/etc/modprobe.d/x.conf": ["not-loaded"]}),
    "a chain": (("unbound@" + A, "not-loaded", "blacklist"), {"blacklist": ["not-loaded", "unbound@" + A]}),
    "the first of several": (("not-loaded", "probe-a", "unbound@" + A), {"not-loaded": ["unbound@" + A], "probe-a": []}),
    "each of the other": (("y", "x"), {"x": ["y"]}),
    "nothing in common": (("probe-a", "blacklist"), {"probe-a": [], "blacklist": []}),
}  # fmt: skip


@pytest.mark.parametrize(("names", "folded"), CASES.values(), ids=CASES)
def test_fold(names: tuple[str, ...], folded: dict[str, list[str]]) -> None:
    assert said(rank(joined([finding(*name.split("@")) for name in names], JOINTS))) == folded


def test_what_records_say_themselves_stays() -> None:
    one, two, three = joined([finding("probe-a", explains=("lost", "too-few")), finding("too-few"), finding("lost")], JOINTS)
    assert (one.explains, two.explains, three.explains) == (("lost", "too-few"), (), ())


def test_what_two_sources_say_under_one_id_is_one_finding() -> None:
    one = finding("pcie-width", A, evidence=("x8",), explains=("a",), severity="warning", count=1)
    two = finding("pcie-width", A, evidence=("x8", "x8 of x16"), explains=("b",), severity="error", count=2)
    other = finding("pcie-width", B)
    (both, rest) = merged((one, other, two))
    assert (both.severity, both.evidence, both.explains, both.count) == ("error", ("x8", "x8 of x16"), ("a", "b"), 2)
    assert rest == other


def document(*joints: dict[str, t.Any], **more: t.Any) -> dict[str, t.Any]:
    return {"path": "j.yml", "data": {"version": "v1", "kind": "joints", "joints": list(joints), **more}, "layer": 0}


def test_documents_are_added_up() -> None:
    one = {"symptoms": ["a"], "causes": ["b-*"]}
    assert read_documents([document(one), document(one)]) == (Joint(("a",), ("b-*",)),) * 2


WRONG = [
    ({"version": "v2"}, "j.yml: version: is 'v2'; choose one of v1"),
    ({"kind": "marks"}, "j.yml: kind: is 'marks'; choose one of joints"),
    ({"joints": [{"symptoms": ["a"], "causes": []}]}, "j.yml: joints[0]: lacks symptoms or causes; name some of each"),
    ({"joints": [{"symptoms": [], "causes": ["a"]}]}, "j.yml: joints[0]: lacks symptoms or causes; name some of each"),
    ({"joints": [{"symptoms": ["A"], "causes": ["a"]}]}, "j.yml: joints[0].symptoms[0]: is 'A', which does not match"),
    ({"joints": [{"symptoms": ["a"], "causes": ["a"], "scope": "gpu"}]}, "j.yml: joints[0].scope: is not a known key"),
    ({"joins": []}, "j.yml: joins: is not a known key; did you mean joints"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_a_wrong_document_is_refused_in_a_sentence(change: dict[str, t.Any], message: str) -> None:
    with pytest.raises(DataError) as refused:
        read_documents([document(**change)])
    assert refused.value.sentence.startswith(message)


def by_reader(data: object) -> bool:
    try:
        read_documents([{"path": "j.yml", "data": data}])
    except DataError:
        return False
    return True


def test_schema_and_reader_accept_the_same_files() -> None:
    VALIDATOR.check_schema(VALIDATOR.schema)
    assert (VALIDATOR.is_valid(OWN), by_reader(OWN)) == (True, True)
    small = {**OWN, "joints": OWN["joints"][:1]}
    assert [what for what, data in mutants(small) if VALIDATOR.is_valid(data) is not by_reader(data)] == []


def known(path: Path) -> t.Iterator[str]:
    data = yaml.safe_load(path.read_text())
    for records in data.values():
        if isinstance(records, dict):  # of a profile
            yield from records
        if isinstance(records, list):
            yield from (record["id"] for record in records if isinstance(record, dict) and "id" in record)


def test_every_id_of_ours_is_one_of_a_record() -> None:
    ids = {ident for path in DATA.rglob("*.yml") for ident in known(path)}
    named = {ident for joint in OWN["joints"] for key in ("symptoms", "causes") for ident in joint[key]}
    assert {ident for ident in named if not fnmatch.filter(ids, ident)} == set()
