# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be mirrored for a release."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.whole import whole
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.rocm_packages import to_install
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.mirror import (
    MirrorKey,
    MirrorPackage,
    MirrorRepository,
    mirrors,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.policy import Policy
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import catalogue, document, look, own, resolved
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node

RADEON = "https://repo.radeon.com"
HERE = {RADEON: "file:///srv/radeon"}
KEYS = {"amdrocm-multi-arch": {"fingerprint": "AB" * 20}}
COMPONENTS = ["rocm-core", "amd-smi-lib"]
FINGERPRINT = "CA8BB4727A47B4D09B4EE8969386B48A1A693C5C"


def listed(name, *systems, cat=None, **policy):
    return mirrors(cat or own(), name, systems, Policy.from_dict({"components": COMPONENTS} | policy))


def test_a_release_on_debian_12_needs_this():
    [found] = listed("rocm-7.2.3", "debian 12", mirrors=HERE)
    assert (found.release, found.os, found.manager, found.refused) == ("rocm-7.2.3", "Debian 12", "apt", "")
    assert found.repositories == (
        MirrorRepository("amdgpu", "deb", f"{RADEON}/amdgpu/30.30.3/ubuntu", "file:///srv/radeon/amdgpu/30.30.3/ubuntu",
                         "jammy", ("main",), ("amd64",), "radeon"),
        MirrorRepository("rocm", "deb", f"{RADEON}/rocm/apt/7.2.3", "file:///srv/radeon/rocm/apt/7.2.3", "jammy",
                         ("main",), ("amd64",), "radeon"))
    assert found.signing_keys == (
        MirrorKey("radeon", f"{RADEON}/rocm/rocm.gpg.key", "file:///srv/radeon/rocm/rocm.gpg.key", FINGERPRINT),)
    assert found.packages == (
        MirrorPackage("amdgpu-dkms", "1:6.16.13.30300300-2327507.22.04", True, "amdgpu"),
        MirrorPackage("amdgpu-dkms-firmware", "30.30.3.0.30300300-2327507.22.04", True, "amdgpu"),
        MirrorPackage("rocm-core", "*.70203-*", False, "rocm"), MirrorPackage("amd-smi-lib", "*.70203-*", False, "rocm"),
        MirrorPackage("linux-image-{kernel}", "", False, ""), MirrorPackage("linux-headers-{kernel}", "", False, ""))


def test_what_is_mirrored_is_what_a_node_wants():
    [found] = listed("rocm-7.2.3", "rhel 9.6", accept=["derived"])
    node = look("rhel 9.6", "5.14.0-570.12.1.el9_6.x86_64")
    wanted = resolved("rocm-7.2.3", node, accept=["derived"], components=COMPONENTS)
    assert [r.uri for r in found.repositories] == [r.uri for r in wanted.repositories]
    assert {p.name: p.version for p in found.packages if p.exact} == wanted.driver.packages


def test_the_kernel_that_the_site_chose_is_mirrored():
    [found] = listed("rocm-7.2.3", "rhel 9.6", accept=["derived"], kernel="5.14.0-570.12.1.el9_6.x86_64")
    assert [(p.name, p.exact) for p in found.packages if not p.repository][:1] == [
        ("kernel-core-5.14.0-570.12.1.el9_6.x86_64", True)]


def test_a_kernel_of_another_system_is_not_asked_for():
    debian, rhel = listed("rocm-7.2.3", "debian 12", "rhel 9.6", accept=["derived"], kernel="6.1.0-56-amd64")
    assert [p.name for p in debian.packages if not p.repository] == [
        "linux-image-6.1.0-56-amd64", "linux-headers-6.1.0-56-amd64"]
    assert [p.name for p in rhel.packages if not p.repository] == [
        "kernel-core-{kernel}", "kernel-modules-{kernel}", "kernel-devel-{kernel}", "kernel-devel-matched-{kernel}"]


def test_the_kernels_own_driver_needs_no_repository_of_the_driver():
    [found] = listed("rocm-7.2.3", "debian 12", driver_source="in_tree")
    assert [r.name for r in found.repositories] == ["rocm"]


def test_packages_of_therock_have_their_line():
    [found] = listed("rocm-10.0.0", "debian 13", accept=["third_party"])
    assert {(p.name, p.version) for p in found.packages if p.repository == "rocm"} >= {("amdrocm-amdsmi10.0", "10.0.0-*")}


BESIDE = [
    (["rocm-7.14.0"], {"rocm-core", "amd-smi-lib", "amdrocm-base7.14", "amdrocm-amdsmi7.14"}),
    (["rocm-7.2.4"], {"rocm-core7.2.3", "amd-smi-lib7.2.3", "rocm-core7.2.4", "amd-smi-lib7.2.4"}),
]


@pytest.mark.parametrize(("beside", "names"), BESIDE)
def test_packages_side_by_side_are_called_as_nodes_install_them(beside, names):
    accept = ["derived", "third_party"]
    [found] = listed("rocm-7.2.3", "debian 12", side_by_side=beside, accept=accept, keys=KEYS)
    assert {p.name for p in found.packages if p.repository == "rocm"} == names
    wanted = resolved("rocm-7.2.3", look(), side_by_side=beside, accept=accept, components=COMPONENTS, keys=KEYS)
    assert set(to_install(whole(bare_node()), wanted)) == names
    assert [r.uri for r in found.repositories] == [r.uri for r in wanted.repositories]


def test_without_systems_all_are_listed_and_one_that_is_refused_says_why():
    found = listed("rocm-6.4.1", accept=["derived"])
    assert [m.os for m in found] == [row.title for row in own().release("rocm-6.4.1").os]
    refused = {m.os: m.refused for m in found if m.refused}
    assert refused["Azure Linux 3.0"].startswith("release rocm-6.4.1: packages on Azure Linux 3.0 are not managed: ")
    assert refused["Oracle Linux 9"] == (
        "release rocm-6.4.1: AMD has a driver repository for each minor release of Oracle Linux 9; name one, as in "
        "ol 9.6")
    assert all(bool(m.repositories) != bool(m.refused) for m in found)


def test_a_release_that_is_refused_everywhere_is_refused():
    with pytest.raises(FleetError, match="the release is derived, not documented"):
        listed("rocm-7.2.0")


def test_a_release_without_systems_needs_nothing():
    assert listed("rocm-7.12.0") == ()


@pytest.mark.parametrize(("system", "uri"), [
    ("ol 9.6", f"{RADEON}/amdgpu/30.30.3/el/9.6/main/x86_64/"), ("ol 8", f"{RADEON}/amdgpu/30.30.3/el/8/main/x86_64/"),
    ("ol 10", f"{RADEON}/amdgpu/30.30.3/el/10/main/x86_64/"), ("rocky 9.6", f"{RADEON}/amdgpu/30.30.3/el/9.6/main/x86_64/"),
    ("sles 15.7", f"{RADEON}/amdgpu/30.30.3/sle/15.7/main/x86_64/"), ("ubuntu 24.04", f"{RADEON}/amdgpu/30.30.3/ubuntu"),
])
def test_a_system_is_named_as_os_release_does(system, uri):
    [found] = listed("rocm-7.2.3", system, accept=["derived"])
    assert found.repositories[0].vendor == uri


@pytest.mark.parametrize("system", ["ol 9", "rocky 9", "rhel 9", "sles 15"])
def test_a_minor_release_that_the_address_tells_must_be_named(system):
    with pytest.raises(FleetError, match="AMD has a driver repository for each minor release of"):
        listed("rocm-7.2.3", system, accept=["derived"])


def test_a_system_that_goes_with_a_minor_release_of_another_needs_none():
    [found] = listed("site-centos-8.5-rocm-5.5.1", "centos 8", accept=["third_party"])
    assert found.repositories[0].vendor == f"{RADEON}/amdgpu/5.5.1/rhel/8.5/main/x86_64/"


@pytest.mark.parametrize(("system", "sentence"), [
    ("debian", "systems: 'debian' is not an operating system; write it as debian 12 or rhel 9.6"),
    ("fedora 42", "systems: 'fedora 42' is not an operating system; write it as debian 12 or rhel 9.6"),
    ("sles 12.5", None),
])
def test_a_wrong_system_is_refused(system, sentence):
    with pytest.raises(FleetError) as caught:
        listed("rocm-7.2.3", system)
    if sentence:
        assert caught.value.sentence == sentence
    else:
        assert caught.value.what == "SLES 12.5 is not among its operating systems"


def test_without_knowledge_of_kernels_none_is_named():
    [found] = listed("rocm-7.2.3", "debian 12", cat=dc.replace(catalogue(), kernel_packages=()))
    assert [p for p in found.packages if not p.repository] == []


def test_a_system_whose_repository_is_not_known_is_refused_by_name():
    data = document("releases/rocm-7.2.3.yml")
    data["release"]["os"] = [data["release"]["os"][0] | {"version": "14"}]
    with pytest.raises(FleetError, match="the package repositories for Debian 14 are not known"):
        listed("rocm-7.2.3", "debian 14", cat=catalogue(data))
