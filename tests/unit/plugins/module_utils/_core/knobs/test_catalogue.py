# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file of knobs: its form, and what it says of the settings that operators wrote down."""

from __future__ import annotations

import copy
import functools
import json
from typing import Any

import jsonschema
import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.knobs.catalogue import (
    LOOKED_FOR,
    Knobs,
    names,
    read_document,
)
from ansible_collections.instinct.fleet.tests.unit.support.mutants import accepts, mutants
from ansible_collections.instinct.fleet.tests.unit.support.preconditions import DATA

SCHEMA = json.loads((DATA / "schema/knobs.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
RECORD: dict[str, Any] = {
    "id": "knob-a", "name": "HSA_A", "kind": "environment", "status": "exists", "what": "w", "products": ["MI300X"],
    "rocm_from": "6.0.0", "rocm_before": "7.13.0", "cooperative": True, "value": "[01]", "form": "0 or 1", "idle_values": ["2"],
    "advice": "a", "soft": "s", "hard": "h", "sources": ["x"], "confidence": "derived"}
MODULE = {"module": "amdgpu", "load_time": ["dc"], "run_time": ["noretry"], "sources": ["y"], "confidence": "documented"}


def document(*records: dict[str, Any], path: str = "f.yml", layer: int = 0) -> dict[str, Any]:
    """A file with these records."""
    data = {"version": "v1", "kind": "knobs", "module_parameters": [MODULE], "knobs": list(records)}
    return {"path": path, "data": copy.deepcopy(data), "layer": layer}


@functools.cache
def own() -> tuple[dict[str, Any], ...]:
    """Our own file, as it is read on the controller."""
    return ({"path": "knobs.yml", "data": yaml.safe_load((DATA / "knobs.yml").read_text(encoding="utf-8")), "layer": 0},)


def test_our_own_file_is_accepted_by_schema_and_reader():
    VALIDATOR.check_schema(SCHEMA)
    data = own()[0]["data"]
    assert list(VALIDATOR.iter_errors(data)) == []
    assert len(Knobs.from_documents(own()).by_id) == len(data["knobs"]) > 80


def test_schema_and_reader_accept_the_same_files():
    data = document(RECORD)["data"]
    assert [done for done, mutant in mutants(data) if VALIDATOR.is_valid(mutant) != accepts(read_document, mutant)] == []


REFUSED = [
    ("no source", {"sources": []}, "f.yml: knobs[0].sources: is empty: a fact without a source is none; say where it is from"),
    ("a pattern that is none", {"value": "("},
     "f.yml: knobs[0].value: is no regular expression: missing ), unterminated subpattern at position 0; correct it"),
    ("a pattern without words", {"form": ""}, "f.yml: knobs[0].form: goes with value; give both or neither"),
    ("misnamed, and nothing else", {"status": "misnamed", "soft": "", "hard": ""},
     "f.yml: knobs[0].soft: is missing, and so is hard; say what it is called"),
    ("a ROCm that there cannot be", {"rocm_from": "30.10"},
     "f.yml: knobs[0].rocm_from: '30.10' is not a ROCm version; numbers from 30.10 on are driver releases, not ROCm versions"),
]


@pytest.mark.parametrize(("change", "sentence"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_a_file_that_is_not_right_is_refused(change, sentence):
    with pytest.raises(DataError) as refused:
        Knobs.from_documents([document(RECORD | change)])
    assert refused.value.sentence == sentence


def test_an_id_is_there_once_in_a_layer_and_a_site_replaces_ours():
    with pytest.raises(DataError) as refused:
        Knobs.from_documents([document(RECORD), document(RECORD, path="g.yml")])
    assert refused.value.sentence == "g.yml: knobs[0].id: 'knob-a' is also f.yml: knobs[0]; rename one"
    found = Knobs.from_documents([document(RECORD), document(RECORD | {"what": "of the site"}, layer=1)])
    assert found.by_id["knob-a"].what == "of the site"


def test_names_are_those_that_a_node_is_searched_for():
    found = names(own())
    assert {"name": "HSA_QUEUE_PRIORITY", "kind": "environment"} in found
    assert {"name": "rocm-profiler", "kind": "package"} not in found
    assert {item["kind"] for item in found} == set(LOOKED_FOR)


def test_no_two_knobs_have_the_same_name():
    knobs = Knobs.from_documents(own())
    assert len(knobs.by_name) == len(knobs.by_id)


# What operators wrote down, as the sources have it.
REALITY = [
    ("/etc/rocprofiler/device_filter.conf", "does_nothing"), ("/etc/rocprofiler/quality_of_service.conf", "does_nothing"),
    ("HSA_QUEUE_PRIORITY", "does_nothing"), ("HIP_PRECISION_MODE", "does_nothing"), ("HSA_AMD_PRECISION_LEVEL", "does_nothing"),
    ("HIP_MAX_COMPUTE_UNITS", "does_nothing"), ("HSA_AMD_SDMA_MAX_WORKGROUP_SIZE", "does_nothing"), ("HSA_ENABLE_SDMA", "exists"),
    ("HSA_CU_MASK", "exists"), ("ROC_GLOBAL_CU_MASK", "exists"), ("ROCR_VISIBLE_DEVICES", "exists"), ("GPU_MAX_HW_QUEUES", "exists"),
    ("HIP_LAUNCH_BLOCKING", "exists"), ("rocm-smi --setmigmode", "does_nothing"), ("rocm-smi --partition", "does_nothing"),
    ("rocm-smi --setcomputeunits", "does_nothing"), ("rocm-smi --setxgmidpm", "does_nothing"), ("rocm-smi --resetpcie", "does_nothing"),
    ("rocm-smi --setcomputepartition", "exists"), ("rocm-smi --setmemorypartition", "exists"), ("xgmi_credit_limit", "does_nothing"),
    ("/sys/module/amd_iommu/parameters/io_page_table_cache", "does_nothing"), ("amdgpu.vm_fragment_size", "exists"),
    ("amdgpu.noretry", "exists"), ("power_dpm_force_performance_level", "exists"), ("pp_dpm_sclk", "exists"),
    ("rocm-profiler", "misnamed"), ("rocm-bandwidth-test", "exists"), ("amdgpu.xgmi", "does_nothing"),
]


@pytest.mark.parametrize(("name", "status"), REALITY)
def test_what_operators_wrote_down(name, status):
    knob = next(k for k in Knobs.from_documents(own()).by_id.values() if k.name == name)
    assert knob.status == status
    assert status == "exists" or knob.soft or knob.hard


WHYS = [
    ({}, "remove it; what does it: among programs that cooperate, s; enforced, h"),
    ({"advice": ""}, "what does it: among programs that cooperate, s; enforced, h"),
    ({"status": "removed", "soft": "", "hard": ""}, "remove it; nothing does it"),
    ({"status": "does_nothing", "soft": ""}, "remove it; what does it: enforced, h"),
]


@pytest.mark.parametrize(("change", "remedy"), WHYS)
def test_the_remedy_names_what_does_it(change, remedy):
    why = Knobs.from_documents([document(RECORD | change)]).by_id["knob-a"].why
    assert (why.cause, why.remedy, why.sources, why.confidence) == ("w", remedy, ("x",), "derived")


def test_parameters_of_modules():
    found = Knobs.from_documents(own()).parameters["amdgpu"]
    assert {"vm_fragment_size", "use_xgmi_p2p", "runpm"} <= set(found.load_time)
    assert {"noretry", "no_system_mem_limit"} <= set(found.run_time)
    assert set(found.load_time) & set(found.run_time) == set()
