# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AMD's driver of the release, held, loaded, and bound to every GPU; ROCm is not this role's."""

from __future__ import annotations

import checks


def test_driver_is_the_releases(host):
    checks.driver_version(host, checks.SECOND)
    checks.holds(host, checks.SECOND)
    checks.dkms(host, checks.SECOND)
    checks.loaded(host, checks.SECOND)
    checks.boots(host, checks.SECOND)
    checks.healthy_packages(host, checks.SECOND)


def test_other_roles_did_nothing(host):
    assert not host.package("rocm-core").is_installed
    assert not host.file("/etc/apt/sources.list.d/instinct-rocm.sources").exists
    assert not host.file("/var/lib/instinct/release.json").exists
