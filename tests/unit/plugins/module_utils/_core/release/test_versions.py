# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ROCm, driver and module numbers, and versions of the driver's packages as they were seen in the field."""

from __future__ import annotations

import fnmatch

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.versions import (
    DriverRelease,
    ModuleVersion,
    Pattern,
    RocmVersion,
    parse_driver_package,
    parse_firmware_package,
)

NUMBERS = [
    (RocmVersion, "7.2.3", (7, 2, 3), "7.2.3", "70203", "7.2.3"),
    (RocmVersion, "6.4", (6, 4, 0), "6.4", "60400", "6.4.0"),
    (RocmVersion, "6.4.0", (6, 4, 0), "6.4", "60400", "6.4.0"),
    (RocmVersion, "7.14.0", (7, 14, 0), "7.14", "71400", "7.14.0"),
    (RocmVersion, "10.0.0", (10, 0, 0), "10.0", "100000", "10.0.0"),
    (DriverRelease, "6.4", (6, 4, 0), "6.4", "60400", "6.4.0"),
    (DriverRelease, "6.4.1", (6, 4, 1), "6.4.1", "60401", "6.4.1"),
    (DriverRelease, "30.10.2", (30, 10, 2), "30.10.2", "30100200", "30.10.2"),
    (DriverRelease, "30.30.4", (30, 30, 4), "30.30.4", "30300400", "30.30.4"),
    (DriverRelease, "31.40.0", (31, 40, 0), "31.40", "31400000", "31.40.0"),
    (ModuleVersion, "6.16.13", (6, 16, 13), "6.16.13", "61613", "6.16.13"),
]


@pytest.mark.parametrize(("kind", "text", "key", "directory", "code", "printed"), NUMBERS, ids=str)
def test_a_number_has_its_parts(kind, text, key, directory, code, printed):
    version = kind.parse(text)
    assert (version.key, version.directory, version.code, str(version)) == (key, directory, code, printed)


def test_x_y_equals_x_y_0():
    assert DriverRelease.parse("6.4") == DriverRelease.parse("6.4.0")


@pytest.mark.parametrize(("release", "expected"), [("6.4.2", True), ("30.10", False)])
def test_drivers_before_7_0_carry_the_number_of_their_rocm(release, expected):
    assert DriverRelease.parse(release).numbered_as_rocm is expected


GARBAGE = ["", "7", "7.2.3.4", "7.2.x", "v7.2", "7.02.3", " 7.2.3", "7.2.3\n", "7,2,3", "latest", "٧.2.3", None, 7.2]


@pytest.mark.parametrize("kind", [RocmVersion, DriverRelease, ModuleVersion])
@pytest.mark.parametrize("text", GARBAGE, ids=repr)
def test_garbage_is_named(kind, text):
    with pytest.raises(DataError) as caught:
        kind.parse(text)
    assert caught.value.where == repr(text)
    assert caught.value.what == f"is not {kind.WHAT}"


@pytest.mark.parametrize(("kind", "text", "hint"), [
    (RocmVersion, "30.30.3", "numbers from 30.10 on are driver releases, not ROCm versions"),
    (DriverRelease, "7.2.3", "since ROCm 7.0 drivers have numbers of their own, from 30.10 on"),
    (DriverRelease, "10.0.0", "since ROCm 7.0 drivers have numbers of their own, from 30.10 on"),
])
def test_a_number_of_the_other_scheme_is_refused(kind, text, hint):
    with pytest.raises(DataError) as caught:
        kind.parse(text)
    assert caught.value.hint == hint


@pytest.mark.parametrize(("code", "release"), [
    ("60401", "6.4.1"), ("50103", "5.1.3"), ("30200000", "30.20"), ("30300400", "30.30.4"), ("31400000", "31.40")])
def test_a_code_is_a_release(code, release):
    assert DriverRelease.from_code(code) == DriverRelease.parse(release)
    assert DriverRelease.parse(release).code == code


@pytest.mark.parametrize("code", ["", "604", "3010200", "30100201", "abcde", "70203"])
def test_another_code_is_refused(code):
    with pytest.raises(DataError):
        DriverRelease.from_code(code)


@pytest.mark.parametrize(("pattern", "version", "expected"), [
    ("7.2.x", RocmVersion(7, 2, 0), True), ("7.2.x", RocmVersion(7, 2, 9), True),
    ("7.2.x", RocmVersion(7, 20, 0), False),
    ("10.0.0", RocmVersion(10, 0, 0), True), ("10.0.0", RocmVersion(10, 0, 1), False),
    ("30.30.x", DriverRelease(30, 30, 3), True), ("30.30.x", DriverRelease(30, 3, 0), False),
])
def test_a_pattern_covers_its_line(pattern, version, expected):
    assert Pattern.parse(pattern).covers(version) is expected


@pytest.mark.parametrize("text", ["7.2", "7.x.x", "x.2.3", "7.2.x.1", "7.2.*", ""])
def test_another_pattern_is_refused(text):
    with pytest.raises(DataError, match="is not a line of versions"):
        Pattern.parse(text)


