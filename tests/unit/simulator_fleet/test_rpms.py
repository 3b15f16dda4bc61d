# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand-in packages as rpms."""

from __future__ import annotations

from pathlib import Path

import pytest
from simhost import debs, imitations, rpms

RECIPE = imitations.recipe()


def packages(name: str) -> dict[tuple[str, str], rpms.Rpm]:
    """Packages of an imitation by repository and name."""
    found = rpms.every(RECIPE["imitations"][name], RECIPE["firmware"], debs.table(), {})
    return {(rpm.repository, rpm.name): rpm for rpm in found}


@pytest.mark.parametrize(("name", "where", "driver", "firmware"), [
    ("el9", "amdgpu/30.10.2/el/9.6/main/x86_64", "1:6.14.14-2226257.el9", "30.10.2.0.3010200-2226257.el9"),
    ("el9", "amdgpu/30.30.3/el/9.6/main/x86_64", "1:6.16.13-2327507.el9", "30.30.3.0.30300300-2327507.el9"),
    ("sles15", "amdgpu/30.30.3/sle/15.7/main/x86_64", "1:6.16.13-2327507", "30.30.3.0.30300300-2327507"),
    ("el9", "amdgpu/6.4.2/el/9.6/main/x86_64", "1:6.12.12-2187269.el9", "1:6.12.12-2187269.el9"),
])  # fmt: skip
def test_driver_versions_are_those_of_the_catalogue(name: str, where: str, driver: str, firmware: str) -> None:
    found = packages(name)
    dkms = found[where, "amdgpu-dkms"]
    assert (dkms.version, found[where, "amdgpu-dkms-firmware"].version) == (driver, firmware)
    assert dkms.requires == ("dkms", f"amdgpu-dkms-firmware = {firmware}")
    conf = next(text for path, text in dkms.files.items() if path.endswith("/dkms.conf"))
    version = driver.partition(":")[2]
    assert f'PACKAGE_VERSION="{version}"' in str(conf)
    assert {path.split("/")[3] for path in dkms.files} == {f"amdgpu-{version}"}


@pytest.mark.parametrize(("name", "where", "version"), [
    ("el9", "rocm/el9/7.2.3/main", "7.2.3.70203-90.el9"), ("sles15", "rocm/zyp/7.2.3/main", "7.2.3.70203-90")])  # fmt: skip
def test_rocm(name: str, where: str, version: str) -> None:
    found = packages(name)
    assert found[where, "rocm-core"].version == version
    assert f"rocm-core = {version}" in found[where, "rocminfo"].requires
    assert "/opt/rocm-7.2.3 70203" in found[where, "rocm-core"].scripts["post"]


def test_kernels_stand_beside_each_other_and_those_of_sles_are_rebuilt() -> None:
    found = {rpm.name: rpm for rpm in rpms.kernels("dnf", RECIPE["imitations"]["el9"]["kernels"][:1])}
    assert set(found) == {"kernel", "kernel-core", "kernel-modules", "kernel-modules-core", "kernel-devel", "kernel-devel-matched"}
    assert all("installonlypkg(kernel)" in rpm.provides for rpm in found.values())
    (sles, devel, sources) = rpms.kernels("zypper", ["6.4.0-150700.53.3-default"])
    assert (sles.name, sles.version, sles.provides) == (
        "kernel-default", "6.4.0-150700.53.3.1", ("multiversion(kernel)", "kernel-default = 6.4.0-150700.53.3"))  # fmt: skip
    assert (devel.requires, sources.name) == (("kernel-devel = 6.4.0-150700.53.3",), "kernel-devel")
    assert devel.paths == ("/usr/src/kernels/6.4.0-150700.53.3-default",)


def test_spec_and_files(tmp_path: Path) -> None:
    rpm = rpms.Rpm("r", "tool", "1:2.0-3.el9", "a tool", requires=("dkms",), files={"/usr/sbin/tool": "#!/bin/sh\n", "/etc/x": "x"},
                   scripts={"post": "true"})  # fmt: skip
    lines = rpm.spec("/work/0").splitlines()
    assert lines[:4] == ["Name: tool", "Epoch: 1", "Version: 2.0", "Release: 3.el9"]
    assert {"Requires: dkms", "%post", "/usr/sbin/tool", "/etc/x"} <= set(lines)
    rpm.stage(tmp_path)
    assert (tmp_path / "usr/sbin/tool").stat().st_mode & 0o111 and not (tmp_path / "etc/x").stat().st_mode & 0o111


def test_every_imitation_has_its_parts() -> None:
    for name in imitations.names():
        assert (imitations.HERE / name / "etc" / "os-release").is_file()
        assert name in imitations.KEYS
