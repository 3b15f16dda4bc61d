# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cases that are easily got wrong, each by its name: what is found of a bundle and what must not be."""

from __future__ import annotations

import pathlib

from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.diagnose import Options, diagnose
from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import Finding
from ansible_collections.instinct.fleet.plugins.plugin_utils import bundle, diagnosing

from .test_cases import HERE, findings, known


def found(*names: str) -> dict[str, Finding]:
    """All findings of one fixture by id."""
    read = bundle.read(str(pathlib.Path(HERE, "fixtures", *names)), known().log_patterns, known().setting_names)
    diagnosis = diagnose(read.look, known().knowledge, Options(host_profiles=(diagnosing.HOST_PROFILE,)))
    return {finding.id: finding for finding in findings(diagnosis)}


def test_error_12_of_a_probe_is_about_room_for_memory() -> None:
    have = found("kernel", "mi210-no-room.log")
    assert have["probe-no-bar"].domain == "pcie"


def test_error_22_after_a_failed_post_is_about_the_card_and_not_about_room() -> None:
    have = found("kernel", "mi100-no-post-bars-placed.log")
    assert have["gpu-post-error"].domain == "hardware"
    assert {finding.domain for finding in have.values()} & {"pcie"} == set()


def test_a_driver_that_dkms_calls_installed_is_not_a_driver_that_is_loaded() -> None:
    have = found("nodes", "installed-not-loaded")
    assert have["driver-loaded"].subject == "node"
    assert "driver-build" not in have


def test_a_process_of_kfd_holds_a_gpu_that_amd_smi_calls_idle() -> None:
    assert "71204" in found("nodes", "unlisted-holder")["processes-unlisted"].summary


def test_sixty_three_partitions_of_sixty_four_are_the_limit_of_drm() -> None:
    have = found("nodes", "cpx-63-of-64")
    assert "63 of 64" in have["drm-minors"].summary
    assert "partition-compute" not in have


def test_two_and_a_half_gigatransfers_are_no_fault_of_an_idle_gpu() -> None:
    assert found("lspci", "idle-2.5.txt") == {}


def test_links_of_a_virtual_function_that_all_read_as_down_are_not_supported() -> None:
    assert found("nodes", "virtual-links-down") == {}
    assert "xgmi-links" in found("nodes", "bare-links-down")


def test_a_version_that_holds_proc_version_is_the_driver_of_the_kernel() -> None:
    read = bundle.read(str(HERE / "fixtures/nodes/proc-version-driver"), known().log_patterns)
    assert read.look.driver is not None
    assert (read.look.driver.loaded, read.look.driver.version) == (True, None)
    assert "version" not in read.look.driver.unknown


def test_a_fatal_record_of_the_boot_before_says_nothing_of_this_one() -> None:
    have = found("kernel", "bert-previous-boot.log")
    assert {finding.severity for finding in have.values()} == {"info"}


def test_a_package_of_the_distribution_goes_before_that_of_amd() -> None:
    assert "rocminfo" in found("nodes", "distro-newer")["packages-mixed"].summary
