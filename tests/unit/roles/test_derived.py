# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is derived from other files is as it would be written now."""

from __future__ import annotations

import importlib.util
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

_spec = importlib.util.spec_from_file_location("derive", ROOT / "tests" / "tools" / "derive.py")
assert _spec and _spec.loader
derive = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(derive)

DERIVED: dict[Path, str] = derive.derived()


@pytest.mark.parametrize("path", sorted(DERIVED), ids=lambda p: str(p.relative_to(ROOT)))
def test_derived_file_is_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == DERIVED[path], "run 'make docs'"


ROWS: list[tuple[str, dict[str, t.Any], list[str]]] = [
    ("required", {"a": {"type": "str", "required": True, "description": "One."}}, ["| `a` | str | required | One. |"]),
    ("no default", {"a": {"description": "One."}}, ["| `a` | str |  | One. |"]),
    ("string", {"a": {"default": "dkms", "description": "V(x) | C(y)"}}, ["| `a` | str | `dkms` | `x` \\| `y` |"]),
    ("empty list", {"a": {"type": "list", "elements": "path", "default": [], "description": ["One.", "Two."]}},
     ["| `a` | list of path | `[]` | One. Two. |"]),
    ("false", {"a": {"type": "bool", "default": False, "description": "One."}}, ["| `a` | bool | `false` | One. |"]),
    ("choices", {"a": {"choices": ["p", "q"], "default": "p", "description": "One."}},
     ["| `a` | str | `p` | One. One of `p`, `q`. |"]),
    ("sub-options",
     {"a": {"type": "dict", "description": "One.", "options": {"b": {"type": "int", "description": "Two."}}}},
     ["| `a` | dict |  | One. |", "| `a.b` | int |  | Two. |"]),
]


@pytest.mark.parametrize(("options", "expected"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS])
def test_rows_say_all_of_an_option(options: dict[str, t.Any], expected: list[str]) -> None:
    assert list(derive.rows(options)) == expected


def test_entry_points_with_the_same_variables_share_a_table() -> None:
    spec = {"short_description": "Do it", "description": "Does it.", "options": {"a": {"description": "One."}}}
    bare = {"short_description": "No", "description": "None."}
    table = derive.role_table({"main": spec, "again": spec, "bare": bare})
    assert table.count("| `a` |") == 1
    assert "### `again`: Do it\n\nDoes it.\n\nThe variables of `main`." in table
    assert table.endswith("### `bare`: No\n\nNone.\n\nNo variables.")
