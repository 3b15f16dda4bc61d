# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Directories of diagnosis data: ours, then those of the site."""

from __future__ import annotations

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.plugin_utils import diagnosis_files
from ansible_collections.instinct.fleet.tests.unit.support.faults import fault, mark


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Write directories: name -> files; the first is taken for ours, the others are returned."""
    def write(**directories):
        for name, files in directories.items():
            for path, data in files.items():
                target = tmp_path / name / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(yaml.safe_dump(data))
        first, *others = directories
        monkeypatch.setattr(diagnosis_files, "OWN", tmp_path / first)
        diagnosis_files.read.cache_clear()
        return tuple(str(tmp_path / name) for name in others)
    yield write
    diagnosis_files.read.cache_clear()


def of(kind, *records):
    return {"version": "v1", "kind": kind, kind: list(records)}


def test_our_directory_is_read():
    found = diagnosis_files.read()
    assert (len(found.faults.faults) > 0, len(found.faults.marks) > 0) == (True, True)
    assert diagnosis_files.read() is found
    assert {document["layer"] for documents in (found.preconditions, found.knobs, found.profiles, found.joints)
            for document in documents} == {0}


def test_what_was_read_ahead_is_not_read_by_each_process(monkeypatch):
    diagnosis_files.ahead()
    monkeypatch.setattr(diagnosis_files, "load", None)
    assert diagnosis_files.read().profiles != ()


def test_what_is_wrong_with_ours_is_told_by_who_uses_it(site):
    site(ours={"a.yml": {"kind": "?"}})
    diagnosis_files.ahead()
    with pytest.raises(FleetError, match="kind: is '\\?'"):
        diagnosis_files.read()


def test_documents_are_handed_on_by_kind(site, tmp_path):
    preconditions, knobs = of("preconditions", {"id": "acs"}), of("knobs", {"id": "noretry"})
    profile, joints = {"version": "v1", "kind": "health_profile", "name": "mine"}, of("joints")
    directories = site(
        own={"faults/a.yml": of("faults", fault()), "marks.yml": of("marks", mark("placed")), "p.yml": preconditions},
        one={"knobs.yml": knobs}, two={"profiles/mine.yml": profile, "joints.yml": joints})
    found = diagnosis_files.read(directories)
    assert (list(found.faults.faults), list(found.faults.marks)) == (["gpu-lost"], ["placed"])
    assert found.preconditions == ({"path": f"{tmp_path}/own/p.yml", "data": preconditions, "layer": 0},)
    assert found.knobs == ({"path": f"{tmp_path}/one/knobs.yml", "data": knobs, "layer": 1},)
    assert found.profiles == ({"path": f"{tmp_path}/two/profiles/mine.yml", "data": profile, "layer": 2},)
    assert found.joints == ({"path": f"{tmp_path}/two/joints.yml", "data": joints, "layer": 2},)


def test_the_last_directory_wins(site):
    directories = site(
        own={"faults/a.yml": of("faults", fault(), fault("reset", explains=["gpu-lost"]))},
        one={"a.yml": of("faults", fault(severity="info"))}, two={"b.yml": of("faults", fault(severity="critical"))})
    assert {f.id: f.severity for f in diagnosis_files.read(directories).faults.faults.values()} == {
        "gpu-lost": "critical", "reset": "error"}
    assert diagnosis_files.read(directories[:1]).faults.faults["gpu-lost"].severity == "info"


def test_a_fault_may_explain_a_check_of_another_file(site):
    checks = {"version": "v1", "kind": "health_profile", "checks": {"gpu-count": {}}, "active": {"bandwidth": {}}}
    site(own={"f.yml": of("faults", fault(explains=["acs", "noretry", "gpu-count", "bandwidth"])),
              "p.yml": of("preconditions", {"id": "acs"}, {"no": "id"}, "wrong"), "k.yml": of("knobs", {"id": "noretry"}),
              "profiles/h.yml": checks})
    assert diagnosis_files.read().faults.faults["gpu-lost"].explains == ("acs", "noretry", "gpu-count", "bandwidth")


BAD = [
    ({"f.yml": of("faults", fault(explains=["none"]))},
     "{own}/f.yml: faults[0].explains[0]: there is no fault 'none'; correct or remove it"),
    ({"a.yml": of("faults", fault()), "faults/b.yml": of("faults", fault())},
     "{own}/faults/b.yml: faults[0].id: 'gpu-lost' is also {own}/a.yml: faults[0]; rename one"),
    ({"f.yml": ["faults"]}, "{own}/f.yml: is not a mapping; write version, kind and records"),
    ({"f.yml": {"kind": "releases"}},
     "{own}/f.yml: kind: is 'releases'; choose one of faults, marks, preconditions, knobs, health_profile, joints"),
    ({"f.yml": {"kind": ["faults"]}},
     "{own}/f.yml: kind: is ['faults']; choose one of faults, marks, preconditions, knobs, health_profile, joints"),
    ({"f.yaml": {}}, "{own}/f.yaml: is not read: catalogue files end in .yml; rename it"),
]


@pytest.mark.parametrize(("files", "sentence"), BAD)
def test_a_wrong_file_is_named(site, tmp_path, files, sentence):
    site(own=files)
    with pytest.raises(FleetError) as caught:
        diagnosis_files.read()
    assert caught.value.sentence == sentence.format(own=tmp_path / "own")


def test_a_directory_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FleetError) as caught:
        diagnosis_files.read((str(tmp_path / "none"),))
    assert caught.value.sentence == (
        f"gpu_health_catalogue_dirs: {tmp_path}/none is not a directory; name existing directories")
