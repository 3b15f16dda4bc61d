# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Driver against ROCm, driver against GPU, driver build against kernel."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.kernel_release import KernelRelease
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.policy import Book, Policy
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.products import identify
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.provenance import Provenance
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.versions import DriverRelease, RocmVersion
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.windows import (
    Evidence,
    check_gpu,
    check_window,
    known_failure,
)
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import own

MATRIX = ("ROCm/amdgpu-docs:docs/compatibility/compatibility-matrix.rst (31.50.x edition; rendered at "
          "https://instinct.docs.amd.com/projects/amdgpu-docs/en/latest/compatibility/compatibility-matrix.html)")
# From AMD's table of drivers and user space (MATRIX).
INSIDE = [("31.50", "7.0.0"), ("31.50", "10.0.0"), ("30.30.3", "6.3.0"), ("30.30.3", "7.2.3"), ("30.10.2", "6.2.4"),
          ("6.4.2", "6.1.0"), ("6.4.2", "7.2.4"), ("6.2", "7.0.2"), ("5.3", "5.5.0")]
OUTSIDE = [("31.50", "6.4.4"), ("31.50", "10.0.1"), ("30.30.3", "6.2.4"), ("6.4.2", "10.0.0"), ("6.4.2", "6.0.2"),
           ("6.3", "7.1.0")]


def check(driver, rocm, where="w", accept=()):
    """The book after a pair was held against our windows."""
    book = Book(Policy(accept))
    check_window(where, own().windows, DriverRelease.parse(driver), RocmVersion.parse(rocm), book)
    return book


@pytest.mark.parametrize(("driver", "rocm"), INSIDE)
def test_a_pair_inside_the_window_passes(driver, rocm):
    assert check(driver, rocm).sources[0] == MATRIX


def test_what_is_said_of_a_driver_elsewhere_counts():
    assert check("31.30", "7.13.0").sources[0].startswith("ROCm/legacy-rocm-build:docs/data/driver-firmware-support")
    assert check("30.10.2", "7.9.0").sources == (MATRIX, "ROCm 7.9.0 preview release notes, firmware table")


def test_a_window_that_is_derived_needs_the_sites_word():
    with pytest.raises(FleetError) as caught:
        check("31.50", "10.1.0")
    assert caught.value.what == (
        "that driver 31.50.0 supports ROCm 10.1.0 is derived, not documented (AMD supports driver and ROCm up to one "
        "year apart; its table for ROCm 10.1 was not read)")
    assert check("31.50", "10.1.0", accept=("derived",)).sources == (MATRIX,)


@pytest.mark.parametrize(("driver", "rocm"), OUTSIDE)
def test_a_pair_outside_the_window_is_refused_with_its_source(driver, rocm):
    with pytest.raises(FleetError) as caught:
        check(driver, rocm)
    error = caught.value
    assert error.what == f"driver {DriverRelease.parse(driver)} does not support ROCm {RocmVersion.parse(rocm)}"
    assert error.source == MATRIX


def test_the_refusal_lists_what_would_do():
    with pytest.raises(FleetError) as caught:
        check("6.3.3", "7.2.3", "release x")
    assert caught.value.sentence == (
        "release x: driver 6.3.3 does not support ROCm 7.2.3; it supports 6.1.x, 6.2.x, 6.3.x, 6.4.x, 7.0.x "
        f"(source: {MATRIX})")


def test_a_driver_without_a_window_is_refused():
    with pytest.raises(FleetError) as caught:
        check("31.60", "10.0.0")
    assert caught.value.sentence == (
        "w: no compatibility window is known for driver 31.60.0; add one to windows/driver_rocm.yml in a "
        "directory of gpu_release_catalogue_dirs")