# package, version, and what parse_driver_package says: epoch, module, release, build, distro, version in dkms status.
# Seen in: ROCm/ROCm#4619, #1999, #2995, #5008, #5797, #6367, rocm-install-on-linux#697, gpu-operator#279, amdgpu#115,
# TheRock#5403 and other public threads.
DRIVER_PACKAGES = [
    ("1:6.12.12.60401-2164967.24.04", 1, "6.12.12", "6.4.1", "2164967", "24.04", "6.12.12-2164967.24.04"),
    ("1:6.10.5.60300-2084815.24.04", 1, "6.10.5", "6.3", "2084815", "24.04", "6.10.5-2084815.24.04"),
    ("1:6.8.5.60200-2009582.24.04", 1, "6.8.5", "6.2", "2009582", "24.04", "6.8.5-2009582.24.04"),
    ("1:6.2.4.50700-1652687.22.04", 1, "6.2.4", "5.7", "1652687", "22.04", "6.2.4-1652687.22.04"),
    ("1:6.16.6.30200000-2238411.24.04", 1, "6.16.6", "30.20", "2238411", "24.04", "6.16.6-2238411.24.04"),
    ("1:6.16.13.30300300-2327507.22.04", 1, "6.16.13", "30.30.3", "2327507", "22.04", "6.16.13-2327507.22.04"),
    ("1:6.10.5.60301-2095006.el9", 1, "6.10.5", "6.3.1", "2095006", "el9", "6.10.5-2095006.el9"),
    ("6.7.0.60100-1756574.el8", None, "6.7.0", "6.1", "1756574", "el8", "6.7.0-1756574.el8"),
    ("1:6.12.12-2187269.el9", 1, "6.12.12", None, "2187269", "el9", "6.12.12-2187269.el9"),
    ("6.16.6-2255209.el10", None, "6.16.6", None, "2255209", "el10", "6.16.6-2255209.el10"),
    ("1:5.18.13.50400-1510348", 1, "5.18.13", "5.4", "1510348", "", "5.18.13-1510348"),
]


@pytest.mark.parametrize(("text", "epoch", "module", "release", "build", "distro", "dkms"), DRIVER_PACKAGES,
                         ids=str)
def test_a_driver_package_is_taken_apart(text, epoch, module, release, build, distro, dkms):
    package = parse_driver_package(text)
    found = (package.text, package.epoch, package.build, package.distro, package.dkms_version)
    assert found == (text, epoch, build, distro, dkms)
    assert package.module == ModuleVersion.parse(module)
    assert package.release == (release and DriverRelease.parse(release))


# Firmware is numbered by driver release since 30.10: ROCm/ROCm#5566.
FIRMWARE_PACKAGES = [
    ("30.10.2.0.3010200-2226257.el10", None, "30.10.2", "2226257", "el10"),
    ("30.10.2.0.30100200-2226257.24.04", None, "30.10.2", "2226257", "24.04"),
    ("1:31.40.0.0.31400000-2364437.24.04", 1, "31.40", "2364437", "24.04"),
    ("1:6.12.12.60404-2202139.24.04", 1, "6.4.4", "2202139", "24.04"),
    ("6.7.0.60100-1756574.el8", None, "6.1", "1756574", "el8"),
    ("30.30.4.0.30300400-2341068", None, "30.30.4", "2341068", ""),
]


@pytest.mark.parametrize(("text", "epoch", "release", "build", "distro"), FIRMWARE_PACKAGES, ids=str)
def test_a_firmware_package_is_taken_apart(text, epoch, release, build, distro):
    package = parse_firmware_package(text)
    assert (package.text, package.epoch, package.build, package.distro) == (text, epoch, build, distro)
    assert package.release == DriverRelease.parse(release)


# Versions of other packages, seen in the same threads: amdgpu-core, rocm, rocminfo, rocm-cmake, rocm-smi-lib,
# rock-dkms, amdgpu-install, rocm-core, amd-smi-lib, amdrocm-profiler.
OTHER_PACKAGES = [
    "22.10.3.50103-1420322", "6.3.4.60304-76~22.04", "7.0.1.70001-42~24.04", "5.7.1-3build1", "6.0.0-1",
    "5.0.0.50103-66",
    "1:4.3-59", "6.3.60303-1", "7.0.2.70002-56", "25.3.0.60400-47.el9", "7.13.0-2", "6.4.60401-2164967.el9",
]


@pytest.mark.parametrize("text", [*OTHER_PACKAGES, "", "latest", "1:6.16.13.30300300-2327507.{ubuntu}",
                                  "1:6.12.12.60401-2164967.24.04 "], ids=repr)
@pytest.mark.parametrize("parse", [parse_driver_package, parse_firmware_package])
def test_a_version_of_another_package_is_refused_and_named(parse, text):
    with pytest.raises(DataError) as caught:
        parse(text)
    assert caught.value.where == repr(text)


@pytest.mark.parametrize(("rocm", "version", "expected"), [
    ("7.0.1", "7.0.1.70001-42~24.04", True), ("7.0.1", "5.7.1-3build1", False),
    ("7.0.2", "7.0.1.70001-42~24.04", False),
    ("6.3.4", "6.3.4.60304-76~22.04", True), ("6.4.0", "25.3.0.60400-47.el9", True),
])
def test_the_code_of_rocm_is_in_its_package_versions(rocm, version, expected):
    assert fnmatch.fnmatchcase(version, f"*.{RocmVersion.parse(rocm).code}-*") is expected
