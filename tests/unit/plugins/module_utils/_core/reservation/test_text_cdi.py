# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A specification for container engines with one device for each tenant."""

from __future__ import annotations

import dataclasses as dc

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_cdi import spec
from ansible_collections.instinct.fleet.tests.unit.support.cdi import faults
from ansible_collections.instinct.fleet.tests.unit.support.granted import FIRST, RECORD, RESEARCH, VISION, grant


def test_each_tenant_is_a_device_with_its_nodes_and_masks() -> None:
    found = spec(RECORD)
    assert found is not None and faults(found) == []
    assert (found["kind"], found["containerEdits"]) == (
        "instinct.fleet/gpu", {"deviceNodes": [{"path": "/dev/kfd", "permissions": "rw"}]})
    assert {one["name"]: ([node["path"] for node in one["containerEdits"]["deviceNodes"]], one["containerEdits"].get("env"))
            for one in found["devices"]} == {
        "research": (["/dev/dri/renderD144", "/dev/dri/renderD152"], None),
        "vision": (["/dev/dri/renderD128", "/dev/dri/renderD136", "/dev/dri/renderD144"], ["ROCR_VISIBLE_DEVICES=GPU-0,GPU-1,GPU-2", "HSA_CU_MASK=2:0-227"])}


def test_a_tenant_without_devices_is_none() -> None:
    found = spec(Record((RESEARCH, VISION), (grant("serve", "vision", FIRST),)))
    assert found is not None and [one["name"] for one in found["devices"]] == ["vision"]
    assert "env" not in found["devices"][0]["containerEdits"]
    assert spec(Record((VISION,), (grant("serve", "vision", dc.replace(FIRST, render_node=None)),))) is None
