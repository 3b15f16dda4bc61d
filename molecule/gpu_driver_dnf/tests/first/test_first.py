# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The node is at the first release, in every respect that an operator would look at."""

from __future__ import annotations

import checks_rpm as checks
import pytest


@pytest.mark.parametrize("check", checks.ALL, ids=lambda check: check.__name__)
def test_at_release(host, check):
    check(host, checks.FIRST)


def test_the_kernel_is_the_wanted_one(host):
    assert host.check_output("uname -r") == "5.14.0-570.12.1.el9_6.x86_64"


def test_dkms_brought_no_newer_kernel(host):
    assert host.file("/lib/modules").listdir() == ["5.14.0-570.12.1.el9_6.x86_64"]
    assert "5.14.0-570.58.1" not in host.check_output("rpm -qa 'kernel*'")
