# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Catalogue files are read strictly; files of a site go over ours."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.catalogue import Catalogue, read_document
from ansible_collections.instinct.fleet.plugins.module_utils._core.strict import Contradiction
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import catalogue, document, own

RELEASE = "releases/rocm-7.2.3.yml"


def changed(path, value, file=RELEASE):
    """A file with one value changed, or taken away where the value is ``...``."""
    data = document(file)
    *parents, last = path
    node = data
    for part in parents:
        node = node[part]
    if value is ...:
        del node[last]
    else:
        node[last] = value
    return data


def test_a_release_has_what_the_file_says():
    release = own().release("rocm-7.2.3")
    assert (str(release.rocm), str(release.driver.release), str(release.driver.module), release.driver.build) == (
        "7.2.3", "30.30.3", "6.16.13", "2327507")
    assert [p.on(".22.04") for p in release.driver.packages if p.format == "deb"] == [
        "1:6.16.13.30300300-2327507.22.04", "30.30.3.0.30300300-2327507.22.04"]
    assert [p.on(".el9") for p in release.driver.packages if p.format == "rpm"] == [
        "1:6.16.13-2327507.el9", "30.30.3.0.30300300-2327507.el9"]
    debian = next(row for row in release.os if row.title == "Debian 12")
    assert (debian.gpus, [k.series.text for k in debian.kernels]) == (
        ("MI325X", "MI300X", "MI300A", "MI250X", "MI250", "MI210"), ["6.1.0"])
    assert release.provenance.source[1].startswith("https://github.com/ROCm/rocminfo/releases")


WRONG = [
    (("version",), "v2", "f.yml: version: is 'v2'; choose one of v1"),
    (("version",), ..., "f.yml: version: is missing; add it"),
    (("kind",), "relase",
     "f.yml: kind: is 'relase'; choose one of release, products, driver_rocm, gpu_limits, "
     "dkms_evidence, repositories, components"),
    (("relase",), {}, "f.yml: relase: is not a known key; did you mean release"),
    (("release", "rocm"), 7.2, "f.yml: release.rocm: is a number, not text; put it in quotes"),
    (("release", "rocm"), "30.30.3",
     ("f.yml: release.rocm: '30.30.3' is not a ROCm version; numbers from 30.10 on are driver releases, not ROCm "
      "versions")),
    (("release", "name"), "ROCm 7",
     "f.yml: release.name: is 'ROCm 7', which does not match [a-z0-9][a-z0-9.-]*; write it in that form"),
    (("release", "driver", "buld"), "1", "f.yml: release.driver.buld: is not a known key; did you mean build"),
    (("release", "driver", "build"), ..., "f.yml: release.driver.build: is missing; add it"),
    (("release", "os", 1, "id"), "debain",
     "f.yml: release.os[1].id: is 'debain'; choose one of azurelinux, centos, debian, ol, rhel, rocky, sles, ubuntu"),
    (("release", "os", 0, "kernels", 0, "series"), "six",
     "f.yml: release.os[0].kernels[0].series: 'six' is not a kernel series; write it as 6.8, 5.14.0-570 or UEK 8"),
    (("release", "source"), ["S99"], "f.yml: release.source[0]: the file's sources do not define 'S99'; add it to sources"),
    (("sources", "S1"), 1, "f.yml: sources.S1: is a number, not text; put it in quotes"),
]


@pytest.mark.parametrize(("path", "value", "sentence"), WRONG, ids=[".".join(map(str, case[0])) for case in WRONG])
def test_a_wrong_file_is_named_with_the_path_in_it(path, value, sentence):
    with pytest.raises(DataError) as caught:
        read_document(changed(path, value), "f.yml")
    assert caught.value.sentence == sentence


