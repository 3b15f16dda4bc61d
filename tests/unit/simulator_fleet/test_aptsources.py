# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which Debian archives a machine uses, and the same archives for another suite."""

from __future__ import annotations

import pytest
from simhost.aptsources import rewrite, settings

MIRROR, SECURITY = "http://mirror.invalid/debian/", "http://mirror.invalid/debian-security/"
BOOKWORM = f"""\
{MIRROR}|bookworm|main
{MIRROR}|bookworm|contrib
{MIRROR}|bookworm-updates|main
{SECURITY}|bookworm-security|main
https://tools.invalid/apt/|bookworm-tools|main
https://flat.invalid/|./|
"""
CASES = [
    ("its own suite, components together", BOOKWORM, "bookworm", [
        f"deb {MIRROR} bookworm main contrib", f"deb {MIRROR} bookworm-updates main",
        f"deb {SECURITY} bookworm-security main"]),
    ("a newer suite", BOOKWORM, "trixie", [
        f"deb {MIRROR} trixie main contrib", f"deb {MIRROR} trixie-updates main",
        f"deb {SECURITY} trixie-security main"]),
    ("an older suite", f"{MIRROR}|trixie|main\n", "bookworm", [f"deb {MIRROR} bookworm main"]),
    ("two mirrors of one suite", f"{MIRROR}|trixie|main\nhttp://other.invalid/|trixie|main\n", "trixie", [
        f"deb {MIRROR} trixie main", "deb http://other.invalid/ trixie main"]),
    ("the same index twice", f"{MIRROR}|trixie|main\n{MIRROR}|trixie|main\n", "trixie", [f"deb {MIRROR} trixie main"]),
    ("a machine of another distribution", "http://ubuntu.invalid/ubuntu/|noble|main\n", "bookworm", []),
    ("backports are left out", f"{MIRROR}|bookworm-backports|main\n", "bookworm", []),
    ("no source at all", "", "bookworm", []),
]


@pytest.mark.parametrize(("targets", "suite", "lines"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_rewrite_gives_the_machines_debian_sources_for_a_suite(targets, suite, lines):
    assert [source.line() for source in rewrite(targets, suite)] == lines


def test_settings_are_those_that_reach_an_archive():
    dump = """\
Acquire::http::Proxy "http://proxy.invalid:3128";
Acquire::https::Proxy::mirror.invalid "DIRECT";
Acquire::http::Proxy "";
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
APT::Install-Recommends "0";
DPkg::Post-Invoke:: "rm -f /var/cache/apt/archives/*.deb";
"""
    assert settings(dump) == (
        'Acquire::http::Proxy "http://proxy.invalid:3128";',
        'Acquire::https::Proxy::mirror.invalid "DIRECT";',
        'Acquire::Check-Valid-Until "false";',
    )
