# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages of AMD's ROCm: which are, which should be, which should not."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import rocm_packages as subject
from ansible_collections.instinct.fleet.tests.unit.support.releases import side_by_side
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node, package


def having(*packages: lk.Package) -> lk.Look:
    node = bare_node()
    return dc.replace(node, packages=dc.replace(node.packages, installed=(*node.packages.installed, *packages)))


# name, version, stream, rocm, number in its name
PACKAGES = [
    ("rocminfo", "1.0.0.70002-56~22.04", ("legacy", "7.0.2", "")),
    ("amd-smi-lib7.2.3", "26.2.2.70203-90~24.04", ("legacy", "7.2.3", "7.2.3")),
    ("rocm-hip-runtime-rpath7.1.0", "7.1.0.70100-20~24.04", ("legacy", "7.1.0", "7.1.0")),
    ("rocm-core", "6.4.2.60402-120.el9", ("legacy", "6.4.2", "")),
    ("rocm-core", "6.4.2.60402-sles156.120", ("legacy", "6.4.2", "")),
    ("amdrocm-amdsmi7.14", "7.14.0-3", ("therock", "7.14.0", "7.14")),
    ("amdrocm7.14-gfx942", "7.14.0~pre3-29052710811", ("therock", "7.14.0", "7.14")),
    ("amdrocm-core-dev10.0", "10.0.1-12", ("therock", "10.0.1", "10.0")),
    ("amdrocm-core-sdk", "7.14.0-3", ("therock", "7.14.0", "")),
    ("amdrocm-blas-gfx950", "7.14.0", ("therock", "7.14.0", "")),
    ("miopen-hip-gfx942kdb7.0.2", "3.5.0.70002-56~22.04", ("legacy", "7.0.2", "7.0.2")),
    ("rocm-core", "5.5.1.50501-74.el8", ("legacy", "5.5.1", "")),
    ("rvs", "1.2.0.70203-90~22.04", ("legacy", "7.2.3", "")),
    # not AMD's ROCm
    ("linux-headers-site", "6.1.70203-1~22.04", None),
    ("libroc-site", "1.0.70203-1.el9", None),
    ("rocminfo", "1.2.20231-1.el9", None),
    ("hipify-site", "1.0.70291-4~22.04", None),
    ("rocminfo", "5.7.1-3build1", None),
    ("rocm-smi-lib", "5.7.0-1", None),
    ("amdgpu-dkms", "1:6.14.14.30100200-2226257.22.04", None),
    ("amdgpu-dkms", "1:6.12.12.60402-2187269.el9", None),
    ("amdgpu-core", "1:6.4.60402-118.el9", None),
    ("amd-container-toolkit", "1.1.0", None),
    ("amdrocm-repo", "10.0.0-1", None),
    ("amdrocm7.14-transferbench", "1.66", None),
    ("amdrocm-core7.14", "unreleased", None),
]


@pytest.mark.parametrize(("name", "version", "is_"), PACKAGES)
def test_a_package_is_amds_rocm_by_its_name_and_version(name, version, is_):
    found = subject.found(having(package(name, version)))
    assert [(f.stream, f.rocm, f.line) for f in found] == ([is_] if is_ else [])


@pytest.mark.parametrize(("have", "active", "beside", "goes"), [
    (package("rocm-smi-lib", "7.7.0.70002-56~22.04"), "rocm-7.2.3", (), False),
    (package("rocm-core7.0.2", "7.0.2.70002-56~22.04"), "rocm-7.2.3", (), True),
    (package("rocm-core7.0.2", "7.0.2.70002-56~22.04"), "rocm-7.2.3", ("rocm-7.0.2",), False),
    (package("rocm-core7.2.3", "7.2.3.70203-90~22.04"), "rocm-7.2.3", (), True),
    (package("rocm-smi-lib", "7.7.0.70002-56~22.04"), "rocm-7.2.3", ("rocm-7.0.2",), True),
    (package("rocm-smi-lib", "7.7.0.70203-90~22.04"), "rocm-7.14.0", (), True),
    (package("rocm-smi-lib", "7.7.0.70203-90~22.04"), "rocm-7.14.0", ("rocm-7.2.3",), False),
    (package("amdrocm-fft7.14-gfx942", "7.14.1-1"), "rocm-7.14.0", (), False),
    (package("amdrocm-fft10.0", "10.0.0-1"), "rocm-7.14.0", (), True),
    (package("amdrocm-fft", "7.14.0-3"), "rocm-7.14.0", (), False),
    (package("amdrocm-fft", "10.0.0-3"), "rocm-7.14.0", (), True),
    (package("rocminfo", "5.7.1-3"), "rocm-7.14.0", (), False),
])
def test_what_nobody_asked_for_is_in_the_way(have, active, beside, goes):
    found = subject.in_the_way(having(have), side_by_side(active, *beside))
    assert [f.package for f in found] == ([have] if goes else [])


def test_point_releases_of_a_line_move_with_the_components():
    node = having(package("amdrocm-fft7.14-gfx942", "7.14.1-1"))
    assert subject.to_install(node, side_by_side("rocm-7.14.0")) == {
        "amdrocm-base7.14": "7.14.0-*", "amdrocm-amdsmi7.14": "7.14.0-*", "amdrocm-fft7.14-gfx942": "7.14.0-*"}


def test_nothing_asked_for_is_refused():
    wanted = side_by_side("rocm-7.2.3")
    wanted = dc.replace(wanted, rocm=dc.replace(wanted.rocm, packages={}))
    with pytest.raises(FleetError, match="rocm_userspace_components: names no component"):
        subject.to_install(bare_node(), wanted)


def test_only_the_new_stream_is_pinned_by_version():
    assert subject.pins(side_by_side("rocm-7.2.3", "rocm-7.14.0")) == {
        "amdrocm*7.14": "7.14.0-*", "amdrocm*7.14-*": "7.14.0-*"}
