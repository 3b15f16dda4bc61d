# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Text of the apt files that the roles manage. Same input, same bytes: a digest tells whether to write."""

from __future__ import annotations

import typing as t

HEADER = "# Managed by instinct.fleet, changes are overwritten.\n"

# apt_preferences(5): a priority over 1000 installs the version even if that is a downgrade.
FORCE = 1001


def deb822(uri: str, suite: str, components: t.Sequence[str], architectures: t.Sequence[str], keyring: str) -> str:
    """A sources file with one binary source, verified by one keyring (sources.list(5))."""
    return HEADER + (
        f"Types: deb\nURIs: {uri}\nSuites: {suite}\nComponents: {' '.join(components)}\n"
        f"Architectures: {' '.join(architectures)}\nSigned-By: {keyring}\n"
    )


def preferences(origin: str | None, versions: t.Mapping[str, str]) -> str:
    """Pins that prefer everything of one origin, if it is known, and exact versions of the packages named."""
    stanzas = [f"Package: {name}\nPin: version {version}\nPin-Priority: {FORCE}\n"
               for name, version in sorted(versions.items())]
    if origin:
        stanzas.append(f"Package: *\nPin: release o={origin}\nPin-Priority: {FORCE}\n")
    return HEADER + "\n".join(stanzas)


def unattended_blacklist(patterns: t.Sequence[str]) -> str:
    """An apt.conf part that keeps unattended-upgrades away from packages (regular expressions at their start)."""
    lines = "".join(f'    "{pattern}";\n' for pattern in patterns)
    head = "// Managed by instinct.fleet, changes are overwritten.\n"
    return f"{head}Unattended-Upgrade::Package-Blacklist {{\n{lines}}};\n"


def grub_default(entry: str) -> str:
    """A part of /etc/default/grub.d that boots one menu entry, named by its titles."""
    return HEADER + f'GRUB_DEFAULT="{entry}"\n'
