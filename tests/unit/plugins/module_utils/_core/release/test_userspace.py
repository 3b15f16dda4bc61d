# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ROCm of a release on a node, and of those beside it."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.tests.unit.support.catalogue import catalogue, document, look, refusal, resolved

TRIXIE = look("debian 13", "6.12.48+deb13-amd64", ("6.12.48+deb13-amd64",))
KEY = {"keys": {"amdrocm-multi-arch": {"fingerprint": "AB" * 20}}, "accept": ["third_party"]}
DEFAULTS = ["rocm-core", "rocminfo", "amd-smi-lib"]


@pytest.mark.parametrize(("name", "policy", "prefix", "pattern", "stream", "line", "packages"), [
    pytest.param("rocm-7.2.3", {}, "/opt/rocm-7.2.3", "*.70203-*", "legacy", "7.2.3", {
        "rocm-core": ("rocm-core{line}",), "rocminfo": ("rocminfo{line}",), "amd-smi-lib": ("amd-smi-lib{line}",)},
        id="legacy"),
    pytest.param("rocm-7.14.0", KEY, "/opt/rocm/core-7.14", "7.14.0-*", "therock", "7.14", {
        "rocm-core": ("amdrocm-base{line}",), "rocminfo": ("amdrocm-base{line}",),
        "amd-smi-lib": ("amdrocm-amdsmi{line}",)}, id="TheRock"),
])
def test_each_stream_has_its_place_its_versions_and_its_names(name, policy, prefix, pattern, stream, line, packages):
    rocm = resolved(name, TRIXIE, components=DEFAULTS, **policy).rocm
    assert (rocm.prefix, rocm.package_pattern, rocm.stream, rocm.line) == (prefix, pattern, stream, line)
    assert (rocm.packages, rocm.release) == (packages, name)


def test_what_is_made_for_each_target_is_taken_for_the_nodes_gpus_alone():
    node = look("debian 12", gpus=("74a1", "740c"), market_name="MI250")
    rocm = resolved("rocm-7.14.0", node, components=["rocm"], **KEY).rocm
    assert rocm.packages == {"rocm": ("amdrocm{line}-gfx90a", "amdrocm{line}-gfx942")}
    none = resolved("rocm-7.14.0", look("debian 12", gpus=()), components=["rocm"], **KEY).rocm
    assert none.packages == {"rocm": ("amdrocm{line}",)}


def test_rpm_systems_have_names_of_their_own():
    node = look("rocky 9.6", "5.14.0-570.12.1.el9_6.x86_64", ("5.14.0-570.12.1.el9_6.x86_64",))
    rocm = resolved("rocm-7.2.3", node, components=["rocm-hip-runtime-dev"], accept=["derived", "third_party"]).rocm
    assert rocm.packages == {"rocm-hip-runtime-dev": ("rocm-hip-runtime-devel{line}",)}


def test_a_component_that_the_stream_lacks_is_refused():
    error = refusal("rocm-7.14.0", TRIXIE, components=["rocm-core", "rocm-bandwidth-test"], **KEY)
    assert (error.where, error.what) == (
        "rocm_userspace_components", "release rocm-7.14.0 has no component 'rocm-bandwidth-test'")


def test_a_component_that_is_not_sure_enough_is_refused():
    site = {"version": "v1", "kind": "components", "sources": {"S1": "hearsay"}, "components": [{
        "name": "mine", "stream": "legacy", "deb": "rocm-mine", "rpm": "rocm-mine", "confidence": "unverified",
        "source": ["S1"]}]}
    error = refusal("rocm-7.2.3", cat=catalogue(site), components=["mine"])
    assert error.what == "component mine is unverified, not documented"


