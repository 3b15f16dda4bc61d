# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernel releases as they were seen in public threads and vendor documentation."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.kernel_release import (
    KernelRelease,
    KernelSeries,
)

# release, series, family, abi, flavour, dist. Seen with Instinct GPUs in: ROCm/ROCm#1357, #1536, #1693, #2927, #2995,
# #3150, #3701, #4021, #4043, #4411, #4454, #4533, #5008, #5624, vllm#14062, MxGPU-Virtualization#13,
# rocm-install-on-linux, rocm_sdk_builder#180, LLNL/mpibind, node-scraper; the forms of SLES, UEK and Debian from
# vendor documentation.
KERNELS = [
    ("4.15.0-130-generic", "4.15", "ubuntu", (130,), "generic", ""),
    ("5.15.0-70-generic", "5.15", "ubuntu", (70,), "generic", ""),
    ("5.15.0-97-generic", "5.15", "ubuntu", (97,), "generic", ""),
    ("5.15.0-117-generic", "5.15", "ubuntu", (117,), "generic", ""),
    ("5.15.0-119-generic", "5.15", "ubuntu", (119,), "generic", ""),
    ("5.15.0-136-generic", "5.15", "ubuntu", (136,), "generic", ""),
    ("5.15.0-157-generic", "5.15", "ubuntu", (157,), "generic", ""),
    ("6.8.0-1017-azure", "6.8", "ubuntu", (1017,), "azure", ""),
    ("6.5.0-14-generic", "6.5", "ubuntu", (14,), "generic", ""),
    ("6.8.0-44-generic", "6.8", "ubuntu", (44,), "generic", ""),
    ("6.8.0-48-generic", "6.8", "ubuntu", (48,), "generic", ""),
    ("6.8.0-52-generic", "6.8", "ubuntu", (52,), "generic", ""),
    ("6.8.0-55-generic", "6.8", "ubuntu", (55,), "generic", ""),
    ("6.8.0-71-generic", "6.8", "ubuntu", (71,), "generic", ""),
    ("6.8.0-106-generic", "6.8", "ubuntu", (106,), "generic", ""),
    ("6.14.11-1-pve", "6.14", "pve", (1,), "pve", ""),
    ("6.11.0-25-generic", "6.11", "ubuntu", (25,), "generic", ""),
    ("6.17.0-8-generic", "6.17", "ubuntu", (8,), "generic", ""),
    ("5.14.0-162.18.1.el9_1.x86_64", "5.14", "el", (162, 18, 1), "", "el9_1"),
    ("5.14.0-503.19.1.el9_5.x86_64", "5.14", "el", (503, 19, 1), "", "el9_5"),
    ("5.14.0-503.22.1.el9_5.x86_64", "5.14", "el", (503, 22, 1), "", "el9_5"),
    ("5.14.0-570.58.1.el9_6.x86_64", "5.14", "el", (570, 58, 1), "", "el9_6"),
    ("4.18.0-553.69.1.el8_10.x86_64", "4.18", "el", (553, 69, 1), "", "el8_10"),
    ("4.18.0-305.10.2.el8_4.x86_64", "4.18", "el", (305, 10, 2), "", "el8_4"),
    ("3.10.0-1160.el7.x86_64", "3.10", "el", (1160,), "", "el7"),
    ("6.4.0-150600.23.33-default", "6.4", "sles", (150600, 23, 33), "default", ""),
    ("6.12.38+deb13-amd64", "6.12", "debian", (), "amd64", "deb13"),
    ("6.1.0-37-amd64", "6.1", "debian", (37,), "amd64", ""),
    ("6.12.0-100.28.2.el9uek.x86_64", "6.12", "uek", (100, 28, 2), "", "el9"),
    ("6.12.0-55.9.1.el10_0.x86_64", "6.12", "el", (55, 9, 1), "", "el10_0"),
    ("6.12.1+", "6.12", "other", (), "+", ""),
    ("4.11.0-kfd-compute-rocm-rel-1.6-148", "4.11", "other", (), "kfd-compute-rocm-rel-1.6-148", ""),
    ("3.10.0-1062.12.1.1chaos.ch6.x86_64", "3.10", "other", (), "1062.12.1.1chaos.ch6.x86_64", ""),
    # and from Debian's own archive, and Microsoft's
    ("6.12.111+deb12-amd64", "6.12", "debian", (), "amd64", "deb12"),
    ("6.12.9+bpo-cloud-amd64", "6.12", "debian", (), "cloud-amd64", "bpo"),
    ("6.1.0-0.deb11.21-rt-amd64", "6.1", "debian", (21,), "rt-amd64", ""),
    ("6.6.51.1-5.azl3", "6.6", "azurelinux", (5,), "", "azl3"),
    ("6.17.0-1009-oem", "6.17", "ubuntu", (1009,), "oem", ""),
    ("6.18.7", "6.18", "mainline", (), "", ""),
]


