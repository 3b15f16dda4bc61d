# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped catalogue of faults: each has lines that are it, and lines that only look like it; healthy logs have none.

samples/*.yml: ``{id: {match: [...], near: [...]}}``. A sample is a log as text, or ``{log, node, also}``: what else is
known of the node, and other faults that the log shows beside this one.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.catalogue import WHERE
from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.find import find
from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.scan import Scan
from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import Finding
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import klog, plainlog
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.log import Log
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Driver, Gpu, Gpus, Kernel, Look
from ansible_collections.instinct.fleet.plugins.plugin_utils import diagnosis_files
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import own
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, data, files

HERE = "tests/unit/plugins/module_utils/_core/faults"
FILES = {path.rsplit("/", 1)[1]: data(path) for path in files(f"{HERE}/samples/*.yml")}
SAMPLES: dict[str, Any] = {ident: kinds for records in FILES.values() for ident, kinds in records.items()}
KNOWN = diagnosis_files.read().faults
FRESH = {where: Scan(KNOWN.patterns(), where, "a log") for where in WHERE}  # to be copied: made anew each is slow


def samples(kind: str) -> list[Any]:
    """Each sample of a kind as (id of its fault, sample), named by both."""
    return [pytest.param(ident, sample if isinstance(sample, dict) else {"log": sample}, id=f"{ident}-{number}")
            for ident, kinds in SAMPLES.items() for number, sample in enumerate(kinds[kind])]


def look(log: bytes, where: str, node: dict[str, Any]) -> Look:
    """A look that read one log, at a node of which nothing else is known than what is given."""
    scan = copy.deepcopy(FRESH[where])
    for line in (klog if where == "kernel" else plainlog).lines([log]):
        scan.feed(line)
    read, hits = scan.result()
    gpu = Gpu(0, node.get("bdf", "0000:05:00.0"), "", node.get("product"),
              virtual_function=node.get("virtual_function"))
    return Look(
        log=Log((read,), hits), kernel=Kernel(running=node["kernel"]) if "kernel" in node else None,
        driver=Driver(loaded=node["loaded"]) if "loaded" in node else None,
        gpus=Gpus((gpu,)) if "product" in node else None)


def found(sample: dict[str, Any], where: str) -> tuple[Finding, ...]:
    """What the catalogue finds in a sample; each line of a kernel log has a stamp, as in a real one."""
    lines = sample["log"].splitlines()
    if where == "kernel":
        lines = [f"[{number + 12:5}.345678] {line}" for number, line in enumerate(lines)]
    text = "".join(f"{line}\n" for line in lines)
    return find(look(text.encode(), where, sample.get("node", {})), KNOWN, own().products)


@pytest.mark.parametrize("ident", sorted(KNOWN.faults))
def test_every_fault_has_samples_of_both_kinds(ident):
    assert {kind: bool(SAMPLES[ident][kind]) for kind in SAMPLES[ident]} == {"match": True, "near": True}


def test_samples_are_of_faults_that_there_are_and_lie_as_those_do():
    of_data = {path.rsplit("/", 1)[1]: [record["id"] for record in data(path)["faults"]]
               for path in files("roles/gpu_health/files/diagnosis/faults/*.yml")}
    assert {name: list(records) for name, records in FILES.items()} == of_data


@pytest.mark.parametrize(("ident", "sample"), samples("match"))
def test_a_sample_is_this_fault_and_no_other(ident, sample):
    findings = found(sample, KNOWN.faults[ident].where)
    assert sorted(f.id for f in findings) == sorted([ident, *sample.get("also", ())])
    assert "unknown" not in next(f for f in findings if f.id == ident).summary


@pytest.mark.parametrize(("ident", "sample"), samples("near"))
def test_a_near_miss_is_not_this_fault(ident, sample):
    assert ident not in [f.id for f in found(sample, KNOWN.faults[ident].where)]


@pytest.mark.parametrize("ident", sorted(KNOWN.faults))
def test_every_pattern_of_a_fault_has_a_sample(ident):
    fault = KNOWN.faults[ident]
    for pattern in fault.patterns:
        record = {"id": ident, "where": fault.where, "words": fault.words, "patterns": [pattern]}
        scan = Scan([record], fault.where, "a log")
        for sample in SAMPLES[ident]["match"]:
            for line in (sample["log"] if isinstance(sample, dict) else sample).splitlines():
                scan.feed(line)
        assert scan.result()[1], pattern


def in_steps(ident: str) -> set[str]:
    """Faults that follow from one, directly or in steps."""
    found: set[str] = set()
    rest = [ident]
    while rest:
        new = {other for other in KNOWN.faults[rest.pop()].explains if other in KNOWN.faults} - found
        found |= new
        rest += sorted(new)
    return found


@pytest.mark.parametrize("ident", sorted(ident for ident, fault in KNOWN.faults.items() if fault.domain == "workload"))
def test_a_program_is_never_why_the_node_is_taken_out_of_work(ident):
    """What to do about it is to leave the node in work, which would stand above a GPU that does not work."""
    assert [other for other in sorted(in_steps(ident)) if KNOWN.faults[other].gate == "fail"] == []


@pytest.mark.parametrize("path", files(f"{HERE}/healthy/*.log"))
def test_a_healthy_log_has_nothing_above_info(path):
    log = (ROOT / path).read_bytes()
    findings = find(look(log, "kernel", {}), KNOWN, own().products)
    assert [(f.id, f.severity, f.evidence) for f in findings if f.severity != "info"] == []
