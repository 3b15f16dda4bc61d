# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text of the apt files: what apt reads, byte for byte."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import aptfiles


def test_deb822_names_one_source_and_its_keyring():
    text = aptfiles.deb822("https://repo.radeon.com/amdgpu/30.30.3/ubuntu", "jammy", ["main"], ["amd64"], "/k.gpg")
    assert text == (
        "# Managed by instinct.fleet, changes are overwritten.\n"
        "Types: deb\nURIs: https://repo.radeon.com/amdgpu/30.30.3/ubuntu\nSuites: jammy\nComponents: main\n"
        "Architectures: amd64\nSigned-By: /k.gpg\n"
    )


def test_preferences_pin_versions_and_the_origin_above_the_downgrade_limit():
    text = aptfiles.preferences("repo.radeon.com", {"b": "2", "a": "1:1"})
    assert text == (
        "# Managed by instinct.fleet, changes are overwritten.\n"
        "Package: a\nPin: version 1:1\nPin-Priority: 1001\n\n"
        "Package: b\nPin: version 2\nPin-Priority: 1001\n\n"
        "Package: *\nPin: release o=repo.radeon.com\nPin-Priority: 1001\n"
    )


def test_unattended_blacklist_is_one_apt_conf_list():
    assert aptfiles.unattended_blacklist(["^linux-", "^rocm"]) == (
        "// Managed by instinct.fleet, changes are overwritten.\n"
        'Unattended-Upgrade::Package-Blacklist {\n    "^linux-";\n    "^rocm";\n};\n'
    )


def test_grub_default_quotes_the_path_of_titles():
    assert aptfiles.grub_default("Advanced>Linux 6.1").endswith('GRUB_DEFAULT="Advanced>Linux 6.1"\n')


def test_preferences_without_a_known_origin_pin_versions_alone():
    assert aptfiles.preferences(None, {"a": "1:1"}) == (
        "# Managed by instinct.fleet, changes are overwritten.\nPackage: a\nPin: version 1:1\nPin-Priority: 1001\n"
    )
