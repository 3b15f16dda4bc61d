# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The published schema of CDI judges here: the machine that tests has fetched it (tests/tools/foreign)."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.tests.unit.support import cdi

SPEC: dict[str, t.Any] = {"cdiVersion": "0.6.0", "kind": "amd.com/gpu", "devices": [{"name": "0", "containerEdits": {}}]}


def test_the_published_schema_is_here() -> None:
    assert {"cdiVersion", "kind", "devices"} <= set((cdi.published() or {})["properties"])


def test_what_it_alone_refuses_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cdi, "SCHEMA", {})
    wrong = {**SPEC, "devices": [{"name": "0", "containerEdits": {"deviceNodes": [{"path": 7}]}}]}
    assert any(fault.startswith("published: $.devices[0]") for fault in cdi.faults(wrong))
