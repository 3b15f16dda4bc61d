# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of any width; what they hold is tested with the tables that are made of them."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import grid

ROWS = [("node-1", "as wanted"), ("node-2", "refused: the catalogue has no release rocm-0")]


def test_a_table_with_room_has_one_line_for_each_row() -> None:
    assert grid.table(("node", "verdict"), ROWS, 80) == [
        "node    verdict",
        "------  --------------------------------------------",
        "node-1  as wanted",
        "node-2  refused: the catalogue has no release rocm-0",
    ]


def test_a_narrow_table_wraps_its_widest_column() -> None:
    assert grid.table(("node", "verdict"), ROWS, 40)[3:] == [
        "node-2  refused: the catalogue has no",
        "        release rocm-0",
    ]


def test_a_table_that_does_not_fit_becomes_blocks() -> None:
    many = tuple(f"a column of words {number}" for number in range(4))
    assert grid.table(many, [many], 40)[:2] == [many[0], f"  {many[1]}: {many[1]}"[:40].rstrip()]


@pytest.mark.parametrize("width", [0, 40, 55, 160])
def test_no_line_is_wider_than_the_output(width: int) -> None:
    lines = grid.table(("node", "verdict"), ROWS, width)
    lines += grid.grouped("steps on", [(f"node-{number}", ("hold amdgpu-dkms, linux-image",)) for number in range(30)], width)
    assert max(map(len, lines)) <= max(width, grid.LEAST)


def test_words_in_common_are_said_once() -> None:
    words = [("a", ("one", "two")), ("b", ()), ("c", ("one", "two")), ("d", ("two",))]
    assert grid.grouped("steps on", words, 80) == ["", "steps on a, c:", "  one", "  two", "", "steps on d:", "  two"]


@pytest.mark.parametrize(
    ("many", "named"),
    [(12, "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"), (13, "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, and 2 more"),
     (300, "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, and 289 more")],
)
def test_of_many_nodes_the_first_are_named(many: int, named: str) -> None:
    assert grid.grouped("steps on", [(str(number), ("one",)) for number in range(many)], 200)[1] == f"steps on {named}:"


def test_what_a_host_says_does_not_steer_the_terminal() -> None:
    assert grid.plain(" a\x1b[2J\nb ") == "a [2J b"
