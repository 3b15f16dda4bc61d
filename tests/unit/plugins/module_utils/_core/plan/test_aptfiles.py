# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Text of the apt files: what apt reads, byte for byte."""

from __future__ import annotations

import dataclasses as dc

from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import aptfiles

ONE = aptfiles.Source("https://repo.radeon.com/rocm/apt/7.2.3", "jammy", ("main",), ("amd64",), "/k.gpg")
TWO = aptfiles.Source("https://repo.amd.com/rocm/debian12", "stable", ("main", "extra"), ("amd64",), "/l.gpg")


def test_deb822_names_each_source_and_its_keyring():
    assert aptfiles.deb822([ONE, TWO]) == (
        "# Managed by instinct.fleet, changes are overwritten.\n"
        "Types: deb\nURIs: https://repo.radeon.com/rocm/apt/7.2.3\nSuites: jammy\nComponents: main\n"
        "Architectures: amd64\nSigned-By: /k.gpg\n"
        "\n"
        "Types: deb\nURIs: https://repo.amd.com/rocm/debian12\nSuites: stable\nComponents: main extra\n"
        "Architectures: amd64\nSigned-By: /l.gpg\n"
    )


def test_what_a_node_kept_is_not_too_old():
    kept = dc.replace(ONE, uri="copy:///var/lib/instinct/kept/mirror/x")
    assert aptfiles.deb822([kept]).endswith("Signed-By: /k.gpg\nCheck-Valid-Until: no\n")


def test_preferences_pin_versions_and_origins_above_the_downgrade_limit():
    text = aptfiles.preferences(["repo.radeon.com", "other"], {"b*7.14*": "7.14.0-*", "a": "1:1"})
    assert text == (
        "# Managed by instinct.fleet, changes are overwritten.\n"
        "Package: a\nPin: version 1:1\nPin-Priority: 1001\n\n"
        "Package: b*7.14*\nPin: version 7.14.0-*\nPin-Priority: 1001\n\n"
        "Package: *\nPin: release o=repo.radeon.com\nPin-Priority: 1001\n\n"
        "Package: *\nPin: release o=other\nPin-Priority: 1001\n"
    )


def test_unattended_blacklist_is_one_apt_conf_list():
    assert aptfiles.unattended_blacklist(["^linux-", "^rocm"]) == (
        "// Managed by instinct.fleet, changes are overwritten.\n"
        'Unattended-Upgrade::Package-Blacklist {\n    "^linux-";\n    "^rocm";\n};\n'
    )


def test_grub_starts_what_is_saved_and_each_entry_has_a_variable_of_ours():
    assert aptfiles.grub_default().endswith(
        'GRUB_DEFAULT=saved\nGRUB_CMDLINE_LINUX_DEFAULT="$GRUB_CMDLINE_LINUX_DEFAULT \\$instinct_once"\n')


def test_the_variable_says_something_in_a_boot_that_was_chosen_for_once_alone():
    assert aptfiles.grub_once() == (
        "#!/bin/sh\n# Managed by instinct.fleet, changes are overwritten.\ncat << 'EOF'\nif [ \"${boot_once}\" = true ]; then\n"
        "  set instinct_once=\"panic=30\"\n  export instinct_once\nfi\nEOF\n")


def test_preferences_without_a_known_origin_pin_versions_alone():
    assert aptfiles.preferences([], {"a": "1:1"}) == (
        "# Managed by instinct.fleet, changes are overwritten.\nPackage: a\nPin: version 1:1\nPin-Priority: 1001\n"
    )
