# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The end table: rows, counts, and how it looks at several widths."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.report import (
    Row,
    counts,
    plain,
    row,
    summary,
    table,
)

REPORT = {
    "gpus": "8 x MI300X",
    "wanted": "rocm-7.0.2",
    "found": "rocm-6.4.2",
    "changed": ["install amdgpu-dkms 1:6.14", "hold amdgpu-dkms"],
    "verdict": "as wanted",
    "reboot_required": False,
    "notes": ["a window was not checked"],
    "complete": True,
}
CHANGED = ("install amdgpu-dkms 1:6.14", "hold amdgpu-dkms")
NOTES = ("a window was not checked",)
WHOLE = Row("a", "8 x MI300X", "rocm-7.0.2", "rocm-6.4.2", CHANGED, "as wanted", False, NOTES)

ROWS: dict[str, tuple[dict[str, t.Any] | None, tuple[str, str] | None, bool, Row]] = {
    "reported": (REPORT, None, True, WHOLE),
    "recovered from a failure": (REPORT, ("failed", "trial build"), True, WHOLE),
    "failed before it reported": (None, ("failed", "no release"), False, Row("a", verdict="failed: no release")),
    "unreachable without reason": (None, ("unreachable", ""), False, Row("a", verdict="unreachable")),
    "left the play, nobody said why": (None, None, False, Row("a", verdict="failed or unreachable")),
    "in the play and silent": (None, None, True, Row("a", verdict="no report")),
    "one word for a list": ({"changed": "x", "notes": None}, None, True, Row("a", changed=("x",))),
    "failed on the way": (
        {"planned": ["a", "b", "c"], "proved": ["a"], "changed": ["a", "c"], "verdict": "changing"}, ("failed", "x"), False,
        Row("a", changed=("a",), verdict="failed: x", complete=False)),
    "failed after the last step": (
        {"planned": ["a"], "proved": ["a"], "changed": ["a"]}, ("failed", "x"), False,
        Row("a", changed=("a",), verdict="failed: x")),
    "control characters": ({"found": "r\x1b[31m\n7"}, None, True, Row("a", found="r [31m 7")),
    "reboot": ({"verdict": "reboot needed: k", "reboot_required": True}, None, True,
               Row("a", verdict="reboot needed: k", reboot_required=True)),
}  # fmt: skip


@pytest.mark.parametrize(("report", "ending", "in_play", "wanted"), ROWS.values(), ids=ROWS)
def test_row(report: dict[str, t.Any] | None, ending: tuple[str, str] | None, in_play: bool, wanted: Row) -> None:
    assert row("a", report, ending, in_play) == wanted


def test_row_as_plain_data() -> None:
    assert WHOLE.to_dict() == {"node": "a", **REPORT}


def test_counts_and_summary_go_by_the_words_before_the_colon() -> None:
    rows = [Row("a", verdict="failed: x"), Row("b", verdict="as wanted"), Row("c", verdict="failed: y")]
    assert counts(rows) == {"failed": 2, "as wanted": 1}
    assert summary(rows) == "3 nodes: 2 failed, 1 as wanted"
    assert summary(rows[:1]) == "1 node: 1 failed"


ROWS_SHOWN = [
    WHOLE,
    Row("node-b", "8 x MI300X", "rocm-7.0.2", "rocm-6.4.2", WHOLE.changed, "as wanted"),
    Row("node-c", verdict="failed: 6.12: amdgpu-dkms does not build: class_create"),
    Row("node-d", "4 x MI210", "rocm-7.0.2", "rocm-7.0.2", ("hold rocm-core",), "as wanted"),
]
WIDE = """\
node    GPUs        release wanted  release found  changed    verdict
------  ----------  --------------  -------------  ---------  ------------------------------------------------------
a       8 x MI300X  rocm-7.0.2      rocm-6.4.2     2 changes  as wanted
node-b  8 x MI300X  rocm-7.0.2      rocm-6.4.2     2 changes  as wanted
node-c  -           -               -              nothing    failed: 6.12: amdgpu-dkms does not build: class_create
node-d  4 x MI210   rocm-7.0.2      rocm-7.0.2     1 change   as wanted

changes on a, node-b:
  install amdgpu-dkms 1:6.14
  hold amdgpu-dkms

changes on node-d:
  hold rocm-core

notes on a:
  a window was not checked

4 nodes: 3 as wanted, 1 failed"""
NARROW = """\
node    GPUs        release wanted  release found  changed    verdict
------  ----------  --------------  -------------  ---------  ------------------------
a       8 x MI300X  rocm-7.0.2      rocm-6.4.2     2 changes  as wanted
node-b  8 x MI300X  rocm-7.0.2      rocm-6.4.2     2 changes  as wanted
node-c  -           -               -              nothing    failed: 6.12:
                                                              amdgpu-dkms does not
                                                              build: class_create
node-d  4 x MI210   rocm-7.0.2      rocm-7.0.2     1 change   as wanted
"""
BLOCKS = """\
node-c
  GPUs: -
  release wanted: -
  release found: -
  changed: nothing
  verdict: failed: 6.12: amdgpu-dkms
    does not build: class_create

1 node: 1 failed"""


def test_table_in_full_width() -> None:
    assert table(ROWS_SHOWN, 160) == WIDE


def test_table_wraps_the_widest_column() -> None:
    assert table(ROWS_SHOWN, 86).startswith(NARROW)


def test_table_becomes_blocks_where_it_does_not_fit() -> None:
    assert table(ROWS_SHOWN[2:3], 40) == BLOCKS


@pytest.mark.parametrize("width", [0, 40, 61, 79, 80, 100, 120, 200])
def test_table_is_never_wider_and_has_no_trailing_blanks(width: int) -> None:
    lines = table(ROWS_SHOWN, width).splitlines()
    assert max(map(len, lines)) <= max(width, 40)
    assert [line for line in lines if line != line.rstrip()] == []


def test_table_of_nobody() -> None:
    assert table([], 80) == "no nodes"


@pytest.mark.parametrize(
    ("text", "wanted"), [(" a\tb ", "a b"), ("\x1b]0;x\x07y", "]0;x y"), ("\x9b2J", "2J"), (7, "7"), ("ä", "ä")]
)
def test_plain(text: object, wanted: str) -> None:
    assert plain(text) == wanted


@pytest.mark.parametrize(
    ("item", "cell"),
    [
        (Row("a"), "nothing"),
        (Row("a", changed=("x",)), "1 change"),
        (Row("a", changed=("x", "y"), complete=False), "2 changes or more"),
        (Row("a", complete=False), "not known"),
    ],
)
def test_what_is_not_known_to_be_all_says_so(item: Row, cell: str) -> None:
    assert f"  {cell}  " in table([item], 160).splitlines()[2]
