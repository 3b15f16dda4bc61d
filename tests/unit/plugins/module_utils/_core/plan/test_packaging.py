# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that pin a release's packages."""

from __future__ import annotations

import contextlib
import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import managed, packaging
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.resolved import ResolvedOs
from ansible_collections.instinct.fleet.tests.unit.support.releases import release

WANTED = release("rocm-7.2.3")


def test_source_files_name_repository_key_and_pins() -> None:
    sources, pins = packaging.source_files(WANTED, "amdgpu", {"amdgpu-dkms": "1:6"})
    assert (sources.path, pins.path) == (managed.AMDGPU_SOURCES, managed.AMDGPU_PREFERENCES)
    assert "URIs: https://repo.radeon.com/amdgpu/30.30.3/ubuntu\n" in (sources.content or "")
    assert "Signed-By: /etc/apt/keyrings/instinct-radeon.gpg\n" in (sources.content or "")
    assert "Package: amdgpu-dkms\nPin: version 1:6\nPin-Priority: 1001\n" in (pins.content or "")


def test_repositories_of_one_name_are_stanzas_of_one_file() -> None:
    beside = dc.replace(WANTED.repositories[1], uri="https://repo.radeon.com/rocm/apt/7.0.2")
    foreign = dc.replace(WANTED.repositories[1], uri="https://repo.amd.com/x", origin=None)
    wanted = dc.replace(WANTED, repositories=(*WANTED.repositories, beside, foreign))
    sources, pins = packaging.source_files(wanted, "rocm", {"amdrocm*": "7.14.0-*"})
    uris = [line for line in (sources.content or "").splitlines() if line.startswith("URIs")]
    assert uris == [
        "URIs: https://repo.radeon.com/rocm/apt/7.2.3",
        "URIs: https://repo.radeon.com/rocm/apt/7.0.2",
        "URIs: https://repo.amd.com/x",
    ]
    assert (pins.content or "").count("Pin: release o=repo.radeon.com") == 1


def test_no_source_files_are_the_same_files_absent() -> None:
    there = [f.path for f in packaging.source_files(WANTED, "rocm", {})]
    there += [paths["rocm"] for paths in (managed.DNF_REPOSITORIES, managed.ZYPPER_REPOSITORIES)]
    assert [(f.path, f.content) for f in packaging.no_source_files("rocm")] == [(path, None) for path in there]


def test_unattended_files() -> None:
    (restricted,), (free,) = packaging.unattended_files("apt", True), packaging.unattended_files("apt", False)
    assert (restricted.path, free.path, free.content) == (managed.UNATTENDED, managed.UNATTENDED, None)
    assert '    "^linux-";\n' in (restricted.content or "")


@pytest.mark.parametrize(
    ("manager", "version", "refused"),
    [("dnf", "8.10", True), ("dnf", "8", True), ("dnf", "9.6", False), ("apt", "8", False)],
)
def test_a_dnf_that_no_module_can_speak_to_is_refused(manager: str, version: str, refused: bool) -> None:
    wanted = dc.replace(WANTED, os=ResolvedOs("rhel", version, manager))
    with pytest.raises(FleetError) if refused else contextlib.nullcontext() as error:
        packaging.refuse_unserved(wanted)
    if refused:
        assert error.value.sentence == (
            f"rhel {version}: has dnf's Python binding for Python 3.6 alone, on which ansible-core runs no more, so no "
            "package can be changed there; move the node to a newer system, or leave it out of the play")