@pytest.mark.parametrize(("text", "series", "family", "abi", "flavour", "dist"), KERNELS, ids=str)
def test_a_kernel_release_is_taken_apart(text, series, family, abi, flavour, dist):
    kernel = KernelRelease.parse(text)
    found = (kernel.series, kernel.family, kernel.abi, kernel.flavour, kernel.dist)
    assert found == (series, family, abi, flavour, dist)
    assert str(kernel) == kernel.text == text


@pytest.mark.parametrize("text", ["", "linux", "6", "6.", "6.8.0 generic", "v6.8.0-44-generic", "6.8.0-44\n",
                                  "6.8.0.0.0-1",
                                  None, 6.8], ids=repr)
def test_garbage_is_named(text):
    with pytest.raises(DataError) as caught:
        KernelRelease.parse(text)
    assert caught.value.where == repr(text)


def test_kernels_are_ordered_by_version_then_abi():
    texts = ["6.1.0-37-amd64", "6.1.0-56-amd64", "6.8.0-9-generic", "6.8.0-44-generic", "6.12.38+deb13-amd64"]
    assert [str(k) for k in sorted(map(KernelRelease.parse, reversed(texts)))] == texts


@pytest.mark.parametrize(("kernel", "other", "expected"), [
    ("6.8.0-44-generic", "6.8.0-44-generic", True),
    ("6.8.0-60-generic", "6.8.0-44-generic", True),
    ("6.8.0-41-generic", "6.8.0-44-generic", False),
    ("6.8.0-1017-azure", "6.8.0-44-generic", False),
    ("6.11.0-25-generic", "6.8.0-44-generic", False),
    ("6.18.14", "6.18.7", True),
    ("6.19.4", "6.18.7", False),
    ("6.12.0-100.28.2.el9uek.x86_64", "6.12.0-55.9.1.el10_0.x86_64", False),
])
def test_a_kernel_follows_earlier_ones_of_its_own_line_only(kernel, other, expected):
    assert KernelRelease.parse(kernel).follows(KernelRelease.parse(other)) is expected


@pytest.mark.parametrize(("series", "kernel", "expected"), [
    ("6.1.0", "6.1.0-56-amd64", True), ("6.1", "6.1.0-56-amd64", True), ("6.1.0", "6.12.111+deb12-amd64", False),
    ("6.12", "6.12.38+deb13-amd64", True), ("6.8", "6.8.0-44-generic", True), ("6.8", "6.17.0-8-generic", False),
    ("5.14.0-570", "5.14.0-570.58.1.el9_6.x86_64", True), ("5.14.0-570", "5.14.0-503.22.1.el9_5.x86_64", False),
    ("5.14.0-570", "5.14.0-611.5.1.el9_7.x86_64", False), ("4.18-513", "4.18.0-513.24.1.el8_9.x86_64", True),
    ("6.4.0-150700.51", "6.4.0-150700.53.16-default", True), ("6.4.0-150700.51", "6.4.0-150700.50.1-default", False),
    ("6.4.0-150700.51", "6.4.0-150600.23.33-default", False),
    ("UEK 8", "6.12.0-100.28.2.el9uek.x86_64", True), ("UEK 8.1", "6.12.0-55.9.1.el10_0.x86_64", False),
    ("UEK 7", "5.15.0-307.178.5.el8uek.x86_64", True), ("UEK 7", "6.12.0-100.28.2.el9uek.x86_64", False),
])
def test_a_series_covers_its_kernels(series, kernel, expected):
    assert KernelSeries.parse(series).covers(KernelRelease.parse(kernel)) is expected


@pytest.mark.parametrize("text", ["", "6", "UEK 9", "6.8-", "6.8 GA", "6.8.x", None], ids=repr)
def test_another_series_is_refused(text):
    with pytest.raises(DataError, match="is not a kernel series"):
        KernelSeries.parse(text)
