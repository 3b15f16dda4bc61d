# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of context are read strictly, and versions compared by number."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.rules import KINDS, Rule, at_least, numbers
from ansible_collections.instinct.fleet.plugins.module_utils._core.strict import Reader

GOOD = [
    ({"seen": "bar-placed"}, Rule("seen", "bar-placed"), "seen: bar-placed"),
    ({"not_followed_by": "x", "unknown": "holds"}, Rule("not_followed_by", "x", True), "not_followed_by: x"),
    ({"followed_by": "x", "within": 60}, Rule("followed_by", "x", within=60), "followed_by: x, within: 60"),
    ({"not_followed_by": "x", "within": 1}, Rule("not_followed_by", "x", within=1), "not_followed_by: x, within: 1"),
    ({"virtual_function": False}, Rule("virtual_function", False), "virtual_function: false"),
    ({"instinct": True}, Rule("instinct", True), "instinct: true"),
    ({"driver_kind": "in_tree"}, Rule("driver_kind", "in_tree"), "driver_kind: in_tree"),
    ({"kernel_from": "6.11"}, Rule("kernel_from", "6.11"), "kernel_from: 6.11"),
    ({"driver_before": "6.16.13"}, Rule("driver_before", "6.16.13"), "driver_before: 6.16.13"),
    ({"count_from": 3}, Rule("count_from", 3), "count_from: 3"),
]


@pytest.mark.parametrize(("raw", "expected", "text"), GOOD)
def test_a_rule_is_read(raw, expected, text):
    reader = Reader(raw, "f.yml: when[0]")
    rule = Rule.read(reader)
    reader.done()
    assert (rule, rule.text) == (expected, text)


BAD = [
    ({}, f"w: has no rule; write one of {', '.join(KINDS)}"),
    ({"unknown": "holds"}, f"w: has no rule; write one of {', '.join(KINDS)}"),
    ({"seen": "a", "count_from": 2}, "w: has the rules seen and count_from; make each a record of its own"),
    ({"seen": "A b"}, "w.seen: is 'A b', which does not match [a-z0-9]+(?:-[a-z0-9]+)*; write it in that form"),
    ({"kernel_from": 6.11}, "w.kernel_from: is a number, not text; put it in quotes"),
    ({"kernel_from": "6"}, r"w.kernel_from: is '6', which does not match \d+\.\d+(?:\.\d+)?; write it in that form"),
    ({"instinct": "yes"}, "w.instinct: is text, not true or false; write it as true or false"),
    ({"driver_kind": "other"}, "w.driver_kind: is 'other'; choose one of dkms, in_tree"),
    ({"count_from": 0}, "w.count_from: is 0; write a number from 1"),
    ({"followed_by": "a", "within": 0}, "w.within: is 0; write a number from 1"),
    ({"not_followed_by": "a", "within": "60"}, "w.within: is text, not a number; write it as a number"),
    ({"seen": "a", "unknown": "fails"}, "w.unknown: is 'fails'; choose one of holds"),
]


@pytest.mark.parametrize(("raw", "sentence"), BAD)
def test_a_wrong_rule_is_refused(raw, sentence):
    with pytest.raises(DataError) as caught:
        Rule.read(Reader(raw, "w"))
    assert caught.value.sentence == sentence


def test_lines_are_counted_between_lines_alone():
    reader = Reader({"when": [{"seen": "a", "within": 60}]}, "w:")
    with pytest.raises(DataError) as caught:
        reader.records("when", Rule.read)
    assert caught.value.sentence.startswith("w: when[0].within: ")


@pytest.mark.parametrize(("text", "expected"), [
    ("6.8.0-44-generic", (6, 8, 0)), ("6.16.13", (6, 16, 13)), ("5.14.0-427.el9", (5, 14, 0)),
    ("Linux version 6.8.0", None), ("", None), ("6", None),
])
def test_numbers_of_a_version(text, expected):
    assert numbers(text) == expected


@pytest.mark.parametrize(("version", "bound", "expected"), [
    ((6, 8, 0), "6.8", True), ((6, 8), "6.8.0", True), ((6, 11, 0), "6.8", True), ((6, 8, 0), "6.11", False),
    ((6, 16, 6), "6.16.13", False), ((6, 16, 13), "6.16.13", True),
])
def test_versions_are_compared_by_number(version, bound, expected):
    assert at_least(version, bound) is expected
