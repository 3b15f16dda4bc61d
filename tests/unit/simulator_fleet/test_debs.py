# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The release table and the packages that come of it: names, versions, dependencies, files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from simhost import debs
from simhost.errors import SimError
from simhost.repository import of_suite

# deb version grammar of the driver as seen in the field: epoch, module, release digits, build, Ubuntu version
DRIVER = re.compile(r"1:\d+\.\d+\.\d+\.\d{5,8}-\d{6,7}\.(22|24)\.04")
EVERY = debs.every(debs.table(), {"7.2.3": Path("/library")})
PACKAGES = {(deb.repository, deb.suite, deb.name): deb for deb in EVERY}
VERSIONS = [
    ("amdgpu/6.4.2/ubuntu", "jammy", "amdgpu-dkms", "1:6.12.12.60402-2187269.22.04"),
    ("amdgpu/6.4.2/ubuntu", "noble", "amdgpu-dkms-firmware", "1:6.12.12.60402-2187269.24.04"),
    ("amdgpu/30.10.2/ubuntu", "noble", "amdgpu-dkms", "1:6.14.14.30100200-2226257.24.04"),
    ("amdgpu/30.10.2/ubuntu", "noble", "amdgpu-dkms-firmware", "30.10.2.0.30100200-2226257.24.04"),
    ("amdgpu/30.30.3/ubuntu", "jammy", "amdgpu-dkms", "1:6.16.13.30300300-2327507.22.04"),
    ("amdgpu/30.30.3/ubuntu", "jammy", "amdgpu-dkms-firmware", "30.30.3.0.30300300-2327507.22.04"),
    ("rocm/apt/6.4.2", "noble", "amd-smi-lib", "25.5.1.60402-120~24.04"),
    ("rocm/apt/7.0.2", "noble", "rocminfo", "1.0.0.70002-56~24.04"),
    ("rocm/apt/7.0.2", "jammy", "rocm-core", "7.0.2.70002-56~22.04"),
    ("rocm/apt/7.2.3", "jammy", "rocm-hip-runtime", "7.2.3.70203-90~22.04"),
    ("rocm/apt/7.2.3", "noble", "rocm", "7.2.3.70203-90~24.04"),
    ("distro", "bookworm", "rocminfo", "5.7.1-3"),
    ("distro", "trixie", "rocm-core", "9.9.0-1"),
]


@pytest.mark.parametrize(("repository", "suite", "name", "version"), VERSIONS, ids=[" ".join(c[:3]) for c in VERSIONS])
def test_every_gives_packages_the_versions_of_the_field(repository, suite, name, version):
    assert PACKAGES[repository, suite, name].version == version


def test_every_driver_version_follows_the_grammar():
    assert [deb.version for deb in EVERY if deb.name == "amdgpu-dkms" and not DRIVER.fullmatch(deb.version)] == []


def test_every_package_says_that_it_is_simulated():
    assert [deb.name for deb in EVERY if "simulated" not in deb.control()] == []


def test_driver_depends_on_its_own_firmware():
    deb = PACKAGES["amdgpu/30.10.2/ubuntu", "noble", "amdgpu-dkms"]
    assert deb.depends[-1] == "amdgpu-dkms-firmware (= 30.10.2.0.30100200-2226257.24.04)"
    assert deb.filename() == "amdgpu-dkms_6.14.14.30100200-2226257.24.04_all.deb"


def test_driver_source_differs_from_build_to_build():
    headers = {deb.files[name] for deb in EVERY for name in deb.files if name.endswith("/version.h")}
    assert len(headers) == len(debs.table()["drivers"])


def test_rocm_installs_below_its_own_prefix():
    core = PACKAGES["rocm/apt/7.2.3", "noble", "rocm-core"]
    assert core.files == {"/opt/rocm-7.2.3/.info/version": "7.2.3-90\n"}
    assert "update-alternatives --install /opt/rocm rocm /opt/rocm-7.2.3 70203" in core.scripts["postinst"]
    assert PACKAGES["rocm/apt/7.2.3", "noble", "amd-smi-lib"].files == {"/opt/rocm-7.2.3": Path("/library")}


def test_fill_refuses_a_name_without_value():
    assert debs.fill("a @b_c@ d@e", {"b_c": "1"}) == "a 1 d@e"
    with pytest.raises(SimError, match="names @b_c@, which there is no value for"):
        debs.fill("@b_c@", {})


def test_of_suite_keeps_the_stanzas_of_its_files():
    packages = "Package: a\nFilename: pool/a/a_1.deb\n\nPackage: b\nFilename: pool/b/b_1.deb\n\n"
    assert of_suite(packages, {"b_1.deb"}) == "Package: b\nFilename: pool/b/b_1.deb\n\n"
