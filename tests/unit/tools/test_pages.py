# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages of docs that are written from data; that they are up to date is seen to in tests/unit/roles/test_derived.py."""

from __future__ import annotations

import importlib.util
import typing as t

import pytest

from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, data

_spec = importlib.util.spec_from_file_location("pages", ROOT / "tests" / "tools" / "pages.py")
assert _spec and _spec.loader
pages = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pages)

PRECONDITIONS: t.Any = data("roles/gpu_health/files/diagnosis/preconditions.yml")
KNOBS: t.Any = data("roles/gpu_health/files/diagnosis/knobs.yml")


def test_every_precondition_has_a_row_and_a_section() -> None:
    text = pages.preconditions(PRECONDITIONS)
    for record in PRECONDITIONS["preconditions"]:
        assert f"](#{record['id']}) |" in text
        assert f"\n## {record['id']}\n" in text


def test_every_knob_has_a_row_under_what_it_is() -> None:
    sections = dict(part.split("\n", 1) for part in pages.knobs(KNOBS).split("\n## ")[1:])
    for status, title in pages.STATES:
        names = [knob["name"] for knob in KNOBS["knobs"] if knob["status"] == status]
        assert sections[title].count("\n| `") == len(names)
        assert [name for name in names if f"| `{name}` |" not in sections[title]] == []
    assert "`vm_fragment_size`" in sections["Parameters of amdgpu"]


WANTED = [
    ({}, ""),
    ({"wanted": [{"values": {"mode": "identity"}}]}, "mode `identity`"),
    ({"wanted": [{"values": {"mode": "identity"}}, {"products": ["MI300A"], "values": {"mode": "off"}}]},
     "mode `identity`; MI300A: mode `off`"),
    ({"wanted": [{"profiles": ["rdma"], "products": ["MI210"], "values": {"a": 1, "b": ["c", "d"]}}]},
     "rdma, MI210: a `1`, b `c, d`"),
]


@pytest.mark.parametrize(("record", "text"), WANTED)
def test_what_is_wanted_and_for_whom(record: dict[str, t.Any], text: str) -> None:
    assert pages.wanted(record) == text


KNOB = {"name": "A", "kind": "kernel_parameter", "status": "exists", "what": "It|is.", "sources": ["x", "y"], "confidence": "derived"}
CELLS = [
    ({}, "| `A` | kernel parameter | It\\|is. | - | - | x; y (derived) |"),
    ({"form": "0 or 1", "idle_values": ["on"], "advice": "it hurts", "soft": "s", "hard": "h"},
     "| `A` | kernel parameter | It\\|is. Value: 0 or 1. Changes nothing: on. Better not: it hurts. | s | h | x; y (derived) |"),
    ({"products": ["MI210", "MI300X"], "rocm_from": "6.0.0", "rocm_before": "7.0.0"},
     "| `A` | kernel parameter | It\\|is. On MI210, MI300X alone. From ROCm 6.0.0 on. Before ROCm 7.0.0. | - | - | x; y (derived) |"),
]


@pytest.mark.parametrize(("change", "row"), CELLS)
def test_a_row_says_all_of_a_knob(change: dict[str, t.Any], row: str) -> None:
    assert row in pages.knobs({"knobs": [KNOB | change], "module_parameters": []}).splitlines()
