# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be mirrored, as programs that mirror take it."""

from __future__ import annotations

import configparser

from ansible_collections.instinct.fleet.plugins.module_utils._core.release.mirror import mirrors
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.mirror_text import (
    apt_mirror,
    key_urls,
    reposync,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.policy import Policy
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import own

HERE = {"https://repo.radeon.com": "https://mirror.example/radeon"}


def listed(name, *systems):
    return mirrors(own(), name, systems, Policy(("derived", "third_party"), HERE))


def test_apt_mirror_fetches_from_the_vendor_and_each_repository_once():
    both = (*listed("rocm-7.2.3", "debian 12", "ubuntu 22.04"), *listed("rocm-10.0.0", "debian 12"))
    assert apt_mirror(both).splitlines() == [
        "deb [arch=amd64] https://repo.radeon.com/amdgpu/30.30.3/ubuntu jammy main",
        "deb [arch=amd64] https://repo.radeon.com/rocm/apt/7.2.3 jammy main",
        "deb [arch=amd64] https://repo.radeon.com/amdgpu/31.50/ubuntu jammy main",
        "deb [arch=amd64] https://stable.repo.amd.com/rocm/core/packages/debian12 stable main",
    ]


def test_reposync_has_a_command_for_each_repository_that_keeps_its_path():
    text = reposync(listed("rocm-7.2.3", "rhel 9.6", "rocky 9.6", "debian 12"))
    parsed = configparser.ConfigParser()
    parsed.read_string(text)
    assert parsed.sections() == ["repo.radeon.com-amdgpu-30.30.3-el-9.6-main-x86-64",
                                 "repo.radeon.com-rocm-el9-7.2.3-main"]
    assert dict(parsed["repo.radeon.com-rocm-el9-7.2.3-main"]) == {
        "name": "rocm from https://repo.radeon.com/rocm/el9/7.2.3/main", "enabled": "1", "gpgcheck": "1",
        "baseurl": "https://repo.radeon.com/rocm/el9/7.2.3/main",
        "gpgkey": "https://repo.radeon.com/rocm/rocm.gpg.key"}
    assert text.splitlines()[0] == (
        "# dnf reposync --repoid=repo.radeon.com-amdgpu-30.30.3-el-9.6-main-x86-64 --norepopath --download-metadata "
        "--gpgcheck --download-path=repo.radeon.com/amdgpu/30.30.3/el/9.6/main/x86_64")


def test_what_another_program_mirrors_is_left_out():
    assert apt_mirror(listed("rocm-7.2.3", "rhel 9.6")) == reposync(listed("rocm-7.2.3", "debian 12")) == ""


def test_keys_are_fetched_once():
    assert key_urls((*listed("rocm-7.2.3"), *listed("rocm-10.0.0"))).splitlines() == [
        "https://repo.radeon.com/rocm/rocm.gpg.key", "https://stable.repo.amd.com/rocm/gpg/packages.gpg"]