GPU_LIMITS = [
    ("74a1", "7.2.3", "30.30.3", ""),
    ("75a3", "7.0.2", "30.10", ""),
    ("75a3", "7.0.2", "6.4.3", "MI355X needs driver 30.10.0 or newer, not 6.4.3"),
    ("75a0", "7.0.2", "6.4.3", "MI350X needs driver 30.10.0 or newer, not 6.4.3"),
    ("75a3", "7.0.2", None, ""),
    ("74a5", "7.2.1", "6.3.2", "MI325X needs driver 6.3.3 or newer, not 6.3.2"),
    ("74a5", "7.2.0", "6.3.2", ""),
    ("74a5", "7.2.1", "6.3.3", ""),
    ("74b9", "7.1.0", "30.20.0", "virtual function of MI325X must not be used with driver 30.20.0"),
    ("74b9", "7.1.1", "30.20.1", ""),
    ("74b9", "7.1.0", None, ""),
    ("74a5", "7.1.0", "30.20.0", ""),
    ("75a8", "7.2.3", "31.40", "MI350P needs ROCm 7.13.0 or newer, not 7.2.3"),
    ("75a8", "7.14.0", "31.40", ""),
]


@pytest.mark.parametrize(("device_id", "rocm", "driver", "what"), GPU_LIMITS)
def test_limits_of_some_gpus_hold(device_id, rocm, driver, what):
    gpu = identify(own().products, "b", device_id)
    found = ("", True)
    try:
        check_gpu(own().rules, gpu, RocmVersion.parse(rocm), DriverRelease.parse(driver) if driver else None)
    except FleetError as error:
        found = (error.what, bool(error.source))
    assert found == (what, True)


BUILDS = [
    # driver, build, kernel, the kernel that speaks against it
    ("6.2.0", "2009582", "6.8.0-41-generic", None),
    ("6.2.0", "2009582", "6.8.0-43-generic", None),
    ("6.2.0", "2009582", "6.8.0-44-generic", "6.8.0-44-generic"),
    ("6.2.0", "2009582", "6.8.0-106-generic", "6.8.0-45-generic"),
    ("6.2.0", "2009582", "6.8.0-31-generic", None),
    ("6.2.0", "2009582", "6.8.0-1017-azure", None),
    ("6.2.0", "2009582", "6.11.0-25-generic", None),
    ("6.4.1", "2164967", "6.14.0-24-generic", "6.14.0-24-generic"),
    ("6.4.1", "2164967", "6.14.0-15-generic", "6.14.0-15-generic"),
    ("6.4.2", "2187269", "6.14.0-24-generic", None),
    ("30.30.0", "2278356", "6.18.9", "6.18.7"),
    ("30.30.0", "2278356", "6.18.20", "6.18.14"),
    ("30.30.3", "2327507", "6.18.7", None),
]


@pytest.mark.parametrize(("driver", "build", "kernel", "expected"), BUILDS)
def test_a_failed_build_speaks_against_later_kernels_of_its_line(driver, build, kernel, expected):
    failed = known_failure(own().builds, DriverRelease.parse(driver), build, KernelRelease.parse(kernel))
    assert (failed and str(failed.kernel)) == expected


def test_a_build_that_worked_later_clears_the_line():
    def seen(kernel: str, result: str) -> Evidence:
        known = Provenance("derived", ("s",))
        return Evidence(DriverRelease(6, 4, 2), None, KernelRelease.parse(kernel), result, known)

    builds = [seen("6.8.0-60-generic", "ok"), seen("6.8.0-44-generic", "fail"), seen("6.8.0-70-generic", "fail"),
              seen("6.8.0-70-generic", "ok")]
    verdicts = [known_failure(builds, DriverRelease(6, 4, 2), "1", KernelRelease.parse(f"6.8.0-{n}-generic"))
                for n in (40, 50, 60, 80)]
    assert [v and str(v.kernel) for v in verdicts] == [None, "6.8.0-44-generic", None, None]


def test_another_build_of_the_same_driver_says_nothing():
    known = Provenance("derived", ("s",))
    builds = [Evidence(DriverRelease(30, 10, 2), "2222715", KernelRelease.parse("6.14.0-32-generic"), "fail", known)]
    verdicts = [known_failure(builds, DriverRelease(30, 10, 2), build, KernelRelease.parse("6.14.0-32-generic"))
                for build in ("2222715", "2226257")]
    assert verdicts == [builds[0], None]
