# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text of the .repo files: what dnf and zypper read, byte for byte."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.repofile import parse_repositories
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import rpmfiles

KEY = "/etc/pki/rpm-gpg/RPM-GPG-KEY-instinct-radeon"
REPO = rpmfiles.Repo("instinct-amdgpu", "AMD amdgpu", "https://repo.radeon.com/amdgpu/30.30.3/el/9.6/main/x86_64/", KEY)
DNF = f"""# Managed by instinct.fleet, changes are overwritten.
[instinct-amdgpu]
name=AMD amdgpu
baseurl=https://repo.radeon.com/amdgpu/30.30.3/el/9.6/main/x86_64/
enabled=1
priority=50
gpgcheck=1
gpgkey=file://{KEY}
"""


def test_dnf_checks_the_signature_of_every_package_with_the_one_key() -> None:
    assert rpmfiles.text([REPO]) == DNF


def test_zypper_is_told_to_check_packages_whose_index_is_not_signed() -> None:
    assert rpmfiles.text([REPO], zypper=True) == DNF + "autorefresh=1\ntype=rpm-md\nrepo_gpgcheck=0\npkg_gpgcheck=1\n"


def test_several_repositories_are_sections_of_one_file() -> None:
    other = rpmfiles.Repo("instinct-rocm-2", "AMD ROCm", "https://x", KEY)
    found = parse_repositories(rpmfiles.text([REPO, other]), "f")
    assert [(s.uris, s.signed_by, s.trusted, s.enabled) for s in found] == [
        ((REPO.uri,), f"file://{KEY}", False, True), (("https://x",), f"file://{KEY}", False, True)]
