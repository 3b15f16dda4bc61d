# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of faults; that it is up to date is seen to in tests/unit/roles/test_derived.py."""

from __future__ import annotations

import importlib.util
import sys
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import DOMAINS
from ansible_collections.instinct.fleet.tests.unit.support.faults import fault
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, data, files

sys.path.insert(0, str(ROOT / "tests" / "tools"))
_spec = importlib.util.spec_from_file_location("fault_page", ROOT / "tests" / "tools" / "fault_page.py")
assert _spec and _spec.loader
fault_page = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fault_page)

FAULTS: list[t.Any] = [record for path in files("roles/gpu_health/files/diagnosis/faults/*.yml")
                       for record in t.cast("dict[str, t.Any]", data(path))["faults"]]


def test_every_fault_has_a_row_under_who_has_to_act() -> None:
    sections = dict(part.split("\n", 1) for part in fault_page.page(FAULTS).split("\n## ")[1:])
    assert set(fault_page.DOMAINS) == set(DOMAINS)
    for domain, title in fault_page.DOMAINS.items():
        ids = [record["id"] for record in FAULTS if record["domain"] == domain]
        assert [line.split("`")[1] for line in sections[title].splitlines() if line.startswith("| `")] == ids


ROWS = [
    ({}, "-"),
    ({"products": ["MI210", "MI250"]}, "on MI210, MI250"),
    ({"not_products": ["MI300A"], "when": [{"seen": "bar"}]}, "not on MI300A, seen `bar`"),
    ({"when": [{"not_followed_by": "bar"}, {"virtual_function": False, "unknown": "holds"}]},
     "not followed by `bar`, virtual function `false` or not known"),
    ({"when": [{"followed_by": "bar", "within": 60}]}, "followed by `bar` within 60 lines"),
    ({"when": [{"kernel_from": "7.2"}, {"count_from": 3}]}, "kernel from `7.2`, count from `3`"),
]


@pytest.mark.parametrize(("change", "rules"), ROWS)
def test_a_row_says_what_must_hold(change: dict[str, t.Any], rules: str) -> None:
    assert fault_page.row(fault(title="lost | found", **change)) == (
        f"| `gpu-lost` lost \\| found | kernel | {rules} | error | fail | A cause. | Do something. "
        "| https://example.com/1 (documented) |\n")