def test_releases_beside_bring_their_repositories_and_keys():
    wanted = resolved("rocm-7.14.0", TRIXIE, side_by_side=["rocm-7.2.3", "rocm-7.0.2"], components=["rocminfo"], **KEY)
    assert [(b.release, b.prefix, b.packages) for b in wanted.beside] == [
        ("rocm-7.2.3", "/opt/rocm-7.2.3", {"rocminfo": ("rocminfo{line}",)}),
        ("rocm-7.0.2", "/opt/rocm-7.0.2", {"rocminfo": ("rocminfo{line}",)})]
    assert [(r.name, r.uri, r.key) for r in wanted.repositories] == [
        ("amdgpu", "https://repo.radeon.com/amdgpu/31.40/ubuntu", "radeon"),
        ("rocm", "https://repo.amd.com/rocm/packages-multi-arch/debian13", "amdrocm-multi-arch"),
        ("rocm", "https://repo.radeon.com/rocm/apt/7.2.3", "radeon"),
        ("rocm", "https://repo.radeon.com/rocm/apt/7.0.2", "radeon")]
    assert sorted(wanted.keys) == ["amdrocm-multi-arch", "radeon"]


def later(name: str, rocm: str) -> dict:
    """Another release of ROCm 7.14 in a site's catalogue."""
    data = document("releases/rocm-7.14.0.yml")
    data["release"] |= {"name": name, "rocm": rocm}
    return data


def test_releases_of_one_repository_name_it_once():
    wanted = resolved("rocm-7.14.0", TRIXIE, catalogue(later("rocm-7.13.0", "7.13.0")), side_by_side=["rocm-7.13.0"],
                      driver_source="in_tree", **KEY)
    assert [r.uri for r in wanted.repositories if r.name == "rocm"] == [
        "https://repo.amd.com/rocm/packages-multi-arch/debian13"]


@pytest.mark.parametrize(("beside", "sentence"), [
    (["rocm-7.14.0"], "rocm_userspace_side_by_side: rocm-7.14.0 lies in /opt/rocm/core-7.14, where rocm-7.14.0 lies; "
                      "name releases of other places"),
    (["rocm-7.14.1"], "rocm_userspace_side_by_side: rocm-7.14.1 lies in /opt/rocm/core-7.14, where rocm-7.14.0 lies; "
                      "name releases of other places"),
    (["rocm-7.2.9"], "rocm_userspace_side_by_side: the catalogue has no release 'rocm-7.2.9'; choose one of "),
])
def test_what_cannot_lie_beside_is_refused(beside, sentence):
    error = refusal("rocm-7.14.0", TRIXIE, catalogue(later("rocm-7.14.1", "7.14.1")), side_by_side=beside, **KEY)
    assert error.sentence.startswith(sentence)


def test_a_release_beside_must_support_the_node():
    error = refusal("rocm-7.2.3", look("debian 12"), side_by_side=["rocm-6.2.0"])
    assert error.sentence.startswith("release rocm-6.2.0: Debian 12 is not among its operating systems")


def test_a_release_beside_must_be_in_the_drivers_window():
    beside = {"side_by_side": ["rocm-6.4.2"], "accept": ["third_party", "unverified", "derived"]}
    node = look("ubuntu 24.04.4", "6.8.0-51-generic", ("6.8.0-51-generic",))
    error = refusal("rocm-7.14.0", node, catalogue(ubuntu_for("rocm-6.4.2")), **KEY | beside)
    assert (error.where, error.what) == ("release rocm-6.4.2", "driver 31.40.0 does not support ROCm 6.4.2")
    # The kernel's own driver has no window.
    assert resolved("rocm-7.14.0", node, catalogue(ubuntu_for("rocm-6.4.2")), driver_source="in_tree", **KEY | beside).beside


def ubuntu_for(name: str) -> dict:
    """A release whose operating systems a site has filled in."""
    data = document(f"releases/{name}.yml")
    rows = document("releases/rocm-7.2.3.yml")["release"]["os"]
    keep = [r | {"source": data["release"]["source"][:1]} for r in rows if r["id"] == "ubuntu"]
    data["release"]["os"] = [r | {"gpus": ["MI300X"]} for r in keep]
    data["release"]["gpus"] = ["MI300X"]
    return data
