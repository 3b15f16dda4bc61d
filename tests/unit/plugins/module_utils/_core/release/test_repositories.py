# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""URLs, mirrors and fingerprints."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.repositories import (
    KernelPackages,
    OsPath,
    Repository,
    SigningKey,
    filled,
    mirrored,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.versions import DriverRelease, RocmVersion
from ansible_collections.instinct.fleet.plugins.module_utils._core.strict import Contradiction, Reader
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import own

RADEON = "https://repo.radeon.com"
MULTI = "https://repo.amd.com/rocm/packages-multi-arch"
STABLE = "https://stable.repo.amd.com/rocm/core/packages"


@pytest.mark.parametrize(("url", "mirrors", "expected"), [
    (f"{RADEON}/rocm/apt/7.2.3", {}, f"{RADEON}/rocm/apt/7.2.3"),
    (f"{RADEON}/rocm/apt/7.2.3", {RADEON: "file:///srv/repo"}, "file:///srv/repo/rocm/apt/7.2.3"),
    (f"{RADEON}/rocm/apt/7.2.3", {f"{RADEON}/": "file:///srv/repo/"}, "file:///srv/repo/rocm/apt/7.2.3"),
    (RADEON, {RADEON: "https://mirror.example"}, "https://mirror.example"),
    (f"{RADEON}/rocm/apt/7.2.3", {RADEON: "https://a.example", f"{RADEON}/rocm": "https://b.example"},
     "https://b.example/apt/7.2.3"),
    ("https://repo.radeon.com.example/rocm", {RADEON: "https://a.example"}, "https://repo.radeon.com.example/rocm"),
])
def test_the_longest_base_is_mirrored(url, mirrors, expected):
    assert mirrored(url, mirrors) == expected


def test_words_are_replaced_not_evaluated():
    assert filled("{a}/{b}/{a.__class__}", {"a": "x", "c": "y"}) == "x/{b}/{a.__class__}"


SERVED = [
    ("apt", "driver", "30.30.3", "7.2.3", f"{RADEON}/amdgpu/{{driver}}/ubuntu"),
    ("apt", "legacy", "30.30.3", "7.2.3", f"{RADEON}/rocm/apt/{{rocm}}"),
    ("apt", "therock", "31.40.0", "7.14.0", f"{MULTI}/{{directory}}"),
    ("apt", "therock", "31.50.0", "10.0.0", f"{STABLE}/{{directory}}/"),
    ("dnf", "driver", "30.30.3", "7.2.3", f"{RADEON}/amdgpu/{{driver}}/el/{{point}}/main/x86_64/"),
    ("dnf", "driver", "30.10.1", "7.0.1", f"{RADEON}/amdgpu/{{driver}}/el/{{version}}/main/x86_64/"),
    ("dnf", "driver", "6.2.4", "6.2.4", f"{RADEON}/amdgpu/{{driver}}/el/{{version}}/main/x86_64/"),
    ("dnf", "driver", "6.1.2", "6.1.2", f"{RADEON}/amdgpu/{{driver}}/rhel/{{version}}/main/x86_64/"),
    ("dnf", "legacy", "6.1.2", "6.1.2", f"{RADEON}/rocm/rhel{{major}}/{{rocm}}/main"),
    ("dnf", "legacy", "6.2.0", "6.2.0", f"{RADEON}/rocm/el{{major}}/{{rocm}}/main"),
    ("dnf", "therock", "31.40.0", "7.14.0", f"{MULTI}/{{directory}}/x86_64"),
    ("dnf", "therock", "31.50.0", "10.0.0", f"{STABLE}/{{directory}}/x86_64"),
    ("zypper", "driver", "30.30.3", "7.2.3", f"{RADEON}/amdgpu/{{driver}}/sle/{{version}}/main/x86_64/"),
    ("zypper", "legacy", "30.30.3", "7.2.3", f"{RADEON}/rocm/zyp/{{rocm}}/main"),
    ("zypper", "therock", "31.50.0", "10.0.0", f"{STABLE}/{{directory}}/x86_64"),
]


@pytest.mark.parametrize(("manager", "stream", "driver", "rocm", "uri"), SERVED)
def test_the_last_repository_that_serves_a_manager_stream_and_version_is_this(manager, stream, driver, rocm, uri):
    numbers = DriverRelease.parse(driver), RocmVersion.parse(rocm)
    assert [r.uri for r in own().repositories if r.serves(manager, stream, *numbers)][-1] == uri


