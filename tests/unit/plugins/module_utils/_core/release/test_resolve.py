# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What releases of the catalogue mean for nodes, and why some are refused."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Look
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import (
    BOOKWORM,
    catalogue,
    document,
    look,
    refusal,
    resolved,
)

TRIXIE = look("debian 13.2", "6.12.57+deb13-amd64", ("6.12.57+deb13-amd64",))
NOBLE = look("ubuntu 24.04.4", "6.8.0-90-generic", ("6.8.0-90-generic",))
NOTES_7_2_4 = ("https://rocm.docs.amd.com/en/docs-7.2.4/about/release-notes.html (also holds the 7.2.3 table)")


def test_a_release_for_debian_12_and_mi300x_is_this():
    wanted = resolved("rocm-7.2.3").to_dict()
    assert {k: wanted[k] for k in wanted if k not in ("notes", "sources")} == {
        "name": "rocm-7.2.3",
        "title": "ROCm 7.2.3 with amdgpu 30.30.3",
        "confidence": "documented",
        "stream": "legacy",
        "os": {"id": "debian", "version": "12", "manager": "apt"},
        "rocm": {"version": "7.2.3", "prefix": "/opt/rocm-7.2.3", "package_pattern": "*.70203-*",
                 "release": "rocm-7.2.3", "stream": "legacy", "line": "7.2.3", "packages": {}},
        "beside": [],
        "driver": {
            "source": "dkms", "release": "30.30.3", "module": "6.16.13", "build": "2327507",
            "dkms_version": "6.16.13-2327507.22.04",
            "packages": {"amdgpu-dkms": "1:6.16.13.30300300-2327507.22.04",
                         "amdgpu-dkms-firmware": "30.30.3.0.30300300-2327507.22.04"},
        },
        "kernel": {"wanted": BOOKWORM, "series": ["6.1.0"],
                   "packages": ["linux-image-6.1.0-56-amd64", "linux-headers-6.1.0-56-amd64"]},
        "repositories": [
            {"name": "amdgpu", "types": ["deb"], "uri": "https://repo.radeon.com/amdgpu/30.30.3/ubuntu",
             "suite": "jammy",
             "components": ["main"], "architectures": ["amd64"], "key": "radeon", "origin": "repo.radeon.com",
             "bases": ["https://repo.radeon.com/amdgpu/"]},
            {"name": "rocm", "types": ["deb"], "uri": "https://repo.radeon.com/rocm/apt/7.2.3", "suite": "jammy",
             "components": ["main"], "architectures": ["amd64"], "key": "radeon", "origin": "repo.radeon.com",
             "bases": ["https://repo.radeon.com/rocm/apt/", "https://repo.amd.com/rocm/packages-multi-arch/",
                       "https://stable.repo.amd.com/rocm/core/packages/"]},
        ],
        "keys": {"radeon": {"url": "https://repo.radeon.com/rocm/rocm.gpg.key",
                            "fingerprint": "CA8BB4727A47B4D09B4EE8969386B48A1A693C5C",
                            "keyring": "/etc/apt/keyrings/instinct-radeon.gpg"}},
        "firmware": [],
        "gpus": [{"bdf": "0000:05:00.0", "device_id": "74a1", "product": "MI300X"}],
    }
    assert wanted["notes"] == [
        "version 30.30.3.0.30300300-2327507.22.04 of amdgpu-dkms-firmware is third_party: seen on Ubuntu 22.04"]
    assert "https://github.com/ROCm/ROCm/issues/854" in wanted["sources"]


