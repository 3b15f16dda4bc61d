# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks and tables of amd-smi."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.amdsmi_text import (
    aligned,
    blocks,
    columns,
    link_status,
    matrix,
    places,
    tables,
)

BLOCKS = """\
Legend: nothing
GPU: 0
    PROCESS_INFO:
        NAME: a
        MEMORY_USAGE:
            VRAM_MEM: 10 GB
        PID: 1
    PROCESS_INFO:
        PID: 2
    XGMI_ERR: N/A
    not a field

GPU 1:
    BUS:
        BDF: 0000:26:00.0
"""


def test_blocks_nest_by_indent_and_number_what_comes_again() -> None:
    assert blocks(BLOCKS) == [
        {"gpu": 0, "process_info": {"name": "a", "memory_usage": {"vram_mem": "10 GB"}, "pid": "1"},
         "process_info#2": {"pid": "2"}, "xgmi_err": "N/A"},
        {"gpu": 1, "bus": {"bdf": "0000:26:00.0"}},
    ]


def test_tables_are_told_apart_by_their_titles() -> None:
    assert tables("before\nACCESS TABLE:\n a\n\n b\nCURRENT_PARTITION:\nc\n") == {
        "": ["before"], "ACCESS TABLE": [" a", " b"], "CURRENT PARTITION": ["c"]}


def test_cells_stand_below_their_header_and_may_be_empty() -> None:
    assert aligned(["GPU_ID  MODE  CAPS", "0       SPX   NPS1", "              NPS4"]) == [
        {"gpu_id": "0", "mode": "SPX", "caps": "NPS1"}, {"gpu_id": "", "mode": "", "caps": "NPS4"}]
    assert aligned([]) == []


def test_columns_stand_two_blanks_apart() -> None:
    lines = ["GPU  POWER   VRAM_USAGE", "  0  201 W   0.3/192.0 GB", "  1  201 W", "text"]
    assert columns(lines) == [{"gpu": "0", "power": "201 W", "vram_usage": "0.3/192.0 GB"}]
    assert columns(["text"]) == []


def test_matrix_between_gpus() -> None:
    lines = ["             0000:0A:00.0 0000:61:00.0", "0000:0a:00.0 SELF         XGMI", "Legend"]
    assert matrix(lines) == {"0000:0a:00.0": {"0000:0a:00.0": "SELF", "0000:61:00.0": "XGMI"}}
    assert matrix([]) == {}
    assert matrix(["bdf of nothing"]) == {}


def test_states_of_links_and_places_of_gpus() -> None:
    lines = ["bdf  link_status", "GPU0  0000:0A:00.0  X U D", "GPU1  lost", " note"]
    assert link_status(lines) == {"0000:0a:00.0": ("X", "U", "D")}
    assert places(lines) == {0: "0000:0a:00.0"}
