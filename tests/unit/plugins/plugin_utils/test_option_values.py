# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What inventories and the command line may say for a variable, and in which words all else is refused."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.plugin_utils.option_values import value

CHOICE = {"type": "str", "choices": ["dkms", "in_tree"], "default": "dkms"}
CHOICES = {"type": "list", "elements": "str", "choices": ["derived", "unverified"]}
NESTED = {"type": "dict", "options": {"size": {"type": "int", "required": True}, "kind": CHOICE}}
TEXTS = {"type": "list", "elements": "str"}
WRONG = "; correct it in the inventory"
WHOLE = "a whole number from 1 to 4294967294"

# Option, what was given, what it means. Text stands for all types, since "-e name=value" has no other.
GOOD: list[tuple[dict[str, t.Any], t.Any, t.Any]] = [
    (CHOICE, None, "dkms"),
    (CHOICE, "in_tree", "in_tree"),
    ({"type": "str"}, None, None),
    ({"type": "str"}, "", ""),
    ({"type": "str"}, 7.2, "7.2"),
    ({"type": "path"}, "/srv", "/srv"),
    ({}, "x", "x"),
    ({"type": "bool"}, True, True),
    ({"type": "bool"}, "no", False),
    ({"type": "bool"}, 0, False),
    ({"type": "int"}, 900, 900),
    ({"type": "int"}, " 900", 900),
    ({"type": "int"}, 4294967294, 4294967294),
    (TEXTS, ["a", 7], ["a", "7"]),
    (TEXTS, ("a",), ["a"]),
    (TEXTS, "a, b", ["a", "b"]),
    (TEXTS, [], []),
    (CHOICES, ["derived"], ["derived"]),
    ({"type": "dict"}, {"a": 1}, {"a": 1}),
    ({"type": "dict"}, '{"a": 1}', {"a": 1}),
    (NESTED, {"size": "3"}, {"size": 3, "kind": "dkms"}),
    ({"type": "list", "elements": "dict", "options": NESTED["options"]}, [{"size": 1}], [{"size": 1, "kind": "dkms"}]),
]


@pytest.mark.parametrize(("option", "given", "read"), GOOD)
def test_what_is_right_is_read(option: dict[str, t.Any], given: t.Any, read: t.Any) -> None:
    found = value("x", given, option)
    assert (found, type(found)) == (read, type(read))


BAD: list[tuple[dict[str, t.Any], t.Any, str]] = [
    ({"required": True}, None, "x: is not set; set it in the inventory"),
    ({"required": True}, "", "x: is empty; set it in the inventory"),
    (CHOICE, "kernel", "x: is 'kernel'; choose one of dkms, in_tree"),
    ({"type": "str"}, ["a"], "x: is a list, not text" + WRONG),
    ({"type": "str"}, True, "x: is true, not text" + WRONG),
    ({"type": "path"}, {"a": 1}, "x: is a mapping, not a path" + WRONG),
    ({"type": "bool"}, "maybe", "x: is 'maybe', not true or false" + WRONG),
    ({"type": "bool"}, [True], "x: is a list, not true or false" + WRONG),
    ({"type": "bool"}, 7, "x: is 7, not true or false" + WRONG),
    ({"type": "int"}, "soon", f"x: is 'soon', not {WHOLE}{WRONG}"),
    ({"type": "int"}, 1.5, f"x: is 1.5, not {WHOLE}{WRONG}"),
    ({"type": "int"}, True, f"x: is true, not {WHOLE}{WRONG}"),
    ({"type": "int"}, 0, f"x: is 0, not {WHOLE}{WRONG}"),
    ({"type": "int"}, -1, f"x: is -1, not {WHOLE}{WRONG}"),
    ({"type": "int"}, "-1", f"x: is '-1', not {WHOLE}{WRONG}"),
    ({"type": "int"}, 4294967295, f"x: is 4294967295, not {WHOLE}{WRONG}"),
    (TEXTS, 5, "x: is 5, not a list" + WRONG),
    (TEXTS, {"a": True}, "x: is a mapping, not a list" + WRONG),
    (TEXTS, ["a", {"b": 1}], "x[1]: is a mapping, not text" + WRONG),
    (TEXTS, ["a", ""], "x[1]: is empty; set it in the inventory"),
    (CHOICES, ["derived", "sure"], "x[1]: is 'sure'; choose one of derived, unverified"),
    ({"type": "dict"}, "a", "x: is 'a', not a mapping" + WRONG),
    ({"type": "dict"}, [1], "x: is a list, not a mapping" + WRONG),
    (NESTED, {}, "x.size: is not set; set it in the inventory"),
    (NESTED, {"size": 1, "sise": 2}, "x.sise: is not a known key; choose of size, kind"),
    ({"type": "int"}, object, f"x: is type, not {WHOLE}{WRONG}"),
]


@pytest.mark.parametrize(("option", "given", "sentence"), BAD)
def test_what_is_wrong_is_refused_by_its_name(option: dict[str, t.Any], given: t.Any, sentence: str) -> None:
    with pytest.raises(FleetError) as refusal:
        value("x", given, option)
    assert refusal.value.sentence == sentence
