# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A release held against a node: its operating system, its format of packages, its GPUs and their firmware."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.tests.unit.support.catalogue import (
    catalogue,
    document,
    look,
    refusal,
    resolved,
)


def site(**release):
    """Our rocm-7.2.3 with changes, as a file of a site."""
    data = document("releases/rocm-7.2.3.yml")
    data["release"] |= release
    return catalogue(data)


POINTS = [
    ("ubuntu 24.04.4", ()),
    ("ubuntu 24.04.3", ("the node runs Ubuntu 24.04.3; AMD lists Ubuntu 24.04.4",)),
    ("ubuntu 24.04", ("the node runs Ubuntu 24.04; AMD lists Ubuntu 24.04.4",)),
]


@pytest.mark.parametrize(("os", "expected"), POINTS)
def test_another_point_release_is_noted(os, expected):
    notes = resolved("rocm-7.2.3", look(os, "6.8.0-90-generic")).notes
    assert tuple(n for n in notes if n.startswith("the node runs")) == expected


def test_the_row_of_the_point_release_is_taken():
    node = look("ubuntu 22.04.4", "6.5.0-14-generic", gpus=("740f",))
    assert resolved("rocm-6.2.0", node).kernel.series == ("5.15", "6.5")
    node = look("ubuntu 22.04.5", "5.15.0-97-generic", gpus=("740f",))
    assert resolved("rocm-6.2.0", node).kernel.series == ("5.15", "6.8")


def test_a_point_release_of_a_listed_major_is_supported():
    wanted = resolved("rocm-7.2.3", look("rocky 9.6", "5.14.0-570.58.1.el9_6.x86_64"), accept=["derived"])
    assert (wanted.os.id, wanted.os.version, wanted.os.manager) == ("rocky", "9.6", "dnf")


# release, node, what is accepted; then amdgpu-dkms, dkms version, firmware package, packages of the kernel.
RPM_PINS = [
    ("rocm-6.4.1", look("rhel 8.10", "4.18.0-553.22.1.el8_10.x86_64"), "1:6.12.12-2164967.el8", "6.12.12-2164967.el8",
     "1:6.12.12-2164967.el8",
     ("kernel-core-4.18.0-553.22.1.el8_10.x86_64", "kernel-modules-4.18.0-553.22.1.el8_10.x86_64",
      "kernel-devel-4.18.0-553.22.1.el8_10.x86_64")),
    ("rocm-7.2.3", look("rhel 9.6", "5.14.0-570.12.1.el9_6.x86_64"), "1:6.16.13-2327507.el9", "6.16.13-2327507.el9",
     "30.30.3.0.30300300-2327507.el9",
     ("kernel-core-5.14.0-570.12.1.el9_6.x86_64", "kernel-modules-5.14.0-570.12.1.el9_6.x86_64",
      "kernel-devel-5.14.0-570.12.1.el9_6.x86_64", "kernel-devel-matched-5.14.0-570.12.1.el9_6.x86_64")),
    ("rocm-7.2.3", look("ol 9.6", "5.15.0-310.184.5.el9uek.x86_64"), "1:6.16.13-2327507.el9", "6.16.13-2327507.el9",
     "30.30.3.0.30300300-2327507.el9",
     ("kernel-uek-core-5.15.0-310.184.5.el9uek.x86_64", "kernel-uek-modules-5.15.0-310.184.5.el9uek.x86_64",
      "kernel-uek-devel-5.15.0-310.184.5.el9uek.x86_64")),
    ("rocm-7.2.3", look("sles 15.7", "6.4.0-150700.53.16-default"), "1:6.16.13-2327507", "6.16.13-2327507",
     "30.30.3.0.30300300-2327507",
     ("kernel-default-6.4.0-150700.53.16", "kernel-default-devel-6.4.0-150700.53.16")),
]


@pytest.mark.parametrize(("name", "node", "dkms", "version", "firmware", "kernel"), RPM_PINS,
                         ids=[f"{p[0]}-{p[1].os.id}" for p in RPM_PINS])
def test_rpm_packages_are_pinned_exactly(name, node, dkms, version, firmware, kernel):
    wanted = resolved(name, node, accept=["derived"])
    assert wanted.driver.packages == {"amdgpu-dkms": dkms, "amdgpu-dkms-firmware": firmware}
    assert (wanted.driver.dkms_version, wanted.kernel.packages) == (version, kernel)


def test_a_driver_whose_version_is_known_in_the_other_format_only_is_refused():
    driver = document("releases/rocm-7.2.3.yml")["release"]["driver"]
    driver["packages"] = [p for p in driver["packages"] if p["format"] == "deb"]
    error = refusal("rocm-7.2.3", look("rhel 9.6", "5.14.0-570.12.1.el9_6.x86_64"), site(driver=driver))
    assert error.what == "the version of amdgpu-dkms as rpm of driver 30.30.3 is not known"


