# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Data from outside is read strictly, and a complaint names the path."""

from __future__ import annotations

import datetime

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.versions import RocmVersion
from ansible_collections.instinct.fleet.plugins.module_utils._core.strict import Contradiction, Reader, from_json


def read(raw, take, path="f.yml:"):
    reader = Reader(raw, path)
    value = take(reader)
    reader.done()
    return value


GOOD = [
    ({"a": "x"}, lambda r: r.text("a"), "x"),
    ({}, lambda r: r.text("a", "none"), "none"),
    ({"a": ""}, lambda r: r.text("a", ""), ""),
    ({"a": "x1"}, lambda r: r.text("a", pattern=r"x\d"), "x1"),
    ({"a": None}, lambda r: r.optional("a"), None),
    ({"a": "x"}, lambda r: r.optional("a"), "x"),
    ({"a": False}, lambda r: r.flag("a", True), False),
    ({}, lambda r: r.flag("a", True), True),
    ({"a": 0}, lambda r: r.count("a"), 0),
    ({}, lambda r: r.count("a"), None),
    ({"a": "y"}, lambda r: r.choice("a", ("x", "y")), "y"),
    ({}, lambda r: r.choice("a", ("x", "y"), "x"), "x"),
    ({"a": ["x", "y"]}, lambda r: r.texts("a"), ("x", "y")),
    ({}, lambda r: r.texts("a", ()), ()),
    ({"a": "7.2"}, lambda r: r.read("a", RocmVersion.parse), RocmVersion(7, 2)),
    ({"a": None}, lambda r: r.read_optional("a", RocmVersion.parse), None),
    ({"a": "7.2"}, lambda r: r.read_optional("a", RocmVersion.parse), RocmVersion(7, 2)),
    ({"a": ["7.2"]}, lambda r: r.read_all("a", RocmVersion.parse), (RocmVersion(7, 2),)),
    ({"a": {"b": "x"}}, lambda r: r.record("a", lambda s: s.text("b")), "x"),
    ({"a": [{"b": "x"}]}, lambda r: r.records("a", lambda s: s.text("b")), ("x",)),
    ({}, lambda r: r.records("a", lambda s: s.text("b"), []), ()),
    ({"a": {"n": {"b": "x"}}}, lambda r: r.named("a", lambda s: s.text("b")), {"n": "x"}),
    ({"a": {"n": "x"}}, lambda r: r.texts_by_name("a"), {"n": "x"}),
    ({"a": [1]}, lambda r: r.anything("a"), [1]),
    ({"a": None}, lambda r: r.anything("a"), None),
    ({"a": True}, lambda r: r.anything("a"), True),
    ({"a": None}, lambda r: (r.has("a"), r.anything("a")), (True, None)),
    ({}, lambda r: r.has("a"), False),
]


@pytest.mark.parametrize(("raw", "take", "expected"), GOOD)
def test_what_is_right_is_read(raw, take, expected):
    assert read(raw, take) == expected


def refuse(text):
    raise DataError(repr(text), "is wrong", "right it")