# release, node, what is accepted; then amdgpu-dkms, dkms version, firmware package, pattern of ROCm's versions.
PINS = [
    ("rocm-6.2.0", look("ubuntu 22.04.5", "5.15.0-97-generic"), (),
     "1:6.8.5.60200-2009582.22.04", "6.8.5-2009582.22.04", "1:6.8.5.60200-2009582.22.04", "*.60200-*"),
    ("rocm-6.4.1", look(), (),
     "1:6.12.12.60401-2164967.22.04", "6.12.12-2164967.22.04", "1:6.12.12.60401-2164967.22.04", "*.60401-*"),
    ("rocm-7.0.2", look(gpus=("740f",)), (),
     "1:6.14.14.30100200-2226257.22.04", "6.14.14-2226257.22.04", "30.10.2.0.30100200-2226257.22.04", "*.70002-*"),
    ("rocm-7.2.0", look(), ("derived",),
     "1:6.16.13.30300000-2278356.22.04", "6.16.13-2278356.22.04", "30.30.0.0.30300000-2278356.22.04", "*.70200-*"),
    ("rocm-7.2.3", TRIXIE, (),
     "1:6.16.13.30300300-2327507.24.04", "6.16.13-2327507.24.04", "30.30.3.0.30300300-2327507.24.04", "*.70203-*"),
    ("rocm-7.2.4", NOBLE, (),
     "1:6.16.13.30300400-2341068.24.04", "6.16.13-2341068.24.04", "30.30.4.0.30300400-2341068.24.04", "*.70204-*"),
    ("rocm-10.0.0", TRIXIE, ("third_party",),
     "1:7.1.3.31500000-2390945.24.04", "7.1.3-2390945.24.04", "1:31.50.0.0.31500000-2390945.24.04", "10.0.0-*"),
]


@pytest.mark.parametrize(("name", "node", "accept", "dkms", "version", "firmware", "pattern"), PINS,
                         ids=[p[0] for p in PINS])
def test_packages_are_pinned_exactly(name, node, accept, dkms, version, firmware, pattern):
    wanted = resolved(name, node, accept=list(accept))
    assert wanted.driver.packages == {"amdgpu-dkms": dkms, "amdgpu-dkms-firmware": firmware}
    assert (wanted.driver.dkms_version, wanted.rocm.package_pattern) == (version, pattern)


@pytest.mark.parametrize(("name", "node", "accept", "prefix"), [
    ("rocm-6.2.0", NOBLE, [], "/opt/rocm-6.2.0"), ("rocm-7.2.0", look(), ["derived"], "/opt/rocm-7.2.0"),
    ("rocm-10.0.0", look(), ["third_party"], "/opt/rocm/core-10.0")])
def test_rocm_is_installed_under_its_version(name, node, accept, prefix):
    node = dc.replace(node, gpus=look(gpus=("740f",)).gpus) if name != "rocm-10.0.0" else node
    node = dc.replace(node, kernel=look(kernel="6.8.0-31-generic").kernel) if "6.2" in name else node
    assert resolved(name, node, accept=accept).rocm.prefix == prefix


