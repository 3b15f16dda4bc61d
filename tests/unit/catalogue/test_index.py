# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole catalogue: every release on every operating system that it lists, and the page that says what comes of it."""

from __future__ import annotations

import re

import pytest

from ansible_collections.instinct.fleet.tests.unit.support.catalogue import CATALOGUE, look, own, refusal, resolved

from .test_data import generate

index = generate.index
FILES = {str(path.relative_to(CATALOGUE)): path.read_text() for path in CATALOGUE.rglob("*.yml")}
CONFIDENCES = ("derived", "third_party", "unverified")
# All that a release may be refused for whatever a site accepts: what is missing is named.
REASONS = (
    r"the build number of driver [\d.]+ is not known and its module version is not known either, so it cannot be pinned",
    r"packages on Azure Linux 3\.0 are not managed: its driver is Microsoft's package amdgpu",
    r"packages on (?:CentOS 7|RHEL 7\.9) are not managed: it speaks yum",
)


def table():
    """Cells of the page by release and column."""
    rows = [line.strip("| ").split(" | ") for line in generate.PAGE.read_text().splitlines() if line.startswith("| ")]
    return {re.sub(r"\[(.*)\]\(.*", r"\1", row[0]): dict(zip(rows[0], row, strict=True)) for row in rows[1:]}


def test_the_page_is_as_it_would_be_written():
    assert generate.PAGE.read_text() == generate.page(FILES)


