# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions of one kind are ordered; across kinds every comparison is a mistake and says so."""

from __future__ import annotations

import dataclasses as dc
import operator

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.release.kernel_release import KernelRelease
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.ordered import Ordered
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.versions import (
    DriverRelease,
    ModuleVersion,
    RocmVersion,
)

KINDS = [RocmVersion.parse("6.4.2"), DriverRelease.parse("6.4.2"), ModuleVersion.parse("6.4.2"),
         KernelRelease.parse("6.4.2")]
PAIRS = [(a, b) for a in KINDS for b in KINDS if a is not b]
OPERATORS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


@pytest.mark.parametrize("compare", OPERATORS, ids=lambda o: o.__name__)
@pytest.mark.parametrize(("left", "right"), PAIRS, ids=lambda v: type(v).__name__)
def test_two_kinds_cannot_be_compared(left, right, compare):
    with pytest.raises(TypeError, match=f"a {type(left).__name__} cannot be compared with a {type(right).__name__}"):
        compare(left, right)


@pytest.mark.parametrize("version", KINDS, ids=lambda v: type(v).__name__)
def test_what_is_no_version_is_unequal_and_without_order(version):
    assert [version == other for other in ("6.4.2", None, 6)] == [False] * 3
    assert [version != other for other in ("6.4.2", None, 6)] == [True] * 3
    for compare in OPERATORS[2:]:
        with pytest.raises(TypeError, match="not supported between"):
            compare(version, "6.4.2")


def test_one_kind_is_ordered():
    low, same, high = (DriverRelease.parse(text) for text in ("6.4.2", "6.4.2", "30.10"))
    assert [low < high, low <= high, low <= same, low >= same] == [True] * 4
    assert [low > high, low >= high, low < same, low > same] == [False] * 4
    assert sorted([high, low]) == [low, high]


def test_equal_versions_are_one_key():
    assert {RocmVersion.parse("6.4"): 1}[RocmVersion.parse("6.4.0")] == 1


def test_versions_are_frozen():
    with pytest.raises(dc.FrozenInstanceError):
        RocmVersion.parse("7.2.3").major = 8


def test_a_kind_must_say_what_is_compared():
    with pytest.raises(NotImplementedError):
        Ordered() == Ordered()  # noqa: B015
