# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The node is at the first release again, in every respect that an operator would look at."""

from __future__ import annotations

import checks_rpm as checks
import pytest


@pytest.mark.parametrize("check", checks.ALL, ids=lambda check: check.__name__)
def test_at_release(host, check):
    check(host, checks.FIRST)


def test_the_kernel_is_the_wanted_one(host):
    assert host.check_output("uname -r") == "6.4.0-150700.51-default"
