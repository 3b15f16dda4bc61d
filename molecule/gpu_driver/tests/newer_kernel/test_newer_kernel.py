# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A newer kernel was installed, the driver built for it, and the node booted into it."""

from __future__ import annotations

import checks


def test_the_newest_kernel_of_the_series_runs(host):
    assert host.check_output("uname -r") == host.check_output(
        "ls /lib/modules | grep '^6\\.1\\.0-[0-9]*-amd64$' | sort -V | tail -1"
    )
    assert host.check_output("ls -d /boot/vmlinuz-6.1.0-*-amd64 | wc -l") == "2"


def test_driver_serves_it(host):
    checks.driver_version(host, checks.SECOND)
    checks.holds(host, checks.SECOND)
    checks.dkms(host, checks.SECOND)
    checks.loaded(host, checks.SECOND)
    checks.boots(host, checks.SECOND)
    checks.healthy_packages(host, checks.SECOND)
