# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Catalogue directories are read on the controller; what is wrong is named with file and path."""

from __future__ import annotations

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.plugin_utils import catalogue_files
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import CATALOGUE, document, own


@pytest.fixture
def site(tmp_path):
    """Write files of a site directory: relative path -> data or text."""
    def write(files):
        for name, data in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(data if isinstance(data, str) else yaml.safe_dump(data))
        return (str(tmp_path),)
    return write


def release(name, **change):
    data = document("releases/rocm-7.2.3.yml")
    data["release"] |= {"name": name} | change
    return data


def test_what_was_read_ahead_is_not_read_by_each_process(monkeypatch):
    catalogue_files.ahead()
    read, load = [], catalogue_files.load
    monkeypatch.setattr(catalogue_files, "load", lambda path, variable: read.append(path.name) or load(path, variable))
    catalogue_files.read.__wrapped__((), "rocm-7.2.3")
    assert read == ["rocm-7.2.3.yml"]


def test_what_is_wrong_with_it_is_told_by_who_uses_it(monkeypatch, tmp_path):
    monkeypatch.setattr(catalogue_files, "OWN", tmp_path / "none")
    catalogue_files.ahead()
    with pytest.raises(FleetError, match="none is not a directory"):
        catalogue_files.read.__wrapped__()


def test_our_directory_is_always_read():
    found = catalogue_files.read()
    assert [f["path"] for f in found["files"]] == [
        str(CATALOGUE / name) for name in (
            "components.yml", "dkms_evidence.yml", "products.yml", "repositories.yml", "windows/driver_rocm.yml",
            "windows/gpu_limits.yml", *(f"releases/{name}.yml" for name in own().names))]
    assert len(own().names) == 46
    assert tuple(found["names"]) == own().names
    assert catalogue_files.catalogue() == own()


def test_of_the_releases_only_the_one_asked_for_is_read():
    found = catalogue_files.read((), "rocm-7.2.3")
    releases = [f["path"] for f in found["files"] if "/releases/" in f["path"]]
    assert releases == [str(CATALOGUE / "releases/rocm-7.2.3.yml")]
    assert tuple(found["names"]) == own().names


def test_nothing_is_read_twice_in_a_process():
    assert catalogue_files.read((), "rocm-7.2.3") is catalogue_files.read((), "rocm-7.2.3")
    assert catalogue_files.catalogue((), "rocm-7.2.3") is catalogue_files.catalogue((), "rocm-7.2.3")


@pytest.mark.parametrize("schema", [False, True])
def test_a_site_adds_and_replaces_releases(site, schema):
    ours = release("rocm-7.2.4", title="ours")
    directories = site({"releases/site-1.yml": release("site-1"), "releases/rocm-7.2.4.yml": ours})
    catalogue_files.read(directories, None, schema)
    found = catalogue_files.catalogue(directories)
    assert found.names == tuple(sorted({*own().names, "site-1"}))
    assert found.release("site-1").driver == own().release("rocm-7.2.3").driver
    assert found.release("rocm-7.2.4").title == "ours"


def test_the_last_directory_wins(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder / "releases").mkdir(parents=True)
        (tmp_path / folder / "releases/x.yml").write_text(yaml.safe_dump(release("x", title=folder)))
    order = (str(tmp_path / "b"), str(tmp_path / "a"))
    assert catalogue_files.catalogue(order, "x").release("x").title == "a"


BAD = [
    ({"releases/x.yml": release("y")}, "{site}/releases/x.yml: release.name: is 'y'; name the file y.yml"),
    ({"releases/x.yml": release("x", rocm="seven")},
     "{site}/releases/x.yml: release.rocm: 'seven' is not a ROCm version; write it as 7.2.3"),
    ({"releases/x.yml": "a: [1"}, None),
    ({"releases/x.yml": "\x00"}, None),
    ({"releases/x.yml/y": ""}, "{site}/releases/x.yml: cannot be read: Is a directory; mend the file, or take its "
                               "directory out of gpu_release_catalogue_dirs"),
    ({"releases/x.yml": "- 1\n"}, "{site}/releases/x.yml: is a list, not a mapping; write it as a mapping"),
    ({"releases/x.yml": ""}, "{site}/releases/x.yml: is null, not a mapping; write it as a mapping"),
    ({"releases/x.yml": "version: v1\nkind: release\nversion: v1\n"},
     "{site}/releases/x.yml: cannot be read: key 'version' is there twice, line 3; mend the file, or take its directory out of "
     "gpu_release_catalogue_dirs"),
    ({"releases/x.yml": "version: !!python/object/apply:os.system [id]\n"}, None),
    ({"releases/x.yaml": release("x")}, "{site}/releases/x.yaml: is not read: catalogue files end in .yml; rename it"),
    ({"windows/w.json": "{}"}, "{site}/windows/w.json: is not read: catalogue files end in .yml; rename it"),
]


@pytest.mark.parametrize(("files", "sentence"), BAD)
def test_a_wrong_file_is_named(site, files, sentence):
    directories = site(files)
    with pytest.raises(FleetError) as caught:
        catalogue_files.read(directories)
    if sentence:
        assert caught.value.sentence == sentence.format(site=directories[0])
    else:
        assert caught.value.sentence.startswith(f"{directories[0]}/releases/x.yml: cannot be read: ")
    assert "\n" not in caught.value.sentence


def test_a_directory_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FleetError) as caught:
        catalogue_files.read((str(tmp_path / "none"),))
    assert caught.value.sentence == (
        f"gpu_release_catalogue_dirs: {tmp_path}/none is not a directory; name existing directories")


SCHEMA_SAYS = [
    (release("x", rocm="seven"), "release.rocm: 'seven' does not match"),
    (release("x", os=[{}]), "release.os[0]: '"),
    ({"version": "v1", "kind": "release", "release": 7}, "release: 7 is not of type 'object'"),
    ({"version": "v1", "kind": "other"},
     "kind: is 'other'; choose one of release, products, driver_rocm, gpu_limits, "
     "dkms_evidence, repositories, components"),
    ({"version": "v1", "kind": ["release"]}, "kind: is a list, not text"),
    (["release"], "is a list, not a mapping"),
]


@pytest.mark.parametrize(("data", "said"), SCHEMA_SAYS)
def test_the_schema_is_held_against_a_file_too(site, data, said):
    directories = site({"releases/x.yml": data})
    with pytest.raises(FleetError) as caught:
        catalogue_files.read(directories, "x", True)
    assert caught.value.sentence.startswith(f"{directories[0]}/releases/x.yml: {said}")


def test_a_controller_without_the_library_reads_as_strictly(site, monkeypatch):
    monkeypatch.setattr(catalogue_files, "jsonschema", None)
    directories = site({"releases/x.yml": release("x", rocm="seven")})
    with pytest.raises(FleetError, match="'seven' is not a ROCm version"):
        catalogue_files.read(directories, "x", True)