BAD = [
    ([], lambda r: None, "f.yml: is a list, not a mapping; write it as a mapping"),
    (None, lambda r: None, "f.yml: is null, not a mapping; write it as a mapping"),
    (1.5, lambda r: None, "f.yml: is a number, not a mapping; write it as a mapping"),
    ({}, lambda r: r.text("a"), "f.yml: a: is missing; add it"),
    ({"a": 7}, lambda r: r.text("a"), "f.yml: a: is a number, not text; put it in quotes"),
    ({"a": 7.1}, lambda r: r.text("a"), "f.yml: a: is a number, not text; put it in quotes"),
    ({"a": None}, lambda r: r.text("a"), "f.yml: a: is null, not text; fill it in"),
    ({"a": ""}, lambda r: r.text("a"), "f.yml: a: is empty; fill it in"),
    ({"a": "x"}, lambda r: r.text("a", pattern=r"\d"), r"f.yml: a: is 'x', which does not match \d; write it in that form"),
    ({"a": "٧"}, lambda r: r.text("a", pattern=r"\d"), r"f.yml: a: is '٧', which does not match \d; write it in that form"),
    ({}, lambda r: r.optional("a"), "f.yml: a: is missing; add it"),
    ({"a": "true"}, lambda r: r.flag("a", True), "f.yml: a: is text, not true or false; write it as true or false"),
    ({"a": True}, lambda r: r.text("a"), "f.yml: a: is true or false, not text; put it in quotes"),
    ({"a": -1}, lambda r: r.count("a"), "f.yml: a: is -1, and cannot be less than 0; write it in that form"),
    ({"a": True}, lambda r: r.count("a"), "f.yml: a: is true or false, not a number; write it as a number"),
    ({"a": 1.5}, lambda r: r.count("a"), "f.yml: a: is 1.5, not a whole number; write it as a number"),
    ({"a": "z"}, lambda r: r.choice("a", ("x", "y")), "f.yml: a: is 'z'; choose one of x, y"),
    ({"a": "x"}, lambda r: r.texts("a"), "f.yml: a: is text, not a list; write it as a list"),
    ({"a": ["x", {}]}, lambda r: r.texts("a"), "f.yml: a[1]: is a mapping, not text; write it as text"),
    ({"a": datetime.date(2026, 5, 5)}, lambda r: r.text("a"), "f.yml: a: is a date, not text; put it in quotes"),
    ({"a": ["x", 1]}, lambda r: r.texts("a"), "f.yml: a[1]: is a number, not text; put it in quotes"),
    ({"a": [""]}, lambda r: r.texts("a"), "f.yml: a[0]: is empty, not text; fill it in"),
    ({"a": ["x", "x"]}, lambda r: r.texts("a"), "f.yml: a[1]: 'x' is there twice; remove one"),
    ({"a": ["x"]}, lambda r: r.texts("a", pattern="y"), "f.yml: a[0]: is 'x', which does not match y; write it in that form"),
    ({"a": "x"}, lambda r: r.read("a", RocmVersion.parse), "f.yml: a: 'x' is not a ROCm version; write it as 7.2.3"),
    ({"a": ["7.2", "x"]}, lambda r: r.read_all("a", RocmVersion.parse),
     "f.yml: a[1]: 'x' is not a ROCm version; write it as 7.2.3"),
    ({"a": {"b": 1}}, lambda r: r.record("a", lambda s: s.text("b")),
     "f.yml: a.b: is a number, not text; put it in quotes"),
    ({"a": {"b": "x", "c": 1}}, lambda r: r.record("a", lambda s: s.text("b")),
     "f.yml: a.c: is not a known key; remove it"),
    ({"a": [{"b": "x"}, 1]}, lambda r: r.records("a", lambda s: s.text("b")),
     "f.yml: a[1]: is a number, not a mapping; write it as a mapping"),
    ({"a": [{"b": 1}]}, lambda r: r.records("a", lambda s: s.text("b")),
     "f.yml: a[0].b: is a number, not text; put it in quotes"),
    ({"a": {"n": 1}}, lambda r: r.named("a", lambda s: s.text("b")), "f.yml: a.n: is a number, not a mapping; write it as a mapping"),
    ({"a": {"n": ""}}, lambda r: r.texts_by_name("a"), "f.yml: a.n: is empty, not text; fill it in"),
    ({"a": {"n": "x"}}, lambda r: r.texts_by_name("a", refuse), "f.yml: a: 'n' is wrong; right it"),
    ({"a": {"n": 1}}, lambda r: r.texts_by_name("a"), "f.yml: a.n: is a number, not text; put it in quotes"),
    ({"a": {1: "x"}}, lambda r: r.texts_by_name("a"), "f.yml: a.1: has a name that is a number, not text; put it in quotes"),
    ({}, lambda r: r.anything("a"), "f.yml: a: is missing; add it"),
    ({"driver": "x", "drivr": "y"}, lambda r: r.text("driver"),
     "f.yml: drivr: is not a known key; did you mean driver"),
    ({1: "y"}, lambda r: None, "f.yml: 1: is not a known key; remove it"),
]


@pytest.mark.parametrize(("raw", "take", "sentence"), BAD, ids=[case[2] for case in BAD])
def test_what_is_wrong_is_named_by_its_path(raw, take, sentence):
    with pytest.raises(DataError) as caught:
        read(raw, take)
    assert caught.value.sentence == sentence


def test_a_contradiction_is_an_error_in_the_data():
    assert issubclass(Contradiction, DataError)


@pytest.mark.parametrize(("text", "sentence"), [
    ("{", "f: is not JSON; remove it"),
    ("[" * 100_000, "f: is not JSON; remove it"),
    ("[]", "f: is a list, not a mapping; write it as a mapping"),
], ids=["torn", "too deep", "no mapping"])
def test_a_text_that_is_no_mapping_in_json(text: str, sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        from_json(text, "f", "remove it")
    assert caught.value.sentence == sentence


def test_a_mapping_in_json() -> None:
    assert from_json('{"a": "b"}', "f", "").text("a") == "b"
