# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Logs of package managers: runs are told apart, and only one that touches the driver or ROCm replaces what was seen."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.klog import KernelLine
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.plainlog import lines


def read(text):
    return [(line.text, line.boot) for line in lines([text.encode()])]


APT = """\
Log started: 2025-04-13  10:00:00
Setting up amdgpu-dkms (1:6.12.12.60401-2164967.24.04) ...
dpkg: error processing package amdgpu-dkms (--configure):
Log ended: 2025-04-13  10:02:00

Log started: 2025-04-14  09:00:00
Setting up vim (2:9.1.0016) ...
Log ended: 2025-04-14  09:00:05
"""
MENDED = """
Log started: 2025-04-15  09:00:00
Preparing to unpack ...
Unpacking AMDGPU-dkms ...
Log ended: 2025-04-15  09:05:00
"""


def test_a_run_that_does_not_concern_the_driver_leaves_what_was_seen():
    assert {boot for _text, boot in read(APT)} == {0}
    assert read(APT)[-2] == ("Setting up vim (2:9.1.0016) ...", 0)


def test_a_run_that_does_counts_alone():
    assert read(APT + MENDED)[-4:] == [
        ("Log started: 2025-04-15  09:00:00", 0), ("Preparing to unpack ...", 0), ("Unpacking AMDGPU-dkms ...", 1),
        ("Log ended: 2025-04-15  09:05:00", 1)]


@pytest.mark.parametrize("start", [
    "2025-03-01T09:18:43+0000 INFO --- logging initialized ---",
    "2025-03-01T09:18:43+0000 [4711] INFO --- DNF5 launched ---",
    "2025-03-01 10:00:00|command|root@node|'zypper' 'in' 'amdgpu-dkms'|",
    "Start-Date: 2025-03-01  10:00:00",
])
def test_where_a_run_begins(start):
    text = f"{start}\nInstalled: amdgpu-dkms\n{start}\nRemoved: rocm-core\n"
    assert dict(read(text)) == {
        start: 1 if "amdgpu" in start else 0, "Installed: amdgpu-dkms": 0, "Removed: rocm-core": 1}


def test_a_log_without_runs_is_one():
    text = "DKMS make.log for amdgpu/6.12.12 for kernel 6.14.0 (x86_64)\nmake: error 2\n\n"
    assert list(lines([text.encode()])) == [
        KernelLine("DKMS make.log for amdgpu/6.12.12 for kernel 6.14.0 (x86_64)"), KernelLine("make: error 2")]


def test_a_line_has_the_time_of_its_run():
    assert [line.time for line in lines([APT.encode()])][:5] == ["2025-04-13  10:00:00"] * 3 + [
        "2025-04-13  10:00:00", "2025-04-14  09:00:00"]
    dnf = "2025-03-01T09:18:43+0000 INFO a\n2025-03-01T09:18:44+0000 INFO b\n"
    assert [line.time for line in lines([dnf.encode()])] == ["2025-03-01T09:18:43+0000", "2025-03-01T09:18:44+0000"]
