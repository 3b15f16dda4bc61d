# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the catalogue's releases give to layers."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image import pins
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.release_packages import check, released
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.policy import Policy
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import own
from ansible_collections.instinct.fleet.tests.unit.support.images import RELEASED


@pytest.mark.parametrize(("name", "os", "version", "rocm", "pattern", "uri"), [
    ("rocm-7.0.2", "debian", "12", "7.0.2", "*.70002-*", "URIs: https://repo.radeon.com/rocm/apt/7.0.2\nSuites: jammy\n"),
    ("rocm-7.0.2", "rhel", "9.6", "7.0.2", "*.70002-*", "baseurl=https://repo.radeon.com/rocm/el9/7.0.2/main\n"),
    ("rocm-10.0.0", "ubuntu", "24.04", "10.0.0", "10.0.0-*", "URIs: https://stable.repo.amd.com/rocm/core/packages/ubuntu2404/\n"),
])
def test_rocm_of_a_release(name: str, os: str, version: str, rocm: str, pattern: str, uri: str) -> None:
    found = released(own(), name, os, version, Policy())
    assert (found.release, found.rocm, found.pattern) == (name, rocm, pattern)
    assert uri in found.repository.text
    assert (found.repository.key, found.repository.key_url[:8], len(found.repository.fingerprint)) == ("", "https://", 40)


def test_a_release_that_is_not_for_the_system_is_refused() -> None:
    with pytest.raises(FleetError, match=r"release rocm-7\.0\.2: Debian 11 is not among its operating systems; it supports "):
        released(own(), "rocm-7.0.2", "debian", "11", Policy())


@pytest.mark.parametrize("package", [
    "rocminfo=1.0.0.70002-56~24.04", "rccl=2.26.6.70002-56~24.04", "rocprofiler-sdk=1.0.0-56~24.04", "libnuma1=2.0.16-1",
])
def test_packages_of_the_release_and_of_no_release_pass(package: str) -> None:
    check("layer rocm", [pins.package(package)], RELEASED)


@pytest.mark.parametrize(("package", "pattern"), [
    ("rocminfo=1.0.0.70100-20~24.04", "*.70002-*"), ("rocm-core=6.4.1.60401-83~22.04", "*.70002-*"),
    ("amdrocm-core=7.14.0-3", "10.0.0-*"),
])
def test_packages_of_another_release_are_refused(package: str, pattern: str) -> None:
    name, version = package.split("=")
    with pytest.raises(FleetError) as refusal:
        check("layer rocm", [pins.package(package)], dc.replace(RELEASED, pattern=pattern))
    assert refusal.value.sentence == (f"layer rocm: {name} {version} is not of rocm-7.0.2, whose versions match {pattern}; "
                                      "take the version that its repository offers")
