# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One release of the older stream again, as if there had never been another."""

from __future__ import annotations

import checks


def test_rocm_is_the_releases(host):
    checks.rocm_version(host, checks.SECOND)
    checks.healthy_packages(host, checks.SECOND)


def test_nothing_of_the_others_is_left(host):
    left = host.check_output("dpkg-query -W -f '${Package} ${db:Status-Status}\\n' | grep ' installed$'")
    assert not any(line.startswith(("amdrocm", "rocm-core7", "rocminfo7")) for line in left.splitlines())
    assert host.check_output("ls /opt") == "rocm\nrocm-7.2.3"
    assert host.run("ls /var/lib/dpkg/alternatives/rocm-lib").rc != 0


def test_programs_find_it(host):
    assert host.check_output("bash -lc 'realpath $(command -v rocminfo)'") == "/opt/rocm-7.2.3/bin/rocminfo"
    assert host.run("bash -lc rocminfo").stdout.startswith("rocminfo 7.2.3 ")
    assert "/opt/rocm/lib/libamd_smi.so" in host.check_output("ldconfig -p")