def test_another_package_manager_is_not_served():
    serving = [r for r in own().repositories
               if r.serves("tdnf", "driver", DriverRelease.parse("30.30.3"), RocmVersion.parse("7.2.3"))]
    assert serving == []


RECORD = {"name": "rocm", "manager": "apt", "stream": "legacy", "uri": "https://h/{rocm}", "suite": "{codename}",
          "components": ["main"], "architectures": ["amd64"], "key": "k", "origin": None, "confidence": "derived",
          "source": ["S1"]}


@pytest.mark.parametrize(("key", "value"), [
    ("uri", "https://h/{kernel}"), ("uri", "https://h/{rocm.__class__}"), ("uri", "https://h/{rocm"), ("uri", "h/x"),
    ("uri", "https://h/a b"), ("suite", "{suite}"), ("suite", "a\nb"), ("name", "other"), ("manager", "tdnf"),
])
def test_a_template_knows_seven_words(key, value):
    with pytest.raises(DataError, match=rf"r\.{key}: is "):
        Repository.read(Reader(RECORD | {key: value}, "r"), {"S1": "s"})


def test_the_catalogue_has_no_passwords():
    for read, raw in [
        (Repository.read, RECORD | {"uri": "https://user:s3cret@h/{rocm}"}),
        (SigningKey.read, {"name": "k", "url": "https://s3cret@h/k", "fingerprint": None, "confidence": "derived", "source": ["S1"]}),
    ]:
        with pytest.raises(DataError, match=r"r\.ur[il]: 'https://h/.*' is written with a user or password") as caught:
            read(Reader(raw, "r"), {"S1": "s"})
        assert "s3cret" not in caught.value.sentence


@pytest.mark.parametrize("change", [
    {"manager": "dnf"}, {"suite": ""}, {"components": []}, {"manager": "zypper", "components": []},
])
def test_suites_are_apts(change):
    with pytest.raises(Contradiction, match="has suite and components if and only if apt reads it"):
        Repository.read(Reader(RECORD | change, "r"), {"S1": "s"})


PATH = {"os": "rhel", "version": "9", "manager": "dnf", "dist": ".el9", "directory": "rhel9", "confidence": "derived",
        "source": ["S1"]}


def path(**change):
    return OsPath.read(Reader(PATH | change, "p"), {"S1": "s"})


@pytest.mark.parametrize(("os", "version", "covered"), [
    ("rhel", "9", True), ("rhel", "9.6", True), ("rhel", "90", False), ("rhel", "8.9", False), ("rocky", "9.6", False),
])
def test_a_path_is_about_all_point_releases(os, version, covered):
    assert path().covers(os, version) is covered


@pytest.mark.parametrize(("point", "expected"), [("", "9.6"), ("9", "9")])
def test_the_words_of_a_path_are_those_of_the_node(point, expected):
    assert path(point=point).words("9.6") == {
        "codename": "", "directory": "rhel9", "version": "9.6", "major": "9", "point": expected}


def test_a_system_that_tells_no_minor_release_goes_with_one_of_rhel():
    assert path(os="centos", point="9", follows="9.2").words("9") == {
        "codename": "", "directory": "rhel9", "version": "9.2", "major": "9", "point": "9"}


@pytest.mark.parametrize("change", [{"manager": None}, {"refusal": "because"}])
def test_a_path_without_manager_says_why(change):
    with pytest.raises(Contradiction, match="says why nothing is managed there"):
        path(**change)


def test_a_path_without_manager_needs_nothing_else():
    assert path(manager=None, refusal="because").refusal == "because"


KERNELS = {"family": "el", "names": ["kernel-core-{kernel}"], "confidence": "derived", "source": ["S1"]}


@pytest.mark.parametrize(("versions", "family", "version", "covered"), [
    ([], "el", "9.6", True), (["9"], "el", "9.6", True), (["8"], "el", "9.6", False), ([], "uek", "9.6", False),
])
def test_kernel_packages_are_those_of_the_builder_and_the_main_number(versions, family, version, covered):
    packages = KernelPackages.read(Reader(KERNELS | {"versions": versions}, "r"), {"S1": "s"})
    assert packages.covers(family, version) is covered


def test_kernel_packages_end_in_the_kernel():
    with pytest.raises(DataError, match=r"r\.names\[0\]: is 'linux-image-amd64'"):
        KernelPackages.read(Reader(KERNELS | {"names": ["linux-image-amd64"]}, "r"), {"S1": "s"})
