# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON of tools: what stands around it, what is wrapped, what is cut off."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.tool_json import document, records


@pytest.mark.parametrize(("text", "expected"), [
    ('[{"gpu": 0}]', [{"gpu": 0}]),
    ('WARNING: [user] lacks groups\n{"a": 1}\n$ prompt', {"a": 1}),
    ("[\n]\n", []),
    ("no JSON here", None),
    ("", None),
    ("[    4.2] amdgpu: a line of a log", None),
])
def test_document(text: str, expected: t.Any) -> None:
    assert document(text) == expected


@pytest.mark.parametrize(("text", "what"), [
    ('[{"gpu": 0, "asic": {"mark', "is cut off"),
    ('[{"gpu": 0},', "is cut off"),
    ('{"gpu": 0,,\n"b": 2}', "is damaged in line 1"),
    ('{"gpu": NaN}', "NaN is not JSON"),
    ('{"gpu": ' + "9" * 5000 + "}", "is damaged"),
    ('{"a":' * 100000, "is nested too deep"),
])
def test_document_that_is_none_says_why(text: str, what: str) -> None:
    with pytest.raises(DataError, match=what):
        document(text)


@pytest.mark.parametrize(("data", "expected"), [
    ([{"gpu": 0}, "x"], [{"gpu": 0}]),
    ({"gpu_data": [{"gpu": 1}]}, [{"gpu": 1}]),
    ({"gpu": 2}, [{"gpu": 2}]),
    ({"card3": {"a": 1}, "system": {"b": 2}}, [{"a": 1, "gpu": 3}]),
    ({"gpu_0": {"a": 1}}, [{"a": 1, "gpu": 0}]),
    ("text", []),
])
def test_records(data: t.Any, expected: list[t.Any]) -> None:
    assert records(data) == expected
