# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of a regular expression without running it."""

from __future__ import annotations

import re

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.expression import (
    complaint,
    groups,
    without_words,
)

FINE = [
    r"amdgpu: probe of (?P<bdf>\S+) failed with error -12",
    r"BAR \d+(?: \[mem size 0x[0-9a-f]+[^\]]*\])?: no space",
    r"die: \d+, (?P<new_count>\d+) new (?<!un)correctable",
    r"(?:a|b)+c", r"(?:ab){2,3}x+", r"\d+\s+x", r"x(?=.*y)", r"(?P<q>['\"]).*?(?P=q)", r"^(?!.*healthy)bad$",
]


@pytest.mark.parametrize("pattern", FINE)
def test_what_is_cheap_is_accepted(pattern):
    assert complaint(pattern) == ""


DEAR = [
    (r"(a+)+b", "has an open repetition within a repetition"),
    (r"(?:\w+\s*){3,10}x", "has an open repetition within a repetition"),
    (r"(?:a|(?:b*))*", "has an open repetition within a repetition"),
    (r"(?=(?:a+)+)b", "has an open repetition within a repetition"),
    (r".*a.*b[^x]*", "has more than 2 open repetitions of nearly any character"),
    (r"\S+a\D+b\W+", "has more than 2 open repetitions of nearly any character"),
    (r".*(?:\s*)x", "has two open repetitions side by side that can share characters"),
    (r"\s*\b(?=q)\S*x", "has two open repetitions side by side that can share characters"),
    (r"\d*(\d+)x", "has two open repetitions side by side that can share characters"),
    (r"[^a]+[^b]+", "has two open repetitions side by side that can share characters"),
    (r"(", "is no regular expression: missing ), unterminated subpattern at position 0"),
]


@pytest.mark.parametrize(("pattern", "said"), DEAR)
def test_what_is_wrong_or_dear_is_refused(pattern, said):
    assert complaint(pattern) == said


@pytest.mark.parametrize("pattern", [r"a++b", r"(?>a+)b"])
def test_what_nodes_do_not_know_is_refused(pattern):
    # Python before 3.11 refuses it by itself.
    assert complaint(pattern)


def test_a_dear_expression_would_be_dear():
    """The rule is there for a reason: what is refused takes exponentially many steps, so short texts only."""
    assert re.search(r"(a+)+b", "a" * 12) is None
    assert complaint(r"(a+)+b")


WORDS = [
    (r"GPU reset begin", ("gpu reset",), None),
    (r"GPU reset begin", ("reset",), None),
    (r"GPU reset begin", ("hang", "begin"), None),
    (r"GPU (?:reset|recovery) begin", ("gpu reset", "recovery"), None),
    (r"GPU (?:reset|recovery) begin", ("gpu reset",), "gpu recovery begin"),
    (r"[Yy]our kernel", ("your",), None),
    (r"[Yy]our kernel", ("our k",), None),
    (r"[xy]our", ("your",), "xour"),
    (r"[x-z]our", ("your",), "...our"),
    (r"(?i)OOPS", ("oops",), None),
    (r"a\d+b", ("ab",), "a...b"),
    (r"(?:abc)?def", ("abc",), "def"),
    (r"(?:abc)?def", ("def",), None),
    (r"(?:abc)?def", ("abc", "def"), None),
    (r"(?:abc)*def", ("abcdef",), "def"),
    (r"(?:abc)+def", ("abc",), None),
    (r"(?:abc)+def", ("cde",), "abc...def"),
    (r"^\bun(?=x)(?!y)it$", ("unit",), None),
    (r"(?P<a>abc)(?P=a)", ("abca",), "abc..."),
    (r"ÜBER", ("über",), None),
    ("[ab]" * 12 + "word", ("word",), None),
    ("[ab]" * 12 + "word", ("awor",), "...abword"),
    ("[ab]" * 12 + "word" + "[cd]" * 12, ("word",), None),
    ("word" + "[cd]" * 12, ("word",), None),
    (r"(?:a(?:word|x)|word)", ("word",), "ax"),
    (r".*", ("abc",), ""),
    (r".+", ("abc",), "..."),
    (r"", ("abc",), ""),
]


@pytest.mark.parametrize(("pattern", "words", "expected"), WORDS)
def test_words_that_every_match_has(pattern, words, expected):
    assert without_words(pattern, words) == expected


def test_names_of_groups():
    assert groups(r"(?P<bdf>\S+) (x) (?P<code>\d)") == {"bdf", "code"}
