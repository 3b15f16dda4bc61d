# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The GPU part alone, and its documentation against that of the whole."""

from __future__ import annotations

import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as look
from ansible_collections.instinct.fleet.plugins.modules import gpu_info, gpu_node_info
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module


def test_only_the_sections_about_gpus() -> None:
    result = run_module(gpu_info, {})
    assert (result["failed"], result["changed"]) == (False, False)
    assert {name for name in look.ALL_SECTIONS if result["look"][name] is not None} == set(look.GPU_SECTIONS)


def test_health_is_read_when_it_is_asked_for() -> None:
    seen = run_module(gpu_info, {"health": True})["look"]
    assert {name for name in look.ALL_SECTIONS if seen[name] is not None} == {*look.GPU_SECTIONS, "health"}


def test_refusal_of_a_timeout() -> None:
    assert run_module(gpu_info, {"timeout": 0})["msg"] == "timeout: 0 is too short; give at least 1 second"


def test_documentation_is_that_of_the_whole() -> None:
    whole, part = (yaml.safe_load(module.RETURN)["look"]["contains"] for module in (gpu_node_info, gpu_info))
    assert set(part) == {"schema", "elapsed_ms", "health", *look.GPU_SECTIONS}
    for name in (*look.GPU_SECTIONS, "health"):
        assert {**part[name], "returned": ""} == {**whole[name], "returned": ""}
    assert [part[name] for name in ("schema", "elapsed_ms")] == [whole[name] for name in ("schema", "elapsed_ms")]
