# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources of packages during a build."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.image.repository import stanza


def test_apt() -> None:
    assert stanza("ubuntu", "rocm", "https://r/apt", "noble", ("main", "extra"), ("amd64",)) == (
        "Types: deb\nURIs: https://r/apt\nSuites: noble\nComponents: main extra\nArchitectures: amd64\n")
    assert stanza("debian", "site", "http://r/", "./", ()) == "Types: deb\nURIs: http://r/\nSuites: ./\n"


def test_rpm() -> None:
    assert stanza("sles", "rocm", "https://r/zyp", "", ()) == "[rocm]\nname=rocm\nbaseurl=https://r/zyp\nenabled=1\ngpgcheck=1\n"
