# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that a precondition wants. Their form is tested with the files that hold them, in test_catalogue.py."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.preconditions.values import Values

KINDS = {"name": str, "least": int, "most?": int}


@pytest.mark.parametrize(("given", "complete"), [
    ({"name": "x", "least": 1}, True), ({"name": "x", "least": 1, "most": 2}, True), ({"name": "x"}, False), ({}, False)])
def test_what_must_be_there_is_there(given, complete):
    assert Values(given).complete(KINDS) is complete


def test_values_by_kind():
    values = Values({"name": "x", "least": 1, "all": ("a", "b")})
    assert (values.text("name"), values.number("least"), values.texts("all")) == ("x", 1, ("a", "b"))
    assert (values.maybe_number("least"), values.maybe_number("most")) == (1, None)
