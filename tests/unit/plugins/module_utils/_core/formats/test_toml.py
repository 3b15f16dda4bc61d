# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""TOML is read as Python's own reader does, where there is one, and what is none is refused with its line."""

from __future__ import annotations

import importlib
import importlib.util
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.toml import Bare, parse

CASES: list[tuple[str, dict[str, t.Any]]] = [
    ("", {}),
    ("# only a comment", {}),
    ("a = 'C:\\d'\nb = \"x\\t\\\"y\\\" \\u00e9\\U0001F600\"\r\n", {"a": "C:\\d", "b": 'x\t"y" \u00e9\U0001f600'}),
    ("a = '# no comment' # one", {"a": "# no comment"}),
    ('a = """\nfirst \\\n   same\n"two" """"\nb = """\\"""\\\\"""\nc = """"""', {"a": 'first same\n"two" "', "b": '"""\\', "c": ""}),
    ("a = '''\nit's\n'''\nb = ''''that''''", {"a": "it's\n", "b": "'that'"}),
    ("a = true\nb = [ ]\n[t]\nc = false", {"a": True, "b": [], "t": {"c": False}}),
    ("a = [\n  'x', # \"y\"\n\n  [\"z\"],\n  {append = true},\n]", {"a": ["x", ["z"], {"append": True}]}),
    ("a.b = 'x'\na . 'c.d' = 'y'\n[a.e]\nf = {}\n", {"a": {"b": "x", "c.d": "y", "e": {"f": {}}}}),
    ("[ 'a' . \"b\" ]\nc = 'x'\n[a]\nd = { e = 'y', f.g = 'z' }", {"a": {"b": {"c": "x"}, "d": {"e": "y", "f": {"g": "z"}}}}),
    ("[[a]]\nb = 'x'\n[a.c]\nd = 'y'\n[[a]]\n[[a.e]]", {"a": [{"b": "x", "c": {"d": "y"}}, {"e": [{}]}]}),
    ("123 = 'x'\n\"\" = 'y'", {"123": "x", "": "y"}),
]


# Python's own reader, from 3.11 on
OWN = importlib.import_module("tomllib") if importlib.util.find_spec("tomllib") else None


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_what_is_read(text: str, expected: dict[str, t.Any]) -> None:
    assert parse(text, "x") == expected
    assert OWN is None or OWN.loads(text) == expected


def test_numbers_and_times_are_as_they_are_written() -> None:
    text = "a = 1_000\nb = -0.5e+3\nc = 2024-05-06 07:08:09Z\nd = [0x1F, inf]"
    assert parse(text, "x") == {"a": Bare("1_000"), "b": Bare("-0.5e+3"), "c": Bare("2024-05-06 07:08:09Z"), "d": [Bare("0x1F"), Bare("inf")]}


@pytest.mark.parametrize(("text", "what"), [
    ("a = 'x", "line 1 has a string without an end"),
    ("\na = \"x\ny\"", "line 2 has a string without an end"),
    ("a = '''x''", "line 1 has more than one thing"),
    ("a = \"\\q\"", "line 1 has \\q in a string"),
    ("a = \"\\UFFFFFFFF\"", "line 1 has \\UFFFFFFFF in a string"),
    ("a", "line 1 lacks ="),
    ("= 'x'", "line 1 lacks a key"),
    ("a = \n", "line 1 lacks a value"),
    ("a = 'x' b = 'y'", "line 1 has more than one thing"),
    ("[a] b = 'y'", "line 1 has more than one thing"),
    ("[a\n", "line 1 lacks ]"),
    ("a = ['x' 'y']", "line 1 lacks ]"),
    ("a = {b = 'x'\n", "line 2 lacks }"),
    ("a = 'x'\na = 'y'", "line 2 names a twice"),
    ("[a]\n[b]\n[a]", "line 3 names a twice"),
    ("[[a]]\n[a]", "line 2 names a twice"),
    ("a = 'x'\n[a]", "line 2 has something in a that is a value already"),
    ("a = {}\na.b = 'x'", "line 2 has something in a that is a value already"),
    ("a = []\n[a.b]", "line 2 has something in a that is a value already"),
    ("a = []\n[[a]]", "line 2 names a twice"),
    ("a = 'x'\n[[a]]", "line 2 names a twice"),
])
def test_what_is_no_toml_is_refused(text: str, what: str) -> None:
    with pytest.raises(DataError) as caught:
        parse(text, "a.conf")
    assert str(caught.value) == f"a.conf: {what}; mend it, as the program that reads it must, too"