CONTRADICTIONS = [
    (("release", "driver", "build"), "2278356",
     "amdgpu-dkms 1:6.16.13.30300300-2327507.24.04 is not driver 30.30.3 build 2278356"),
    (("release", "driver", "release"), "30.30.0",
     "amdgpu-dkms 1:6.16.13.30300300-2327507.24.04 is not driver 30.30.0 build 2327507"),
    (("release", "driver", "packages", 0, "version"), "6.16", "'6.16' is not a version of amdgpu-dkms"),
    (("release", "gpus"), ["MI300X"], "Debian 13 lists MI325X, MI350X, MI355X, which gpus does not"),
]


@pytest.mark.parametrize(("path", "value", "what"), CONTRADICTIONS)
def test_a_file_that_contradicts_itself_is_refused(path, value, what):
    with pytest.raises(Contradiction) as caught:
        read_document(changed(path, value), "f.yml")
    assert caught.value.what == what


@pytest.mark.parametrize("raw", [None, [], "x", 7])
def test_what_is_no_mapping_is_refused(raw):
    with pytest.raises(DataError, match=r"^f\.yml: is .*, not a mapping; write it as a mapping$"):
        read_document(raw, "f.yml")


def test_an_unknown_release_comes_with_names_that_are_near():
    with pytest.raises(FleetError) as caught:
        own().release("rocm-7.23")
    assert caught.value.sentence == (
        "gpu_release_name: the catalogue has no release 'rocm-7.23'; choose one of rocm-7.2.3, rocm-7.2.4, rocm-7.2.2")


def test_an_unknown_release_without_likeness_comes_with_all_names():
    with pytest.raises(FleetError) as caught:
        own().release("latest")
    assert caught.value.hint == "choose one of " + ", ".join(own().names)


def test_names_of_releases_that_were_not_read_are_known():
    one = Catalogue.from_dict({"files": [{"path": "f", "data": document(RELEASE)}], "names": ["rocm-7.2.4"]})
    assert one.names == ("rocm-7.2.3", "rocm-7.2.4")
    with pytest.raises(FleetError, match=r"choose one of rocm-7\.2\.4, rocm-7\.2\.3"):
        one.release("rocm-7.2.5")


def test_a_release_of_the_site_replaces_ours():
    site = changed(("release", "title"), "ours no more")
    assert catalogue(site).release("rocm-7.2.3").title == "ours no more"
    assert catalogue(site).names == own().names


def test_records_of_the_site_replace_ours_by_key_and_add_others():
    site = {"version": "v1", "kind": "driver_rocm", "sources": {"S1": "site"}, "windows": [
        {"driver": "30.30.x", "rocm": ["7.2.x"], "confidence": "documented", "source": ["S1"]},
        {"driver": "31.60.x", "rocm": ["10.0.x"], "confidence": "documented", "source": ["S1"]},
    ]}
    found = catalogue(site).windows
    assert {w.driver.text: [p.text for p in w.rocm] for w in found if w.driver.text in ("30.30.x", "31.60.x")} == {
        "30.30.x": ["7.2.x"], "31.60.x": ["10.0.x"]}
    assert len(found) == len(own().windows) + 1


def test_a_site_need_not_fill_every_section_of_repositories():
    site = {"version": "v1", "kind": "repositories", "sources": {"S1": "site"}, "keys": [
        {"name": "radeon", "url": "https://k.example/key", "fingerprint": "AB" * 20, "confidence": "documented",
         "source": ["S1"]}]}
    both = catalogue(site)
    assert next(k.url for k in both.keys if k.name == "radeon") == "https://k.example/key"
    assert both.repositories == own().repositories


@pytest.mark.parametrize(("raw", "sentence"), [
    ({}, "catalogue.files: is missing; add it"),
    ({"files": [{"path": "f.yml"}]}, "catalogue.files[0].data: is missing; add it"),
    ({"files": [{"path": "f.yml", "data": {}}]}, "f.yml: version: is missing; add it"),
    ({"files": [], "more": 1}, "catalogue.more: is not a known key; remove it"),
])
def test_a_catalogue_is_read_strictly(raw, sentence):
    with pytest.raises(DataError) as caught:
        Catalogue.from_dict(raw)
    assert caught.value.sentence == sentence
