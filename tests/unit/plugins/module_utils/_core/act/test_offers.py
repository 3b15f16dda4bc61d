# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What apt answers about packages to come, in one sentence."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.offers import (
    Asked,
    chosen,
    first_error,
    parse_asked,
    parse_madison,
    refuse_conflict,
    refuse_loss,
    refuse_missing,
    refuse_removal,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError

MADISON = """\
rocm-core | 9.9.0-1 | http://deb.debian.org/debian bookworm/main amd64 Packages
rocm-core | 7.0.2.70002-56~22.04 | https://repo.radeon.com/rocm/apt/7.0.2 jammy/main amd64 Packages
rocm-core | 7.0.2.70002-56~22.04 | https://mirror/rocm jammy/main amd64 Packages
rocm-core | 9.9.0-1 | http://deb.debian.org/debian bookworm/main Sources
linux-image-6.8.0-85-generic | 6.8.0-85.85 | http://archive.ubuntu.com/ubuntu noble-updates/main amd64 Packages
N: a line that is none
"""
OFFERED = {"rocm-core": ("9.9.0-1", "7.0.2.70002-56~22.04"), "linux-image-6.8.0-85-generic": ("6.8.0-85.85",)}


def test_parse_madison():
    assert parse_madison(MADISON) == OFFERED


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("dkms", Asked("dkms")),
        ("amdgpu-dkms=1:6.14.14.30100200-2226257.24.04", Asked("amdgpu-dkms", "1:6.14.14.30100200-2226257.24.04")),
        ("rocm-core=*.70002-*", Asked("rocm-core", "*.70002-*")),
        ("linux-image-6.12.38+deb13-amd64", Asked("linux-image-6.12.38+deb13-amd64")),
    ],
)
def test_parse_asked(text, asked):
    assert parse_asked([text]) == (asked,)
    assert asked.words == text.replace("=", " ")


@pytest.mark.parametrize("text", ["", "-o=x", "dkms=", "dkms --yes", "dkms=1 x", "Dkms"])
def test_what_is_no_package_is_refused(text):
    with pytest.raises(DataError, match="is not a package name or name=version"):
        parse_asked([text])


@pytest.mark.parametrize(
    ("asked", "version"),
    [
        (Asked("rocm-core"), "9.9.0-1"),
        (Asked("rocm-core", "*.70002-*"), "7.0.2.70002-56~22.04"),
        (Asked("rocm-core", "7.0.2"), None),
        (Asked("rocm"), None),
    ],
)
def test_chosen(asked, version):
    assert chosen(asked, OFFERED) == version


# id, asked for, trouble of the refresh, sentence
MISSING = [
    ("a kernel that the distribution took away", ["linux-image-6.8.0-41-generic", "linux-headers-6.8.0-41-generic"], "",
     "linux-image-6.8.0-41-generic, linux-headers-6.8.0-41-generic: no repository of this node has them; choose a kernel "
     "that they have, or add a repository that keeps this one; nothing was changed"),
    ("a version that is not on the mirror", ["rocm-core=*.70203-*", "linux-image-6.8.0-85-generic"], "",
     "rocm-core *.70203-* (there is 9.9.0-1, 7.0.2.70002-56~22.04): no repository of this node has it; complete the "
     "mirror, or choose another release; nothing was changed"),
    ("a mirror that does not answer", ["amdgpu-dkms=1:6"], "Failed to fetch https://mirror/x  404",
     "amdgpu-dkms 1:6: no repository of this node has it (refreshing them: Failed to fetch https://mirror/x  404); "
     "see to it that the repository answers and is complete; nothing was changed"),
    ("a node whose clock is ahead", ["amdgpu-dkms=1:6"],
     "Release file for file:/srv/x/InRelease is expired (invalid since 3652d 1h 2min 3s)",
     "amdgpu-dkms 1:6: no repository of this node has it (refreshing them: Release file for file:/srv/x/InRelease is "
     "expired (invalid since 3652d 1h 2min 3s)); compare the clock of this node with the dates of that repository; "
     "nothing was changed"),
    ("a node whose clock is behind", ["amdgpu-dkms=1:6"],
     "Release file for file:/srv/x/InRelease is not valid yet (invalid for another 3652d 1h 2min 3s)",
     "amdgpu-dkms 1:6: no repository of this node has it (refreshing them: Release file for file:/srv/x/InRelease is "
     "not valid yet (invalid for another 3652d 1h 2min 3s)); compare the clock of this node with the dates of that "
     "repository; nothing was changed"),
]