REFUSED = [
    ("rocm-7.2.33", look(), {},
     "gpu_release_name: the catalogue has no release 'rocm-7.2.33'; choose one of rocm-7.2.3, rocm-7.2.4, rocm-7.2.2"),
    ("rocm-6.4.1", TRIXIE, {},
     ("release rocm-6.4.1: Debian 13 is not among its operating systems; it supports Azure Linux 3.0, Debian 12, "
      "Oracle Linux 9, Oracle Linux 8, RHEL 9.6, RHEL 9.5, RHEL 9.4, RHEL 8.10, SLES 15.6, Ubuntu 24.04.2, Ubuntu "
      "22.04.5 (source: ROCm/legacy-rocm-build:docs/compatibility/compatibility-matrix.rst "
      "@076345c0f63f3620110f552cf2dc7c48a5ad06c5 (6.4.1/6.4.0/6.3.0 columns))")),
    ("rocm-6.4.2", look(), {},
     ("release rocm-6.4.2: the release is derived, not documented (OS versions from the driver docs' build variables; "
      "kernels not restated there); add derived to gpu_release_accept to act on it (source: "
      "ROCm/amdgpu-docs:docs/conf.py @branch os-version-update df8f32a (rocm_version 6.4.2))")),
    ("rocm-7.12.0", look(), {"accept": ["derived"]},
     ("release rocm-7.12.0: which operating systems it supports is not known; name them in a release file of that "
      "name in a directory of gpu_release_catalogue_dirs")),
    ("rocm-7.2.0", look(), {"accept": ["third_party"]},
     ("release rocm-7.2.0: the release is derived, not documented (SLES 15 SP7 extended to MI355X/MI350X; kernels "
      "inferred from the 7.2.4 table except Ubuntu 24.04.3); add derived to gpu_release_accept to act on it "
      "(source: ROCm 7.2.0 release notes HTML, dated 2026-01-21; "
      "https://rocm.docs.amd.com/en/docs-7.2.0/about/release-notes.html)")),
    ("rocm-6.3.1", look(), {},
     ("release rocm-6.3.1: the build number of driver 6.3.1 is not known and its module version is not known either, "
      "so it cannot be pinned exactly; name driver.packages in a release file of that name in a directory of "
      "gpu_release_catalogue_dirs (source: ROCm/ROCm:docs/release/versions.md @branch develop "
      "e396b4898f459db094bfd60b876f419f77eb9f09 (2025-03-21))")),
    ("rocm-7.2.2", look(), {},
     ("release rocm-7.2.2: version 1:6.16.13.30300200-2317211.22.04 of amdgpu-dkms is derived, not documented "
      "(composed from build 2317211, the module version and the release); add derived to gpu_release_accept to act "
      "on it (source: https://github.com/ROCm/amdgpu-docs/pull/97 (30.30.2 <-> 7.2.1, 30.30.3 <-> 7.2.3))")),
    ("rocm-7.0.1", look(), {},
     ("release rocm-7.0.1: version 1:6.14.14.30100100-2212064.22.04 of amdgpu-dkms is third_party, not documented "
      "(seen on Ubuntu 24.04); add third_party to gpu_release_accept to act on it (source: public reports of Ubuntu "
      "24.04 nodes with ROCm 7.0.1)")),
    ("rocm-7.2.3", look(gpus=("74a1", "738c")), {},
     ("gpu 0000:06:00.0: MI100 (1002:738c) is not supported by rocm-7.2.3 on Debian 12; there it supports MI325X, "
      f"MI300X, MI300A, MI250X, MI250, MI210 (source: {NOTES_7_2_4})")),
    ("rocm-7.2.3", look(gpus=("75a8",)), {},
     ("gpu 0000:05:00.0: MI350P (1002:75a8) is not supported by rocm-7.2.3 on Debian 12; there it supports "
      f"MI325X, MI300X, MI300A, MI250X, MI250, MI210 (source: {NOTES_7_2_4})")),
    ("rocm-7.2.3", look(gpus=("7551",)), {},
     ("gpu 0000:05:00.0: PCI device id 1002:7551 belongs to no product of the catalogue; add it to products.yml "
      "in a directory of gpu_release_catalogue_dirs")),
    ("rocm-7.2.3", look("rhel 9.6", "5.14.0-570.58.1.el9_6.x86_64"), {},
     ("release rocm-7.2.3: version 1:6.16.13-2327507.el9 of amdgpu-dkms is derived, not documented (has the form of "
      "1:6.12.12-2187269.el8); add derived to gpu_release_accept to act on it (source: a public report with dnf's log "
      "of driver 6.4.2)")),
    ("rocm-7.0.2", look("azurelinux 3.0", "6.6.104.2-4.azl3"), {},
     ("release rocm-7.0.2: packages on Azure Linux 3.0 are not managed: its driver is Microsoft's package amdgpu, "
      "built for one kernel and not by DKMS, which tdnf takes from Microsoft's repository; choose another node "
      "(source: ROCm/amdgpu-docs:docs/install/detailed-install/package-manager/package-manager-azl.rst @7302d995)")),
    ("rocm-7.2.3", look("arch 2026"), {}, None),
    ("rocm-7.2.3", Look(), {}, "os: the look does not tell the operating system of the node; look with the section os"),
    ("rocm-10.0.0", look(), {},
     ("release rocm-10.0.0: driver 31.50.0 is third_party, not documented (build number from a public image "
      "recipe and from the installer's file name there; AMD's own table does not print it); add third_party to "
      "gpu_release_accept to act on it (source: https://repo.radeon.com/amdgpu/31.50/ubuntu/pool/main/a/"
      "amdgpu-install/amdgpu-install_31.50.0.0.31500000-2390945.24.04_all.deb (as quoted in a public image recipe))")),
    ("rocm-7.14.0", look("ubuntu 26.04", "7.0.0-14-generic"), {},
     ("release rocm-7.14.0: the repository path of Ubuntu 26.04 is third_party, not documented (driver 31.50 is "
      "the first with a suite for it); add third_party to gpu_release_accept to act on it (source: a public image "
      "recipe for Ubuntu 26.04 with driver 31.50)")),
]