def test_the_check_names_a_page_that_differs(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(generate, "PAGE", tmp_path / "catalogue.md")
    assert generate.main(["--check"]) == 1
    (tmp_path / "catalogue.md").write_text("other")
    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().out.splitlines() == ["catalogue.md: not as generated"] * 2


def test_the_page_has_every_release():
    assert sorted(table()) == sorted(own().names)


ROWS = [
    ("rocm-7.2.3", {"date": "2026-05-05", "stream": "legacy", "driver": "30.30.3", "module": "6.16.13", "apt": "documented",
                    "dnf": "accept derived", "zypper": "accept derived"}),
    ("rocm-7.2.0", {"driver": "30.30.0", "confidence": "derived", "apt": "accept derived"}),
    ("rocm-7.0.2", {"driver": "30.10.2", "apt": "documented", "dnf": "accept third_party"}),
    ("rocm-6.3.1", {"driver": "6.3.1", "module": "not known", "apt": "refused", "dnf": "refused", "zypper": "refused"}),
    ("rocm-7.12.0", {"operating systems": "not known", "apt": "-", "dnf": "-", "zypper": "-"}),
    ("site-centos-8.5-rocm-5.5.1", {"date": "-", "operating systems": "CentOS 8.5", "GPUs": "MI210", "apt": "-",
                                    "confidence": "third_party", "dnf": "accept third_party", "zypper": "-"}),
]


@pytest.mark.parametrize(("name", "cells"), ROWS, ids=[row[0] for row in ROWS])
def test_a_row_says_what_comes_of_a_release(name, cells):
    row = table()[name]
    assert {column: row[column] for column in cells} == cells


@pytest.mark.parametrize("name", own().names)
def test_a_release_resolves_with_what_its_confidence_needs_or_says_what_is_missing(name):
    release = own().release(name)
    found = list(index.verdicts(own(), release))
    assert len({one.system for one in found}) == len(release.os)
    for one in found:
        if one.why:
            assert any(re.match(reason, one.why) for reason in REASONS), one
        elif release.provenance.confidence != "documented":
            assert release.provenance.confidence in one.accept, one
        else:
            assert set(one.accept) <= set(CONFIDENCES), one
    if not release.os:
        assert refusal(name, accept=list(CONFIDENCES)).what == "which operating systems it supports is not known"


@pytest.mark.parametrize("name", [n for n in own().names if own().release(n).os])
def test_what_must_be_accepted_is_no_more_than_is_needed(name):
    release = own().release(name)
    gpu = next(p.pci_ids[0] for p in own().products if p.name == release.os[0].gpus[0])
    series = next((k.series.text for k in release.os[0].kernels), index.USUAL[release.os[0].id])
    node = index.node(release.os[0], series, gpu)
    verdict = index.verdict(own(), release, release.os[0], series)
    for confidence in verdict.accept:
        rest = [c for c in verdict.accept if c != confidence]
        assert refusal(name, node, accept=rest).hint == f"add {confidence} to gpu_release_accept to act on it"


KERNELS = [
    ("debian", "6.1.0", "6.1.0-30-amd64"), ("debian", "6.12", "6.12.0-30-amd64"), ("ubuntu", "6.8", "6.8.0-30-generic"),
    ("ubuntu", "5.15.0-76", "5.15.0-76-generic"), ("rhel", "5.14.0-570", "5.14.0-570.el9.x86_64"),
    ("rhel", "4.18", "4.18.0-100.1.el9.x86_64"), ("ol", "UEK 8.1", "6.12.0-100.1.el9uek.x86_64"),
    ("sles", "6.4.0-150700.51", "6.4.0-150700.51-default"), ("sles", "5.14.21-150500", "5.14.21-150500.7-default"),
    ("sles", "6.12", "6.12.0-150000.1-default"), ("azurelinux", "6.6", "6.6.0-100.1.azl3"),
]


@pytest.mark.parametrize(("os", "series", "kernel"), KERNELS)
def test_a_node_has_a_kernel_of_the_series(os, series, kernel):
    assert index.kernel_of(os, series) == kernel


# The nodes of one fleet that stay at what was measured on them, beside new ones: release, node, what it resolves to.
FLEET = [
    ("site-centos-8.5-rocm-5.5.1", look("centos 8", "4.18.0-305.el8.x86_64", gpus=("740f",)),
     ("dnf", "1:6.0.5.50501-1593694.el8", "https://repo.radeon.com/amdgpu/5.5.1/rhel/8.5/main/x86_64/",
      "https://repo.radeon.com/rocm/rhel8/5.5.1/main")),
    ("site-centos-stream-9-rocm-5.7.0", look("centos 9", "5.14.0-284.11.1.el9_2.x86_64", gpus=("740f",)),
     ("dnf", "1:6.2.4.50700-1652687.el9", "https://repo.radeon.com/amdgpu/5.7/rhel/9.2/main/x86_64/",
      "https://repo.radeon.com/rocm/rhel9/5.7/main")),
    ("site-ubuntu-22.04-rocm-5.6.0", look("ubuntu 22.04", "5.15.0-76-generic", gpus=("740f",)),
     ("apt", "1:6.1.5.50600-1609671.22.04", "https://repo.radeon.com/amdgpu/5.6/ubuntu",
      "https://repo.radeon.com/rocm/apt/5.6")),
]


def test_pins_stand_side_by_side_in_one_fleet():
    found = {}
    for name, node, _expected in FLEET:
        wanted = resolved(name, node, accept=["third_party"])
        found[name] = (wanted.os.manager, wanted.driver.packages["amdgpu-dkms"], *(r.uri for r in wanted.repositories))
    assert found == {name: expected for name, _node, expected in FLEET}


@pytest.mark.parametrize(("name", "node", "_expected"), FLEET)
def test_what_operators_measured_needs_the_sites_word(name, node, _expected):
    error = refusal(name, node)
    assert (error.where, error.hint) == (f"release {name}", "add third_party to gpu_release_accept to act on it")


@pytest.mark.parametrize(("name", "os", "kernel"), [
    ("site-centos-8.5-rocm-5.5.1", "centos 8", "4.18.0-348.el8.x86_64"),
    ("site-centos-stream-9-rocm-5.7.0", "centos 9", "5.14.0-285.el9.x86_64"),
    ("site-ubuntu-22.04-rocm-5.6.0", "ubuntu 22.04", "5.15.0-77-generic"),
])
def test_another_kernel_than_the_measured_one_is_refused(name, os, kernel):
    error = refusal(name, look(os, kernel, gpus=("740f",)), accept=["third_party"])
    assert error.where == f"kernel {kernel}"
    assert error.what.startswith("is not of a series that AMD lists")


def test_the_kernel_of_the_site_comes_with_what_the_driver_needs():
    wanted = resolved(FLEET[2][0], FLEET[2][1], accept=["third_party"])
    assert wanted.kernel.packages == ("linux-image-5.15.0-76-generic", "linux-headers-5.15.0-76-generic",
                                      "linux-modules-extra-5.15.0-76-generic")
