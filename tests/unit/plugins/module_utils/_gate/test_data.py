# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role writes is what the agent reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.health.sample import Wanted
from ansible_collections.instinct.fleet.plugins.module_utils._gate.data import read
from ansible_collections.instinct.fleet.plugins.plugin_utils import diagnosis_files, gate_data, node_data


@pytest.mark.parametrize(("wanted", "quarantine", "expected"), [
    ({}, None, Wanted()), ({"gpus": 4, "compute_partition": None, "memory_partition": "NPS4"}, True, Wanted(4, None, "NPS4")), ({}, False, Wanted())])
def test_read(tmp_path: Path, wanted: dict[str, object], quarantine: bool | None, expected: Wanted) -> None:
    path = tmp_path / "data.json"
    path.write_text(json.dumps(gate_data.agent((), "running", wanted, quarantine)), encoding="utf-8")
    data = read(str(path))
    assert (data.profile, data.wanted, data.quarantine) == ("running", expected, quarantine)
    assert data.faults == diagnosis_files.read(()).faults
    assert [product.name for product in data.products] == [product.name for product in node_data.products()]
    assert [path for path, _document in data.profiles] == ["profiles/admission.yml", "profiles/burn_in.yml", "profiles/running.yml"]
