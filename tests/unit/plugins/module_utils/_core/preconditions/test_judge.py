# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a look to checks, and from checks to findings."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import DOMAINS, NODE, SEVERITIES
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.gpus import Link
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Look
from ansible_collections.instinct.fleet.plugins.module_utils._core.preconditions.catalogue import Preconditions
from ansible_collections.instinct.fleet.plugins.module_utils._core.preconditions.judge import check, findings
from ansible_collections.instinct.fleet.tests.unit.support.preconditions import (
    GOOD,
    GPU,
    KERNEL,
    NEXT,
    but,
    checks,
    device,
    documents,
    gpu,
    on_disk,
)

PROFILES = [("bare_metal",), ("bare_metal", "rdma"), ("bare_metal", "hpc"), ("bare_metal", "rdma", "hpc")]


@pytest.mark.parametrize("profiles", PROFILES)
def test_a_host_that_gives_all_passes(profiles):
    assert [(c.id, c.verdict) for c in checks(GOOD, profiles) if c.verdict != "pass"] == []
    assert findings(checks(GOOD, profiles), documents()) == ()


def test_each_profile_adds_its_own():
    ids = [{c.id for c in checks(GOOD, profiles)} for profiles in PROFILES]
    assert ids[1] - ids[0] == {"acs", "argument-iommu-pt", "kernel-p2p", "memlock", "numa-balancing"}
    assert ids[2] - ids[0] == {"memlock", "numa-balancing"}
    assert ids[3] == ids[1]


def test_of_nothing_all_is_unknown_with_a_reason():
    found = check(Look(), documents(), ("bare_metal",))
    assert len(found) > 30
    assert {c.verdict for c in found} <= {"unknown"}
    assert [c.id for c in found if not c.seen or c.wanted] == []
    assert findings(found, documents()) == ()


def test_opposites_are_refused():
    with pytest.raises(FleetError) as refused:
        checks(GOOD, ("rdma", "passthrough"))
    assert refused.value.where.startswith("host profiles rdma and passthrough")


def test_severity_makes_the_verdict_and_the_record_the_rest():
    look = but(host=device(GPU, bars_unplaced=(1 << 38,)), repositories={"unattended_upgrades": True})
    found = {c.id: c for c in checks(look) if c.verdict not in ("pass", "unknown")}
    assert {ident: (c.verdict, c.subject) for ident, c in found.items()} == {
        "bar-space": ("fail", GPU), "packages-unattended": ("warn", NODE)}
    bars, unattended = findings(tuple(found.values()), documents())
    assert (bars.kind, bars.severity, bars.domain, bars.subject, bars.scope) == ("precondition", "critical", "pcie", GPU, "gpu")
    assert bars.summary == (f"{GPU} has no address for its memory windows (BARs) of 256 GiB "
                            "(wanted: an address for each memory window (BAR))")
    assert bars.evidence == (f"{GPU} has no address for its memory windows (BARs) of 256 GiB",)
    assert "driver-loaded" in bars.explains
    assert "Above 4G Decoding" in bars.why.remedy
    assert (unattended.severity, unattended.domain) == ("warning", "packages")


def test_a_kernel_without_a_build_explains_all_that_follows():
    look = but(kernel={"running": NEXT, "next_boot": NEXT}, gpus=gpu(driver=None, partitions=()), devices={"nodes": ()},
               driver={"loaded": False, "version": None, "on_disk": (on_disk(KERNEL), on_disk(NEXT, "in_tree"))})
    found = {f.id: f for f in findings(checks(look), documents())}
    assert "kernel 6.8.0-44-generic has no amdgpu build" in found["driver-build"].summary
    assert {"driver-loaded", "gpu-driver"} <= set(found) & set(found["driver-build"].explains)


def test_checks_of_others_are_left_alone():
    other = dc.replace(checks(GOOD)[0], id="ecc-uncorrectable", verdict="fail")
    assert findings((other,), documents()) == ()


def test_a_gpu_of_each_product_is_held_against_its_own():
    link = Link(16, 16, 16000, 16000)
    look = but(host={"devices": tuple(dc.replace(d, link=link) for d in GOOD.host.devices)})
    speeds = [{c.id: c.verdict for c in checks(but(look, gpus=gpu(product=name)))}["pcie-speed"] for name in ("MI210", "MI300X")]
    assert speeds == ["pass", "warn"]


@pytest.mark.parametrize(("profile", "product", "begins"), [
    ("bare_metal", "MI300X", "enable the IOMMU in the BIOS and boot with iommu=pt"),
    ("bare_metal", "MI300A", "turn the IOMMU off in the BIOS"),
    ("passthrough", "MI300X", "enable the IOMMU in the BIOS, and boot without iommu=off"),
])  # fmt: skip
def test_the_remedy_is_that_of_the_product_and_of_what_the_host_is_for(profile, product, begins):
    (one,) = (c for c in checks(but(gpus=gpu(product=product)), (profile,)) if c.id == "iommu")
    assert one.why.remedy.startswith(begins)


def test_files_may_be_read_once_for_many_nodes():
    read = Preconditions.from_documents(documents())
    assert check(GOOD, read, ("bare_metal",)) == check(GOOD, documents(), ("bare_metal",))
    look = but(repositories={"unattended_upgrades": True})
    assert findings(checks(look), read) == findings(checks(look), documents()) != ()


def test_what_nobody_wants_is_not_judged():
    record = {"id": "a", "title": "t", "check": "atomics", "severity": "error", "domain": "pcie", "gate": "none", "why": "W.",
              "remedy": "r", "sources": ["s"], "confidence": "derived",
              "wanted": [{"products": ["MI300X"], "values": {"needed": "yes"}}]}
    data = {"version": "v1", "kind": "preconditions", "preconditions": [record]}
    looks = [GOOD, but(gpus=gpu(product="MI210")), but(gpus=None)]
    assert [len(check(look, [{"path": "f", "data": data}], ())) for look in looks] == [1, 0, 0]


def test_records_use_the_words_of_findings():
    for record in documents()[0]["data"]["preconditions"]:
        assert record["severity"] in SEVERITIES
        assert record["domain"] in DOMAINS
        assert not record["title"].endswith(".")
        assert not record["remedy"].endswith(".")
        assert record["why"].endswith(".")