def test_an_operating_system_without_path_is_refused():
    data = document("releases/rocm-7.2.3.yml")
    data["release"]["os"][0] |= {"id": "debian", "version": "14", "kernels": []}
    assert refusal("rocm-7.2.3", look("debian 14", "6.18.0-1-amd64"), catalogue(data)).sentence == (
        "release rocm-7.2.3: the package repositories for Debian 14 are not known; so far packages are pinned for "
        "CentOS 8, CentOS 9, Debian 12, Debian 13, Oracle Linux 8, Oracle Linux 9, Oracle Linux 10, RHEL 8, RHEL 9, RHEL 10, Rocky Linux "
        "9, SLES 15, SLES 16, Ubuntu 20.04, Ubuntu 22.04, Ubuntu 24.04, Ubuntu 26.04")


def test_a_node_without_gpu_is_noted():
    notes = resolved("rocm-7.2.3", look(gpus=())).notes
    assert "no GPU was found: what the release supports was not held against any" in notes
    unseen = dc.replace(look(), gpus=None)
    assert resolved("rocm-7.2.3", unseen).gpus == ()


def test_a_shared_device_id_is_fine_where_both_products_are():
    wanted = resolved("rocm-7.2.3", look(gpus=("740c",)))
    assert wanted.gpus[0].product == "MI250 or MI250X"
    assert "gpu 0000:05:00.0: 1002:740c is MI250 or MI250X; the release supports both" in wanted.notes
    assert resolved("rocm-7.2.3", look(gpus=("740c",), market_name="AMD Instinct MI250")).gpus[0].product == "MI250"


def test_a_shared_device_id_is_refused_where_only_one_product_is():
    rows = document("releases/rocm-7.2.3.yml")["release"]["os"]
    for row in rows:
        row["gpus"] = [g for g in row["gpus"] if g != "MI250"]
    error = refusal("rocm-7.2.3", look(gpus=("740c",)), site(os=rows))
    assert error.what == "MI250 (1002:740c) is not supported by rocm-7.2.3 on Debian 12"
    assert error.hint == ("it may be a MI250X, whose device id is the same: look while a driver is loaded that "
                          "tells its name")
    assert resolved("rocm-7.2.3", look(gpus=("740c",), market_name="MI250X"), site(os=rows)).gpus[0].product == "MI250X"


FIRMWARE_TABLE = document("releases/rocm-10.0.0.yml")["sources"]["S3"]


def test_firmware_of_the_nodes_gpus_is_listed():
    wanted = resolved("rocm-10.0.0", accept=["third_party"])
    assert wanted.to_dict()["firmware"] == [
        {"gpu": "MI300X", "kind": "pldm", "confidence": "documented", "source": FIRMWARE_TABLE, "versions": [
            {"text": "01.26.00.04 or later", "kind": "pldm", "value": "01.26.00.04", "or_later": True, "also": []},
            {"text": "01.25.06.05", "kind": "pldm", "value": "01.25.06.05", "or_later": False, "also": []}]}]


def test_without_gpu_the_firmware_of_all_is_listed():
    assert [f.gpu for f in resolved("rocm-7.0.2", look(gpus=())).firmware] == ["MI355X", "MI350X"]


def test_the_kernels_own_driver_needs_no_window_and_no_build():
    wanted = resolved("rocm-7.2.2", driver_source="in_tree")
    assert wanted.kernel.packages[-1] == "firmware-amd-graphics"
    assert dc.asdict(wanted.driver) == {"source": "in_tree", "release": None, "module": None, "build": None,
                                        "dkms_version": None, "packages": {}}
    assert [r.name for r in wanted.repositories] == ["rocm"]
    assert "the kernel's own driver is used: AMD states no ROCm window for it" in wanted.notes


def test_a_documented_firmware_version_needs_no_note():
    driver = document("releases/rocm-7.2.3.yml")["release"]["driver"]
    driver["packages"][1]["confidence"] = "documented"
    notes = resolved("rocm-7.2.3", cat=site(driver=driver)).notes
    assert not [note for note in notes if "amdgpu-dkms-firmware" in note]


@pytest.mark.parametrize("version", ["1", "123"])
def test_a_version_that_only_begins_alike_is_another_system(version):
    rows = document("releases/rocm-7.2.3.yml")["release"]["os"][1:2]
    rows[0]["version"] = version
    assert refusal("rocm-7.2.3", cat=site(os=rows)).what == "Debian 12 is not among its operating systems"


@pytest.mark.parametrize(("machine", "refused"), [("x86_64", False), (None, False), ("aarch64", True)])
def test_a_node_without_packages_for_its_processor_is_refused(machine, refused):
    node = look()
    node = dc.replace(node, os=dc.replace(node.os, architecture=machine))
    if not refused:
        assert resolved("rocm-7.2.3", node).name == "rocm-7.2.3"
        return
    assert refusal("rocm-7.2.3", node).sentence == (
        "release rocm-7.2.3: its repository amdgpu has packages for amd64, and the node is aarch64; "
        "leave the node out of the fleet")
