# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian versions are ordered as dpkg orders them."""

from __future__ import annotations

import pathlib
import shutil
import subprocess

import pytest
from hypothesis import configuration, given, settings
from hypothesis import strategies as st

from ansible_collections.instinct.fleet.plugins.module_utils._core.deb_version import DebVersion
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError

configuration.set_hypothesis_home_dir(pathlib.Path(__file__).resolve().parents[5] / ".cache/hypothesis")

# In dpkg's order, each smaller than the next.
ORDER = [
    "1.0~~", "1.0~~a", "1.0~", "1.0~rc1", "1.0", "1.0-0.1", "1.0-1~bpo12+1", "1.0-1", "1.0-1build1", "1.0-1+b1",
    "1.0-2",
    "1.0a", "1.0+dfsg-1", "1.0.0", "1.9", "1.10", "2:0.1",
]
# The traps that the catalogue is about: distribution against AMD, and the epoch of the firmware (ROCm/ROCm#5566).
TRAPS = [
    ("7.0.1.70001-42~24.04", "7.0.2.70002-56~24.04"),
    ("5.7.1-3build1", "7.0.1.70001-42~24.04"),
    ("1.0.0.70203-90~24.04", "5.7.1-3build1"),
    ("30.10.2.0.30100200-2226257.24.04", "1:6.12.12.60404-2202139.24.04"),
    ("30.30.4.0.30300400-2341068.24.04", "1:31.40.0.0.31400000-2364437.24.04"),
    ("1:6.12.12.60402-2187269.24.04", "1:6.16.13.30300300-2327507.24.04"),
    ("1:6.16.13.30300300-2327507.22.04", "1:6.16.13.30300300-2327507.24.04"),
]
EQUAL = [("1.0", "1.0-0"), ("0:1.0", "1.0"), ("1.00", "1.0"), ("1.a", "1.a0"), ("1.0", "1.")]


@pytest.mark.parametrize(("low", "high"), [*zip(ORDER, ORDER[1:]), *TRAPS], ids=str)
def test_one_version_is_below_the_other(low, high):
    assert DebVersion.parse(low) < DebVersion.parse(high)
    assert DebVersion.parse(high) > DebVersion.parse(low)
    assert (DebVersion.parse(high) <= DebVersion.parse(low)) is False


@pytest.mark.parametrize(("left", "right"), EQUAL, ids=str)
def test_versions_that_dpkg_holds_equal_are_equal(left, right):
    assert DebVersion.parse(left) == DebVersion.parse(right)
    assert hash(DebVersion.parse(left)) == hash(DebVersion.parse(right))


@pytest.mark.parametrize(("text", "epoch", "upstream", "revision"), [
    ("1:6.16.13.30300300-2327507.24.04", 1, "6.16.13.30300300", "2327507.24.04"),
    ("5.7.1-3build1", 0, "5.7.1", "3build1"), ("1.0-rc-2", 0, "1.0-rc", "2"),
    ("1:2:3-4", 1, "2:3", "4"), ("7", 0, "7", ""),
])
def test_a_version_has_its_parts(text, epoch, upstream, revision):
    version = DebVersion.parse(text)
    assert (version.epoch, version.upstream, version.revision, str(version)) == (epoch, upstream, revision, text)


@pytest.mark.parametrize("text", ["", "a1", "1.0_2", "1:", ":1.0", "x:1.0", "1.0-", "1 0", "-1", "1:2:3:x_",
                                  "99999999999:1",
                                  "1.0ä", None, 1.0], ids=repr)
def test_garbage_is_named(text):
    with pytest.raises(DataError) as caught:
        DebVersion.parse(text)
    assert caught.value.where == repr(text)


CHARS = st.text(alphabet="0019azAZ.+~", max_size=6)
VERSIONS = st.builds(
    lambda epoch, digit, rest, revision: f"{epoch}{digit}{rest}" + (f"-{revision}" if revision else ""),
    st.sampled_from(["", "0:", "1:", "12:"]), st.sampled_from("0129"), CHARS, CHARS)
DPKG = shutil.which("dpkg")

if DPKG:  # the table above holds everywhere; the property can only be held against the real thing

    @settings(max_examples=300, deadline=None, database=None)
    @given(VERSIONS, VERSIONS)
    def test_order_is_that_of_dpkg(left, right):
        def dpkg(relation: str) -> bool:
            return subprocess.run([DPKG, "--compare-versions", left, relation, right], check=False).returncode == 0

        mine = (DebVersion.parse(left) < DebVersion.parse(right), DebVersion.parse(left) == DebVersion.parse(right))
        assert mine == (dpkg("lt"), dpkg("eq"))
