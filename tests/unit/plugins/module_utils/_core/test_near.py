# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A name that does not exist is told with the one that it may have meant."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.near import hint, nearest

NAMES = ("serving", "training", "base")


@pytest.mark.parametrize(("name", "cutoff", "near"), [
    ("servin", 0.6, "serving"), ("traning", 0.6, "training"), ("traning", 0.99, ""), ("x", 0.6, ""),
])
def test_the_nearest_name(name, cutoff, near):
    assert nearest(name, iter(NAMES), cutoff) == near


def test_of_no_names_none_is_near():
    assert nearest("serving", ()) == ""


@pytest.mark.parametrize(("name", "otherwise", "said"), [
    ("servin", "", "did you mean serving?"),
    ("servin", "remove it", "did you mean serving?"),
    ("x", "", "choose one of base, serving, training"),
    ("x", "remove it", "remove it"),
])
def test_what_to_do_about_it(name, otherwise, said):
    assert hint(name, iter(NAMES), otherwise) == said