@pytest.mark.parametrize(("name", "node", "policy", "sentence"), REFUSED)
def test_what_cannot_be_is_refused_in_one_sentence(name, node, policy, sentence):
    error = refusal(name, node, **policy)
    if sentence:
        assert error.sentence == sentence
    else:
        assert error.what == "arch 2026 is not among its operating systems"


def site(**release):
    """Our rocm-7.2.3 with changes, as a file of a site."""
    data = document("releases/rocm-7.2.3.yml")
    data["release"] |= release
    return catalogue(data)


def test_a_driver_outside_the_window_is_refused():
    driver = document("releases/rocm-6.4.2.yml")["release"]["driver"]
    for record in (driver, *driver["packages"]):
        record["source"] = ["S1"]
    error = refusal("rocm-7.2.3", cat=site(driver=driver, rocm="10.0.0"))
    assert error.what == "driver 6.4.2 does not support ROCm 10.0.0"
    assert error.source.startswith("ROCm/amdgpu-docs:docs/compatibility/compatibility-matrix.rst (31.50.x edition")


def test_a_driver_that_a_gpu_must_not_have_is_refused():
    driver = document("releases/rocm-7.2.3.yml")["release"]["driver"]
    driver |= {"release": "30.20.0", "build": None, "packages": []}
    error = refusal("rocm-7.2.3", look(gpus=("74b9",)), site(driver=driver))
    assert error.what == "virtual function of MI325X must not be used with driver 30.20.0"


def test_a_module_version_that_does_not_tell_the_build_is_said_too():
    driver = document("releases/rocm-7.2.3.yml")["release"]["driver"] | {"build": None, "packages": []}
    assert refusal("rocm-7.2.3", cat=site(driver=driver)).what == (
        "the build number of driver 30.30.3 is not known and module version 6.16.13 does not tell it from others, so "
        "it cannot be pinned exactly")


def test_a_driver_of_which_nothing_is_known_says_why_if_it_is_noted():
    driver = document("releases/rocm-7.2.3.yml")["release"]["driver"] | {
        "module": None, "build": None, "packages": [], "note": "not seen"}
    assert refusal("rocm-7.2.3", cat=site(driver=driver)).what.endswith("cannot be pinned exactly (not seen)")


def test_an_unknown_module_version_is_said_too():
    driver = document("releases/rocm-7.2.3.yml")["release"]["driver"] | {"module": None, "build": None, "packages": []}
    assert refusal("rocm-7.2.3", cat=site(driver=driver)).what == (
        "the build number of driver 30.30.3 is not known and its module version is not known either, so it "
        "cannot be pinned exactly")


def test_a_site_can_name_the_packages_of_a_driver():
    driver = document("releases/rocm-7.2.2.yml")["release"]["driver"]
    driver |= {"build": "2317211", "confidence": "documented", "source": ["S1"], "packages": [
        {"name": "amdgpu-dkms", "format": "deb", "version": "1:6.16.13.30300200-2317211{dist}",
         "confidence": "documented", "source": ["S1"]}]}
    wanted = resolved("rocm-7.2.3", cat=site(driver=driver))
    assert wanted.driver.packages == {"amdgpu-dkms": "1:6.16.13.30300200-2317211.22.04"}


@pytest.mark.parametrize("confidence", ["derived", "third_party", "unverified"])
def test_a_version_that_is_not_documented_is_not_installed(confidence):
    driver = document("releases/rocm-7.2.3.yml")["release"]["driver"]
    driver["packages"][0]["confidence"] = confidence
    assert refusal("rocm-7.2.3", cat=site(driver=driver)).what == (
        f"version 1:6.16.13.30300300-2327507.22.04 of amdgpu-dkms is {confidence}, not documented")


def test_a_row_that_is_not_documented_is_refused():
    rows = document("releases/rocm-7.2.3.yml")["release"]["os"]
    for row in rows:
        row["confidence"] = "derived"
    assert refusal("rocm-7.2.3", cat=site(os=rows)).what == "support for Debian 12 is derived, not documented"