@pytest.mark.parametrize(("asked", "trouble", "sentence"), [c[1:] for c in MISSING], ids=[c[0] for c in MISSING])
def test_what_is_missing_is_named(asked, trouble, sentence):
    with pytest.raises(FleetError) as refused:
        refuse_missing(parse_asked(asked), OFFERED, trouble)
    assert refused.value.sentence == sentence


def test_nothing_is_missing():
    refuse_missing(parse_asked(["rocm-core=*.70002-*", "linux-image-6.8.0-85-generic"]), OFFERED, "W: old key")


UNMET = """\
Reading package lists...
The following packages have unmet dependencies:
 rocm-hip-runtime : Depends: rocminfo (= 1.0.0.70002-56~24.04) but 5.7.1-3build1 is to be installed
 b : Depends: c
"""


@pytest.mark.parametrize(
    ("out", "err", "why"),
    [
        (UNMET, "E: Unable to correct problems, you have held broken packages.\n",
         "rocm-hip-runtime : Depends: rocminfo (= 1.0.0.70002-56~24.04) but 5.7.1-3build1 is to be installed; b : Depends: c"),
        ("", "W: old\nE: Version '1' for 'x' was not found\n", "Version '1' for 'x' was not found"),
        ("", "", "it ended with 100"),
    ],
)
def test_a_conflict_is_said_in_the_words_of_apt(out, err, why):
    refuse_conflict(0, out, err)
    with pytest.raises(FleetError) as refused:
        refuse_conflict(100, out, err)
    assert refused.value.sentence == (
        f"apt: cannot install these packages together: {why}; remove or hold back what stands in the way; nothing was changed")


GOES = "Remv old [1]\nPurg b:amd64 [1]\nRemv a [1]\nInst new (2)\n"


def test_what_apt_would_remove_on_the_way_is_named():
    refuse_loss(["old", "a", "b"], GOES)
    with pytest.raises(FleetError) as refused:
        refuse_loss(["old"], GOES)
    assert refused.value.sentence == (
        "a, b: apt would remove them to install the packages of this release; remove what nobody needs by hand, or choose "
        "a release that goes with the rest; nothing was changed")


# id, how apt ended, what it said, sentence
REMOVALS = [
    ("others need it", 0, GOES, "",
     "a, b: need what should be removed, and would go with it: old; remove by hand what nobody needs, or keep what it "
     "needs; nothing was changed"),
    ("apt says why", 100, "", "E: Unable to locate package old\n",
     "old: cannot be removed: Unable to locate package old; repair the package manager first; nothing was changed"),
    ("apt says nothing", 100, "", "",
     "old: cannot be removed: apt ended with 100; repair the package manager first; nothing was changed"),
]


@pytest.mark.parametrize(("code", "out", "err", "sentence"), [c[1:] for c in REMOVALS], ids=[c[0] for c in REMOVALS])
def test_a_removal_takes_nothing_else(code, out, err, sentence):
    refuse_removal(["old"], 0, "Remv old [1]\n", "")
    with pytest.raises(FleetError) as refused:
        refuse_removal(["old"], code, out, err)
    assert refused.value.sentence == sentence


@pytest.mark.parametrize(("text", "error"), [("W: a\nE: b\nE: c\n", "b"), ("N: x\nW: a\n", "a"), ("fine\n", "")])
def test_first_error(text, error):
    assert first_error(text) == error
