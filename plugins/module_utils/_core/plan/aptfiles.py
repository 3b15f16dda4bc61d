# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Text of the apt files that the roles manage. Same input, same bytes: a digest tells whether to write."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..formats.grub import ONCE, ONE_BOOT

HEADER = "# Managed by instinct.fleet, changes are overwritten.\n"

# apt_preferences(5): a priority over 1000 installs the version even if that is a downgrade.
FORCE = 1001


@dc.dataclass(frozen=True)
class Source:
    """One binary package source, and the keyring that its signature is checked against."""

    uri: str
    suite: str
    components: tuple[str, ...]
    architectures: tuple[str, ...]
    keyring: str


def deb822(sources: t.Sequence[Source]) -> str:
    """A sources file with one binary source a stanza, each verified by one keyring (sources.list(5)).

    What a node kept of a repository is as old as it is: apt is not to ask whether it is valid still.
    """
    return HEADER + "\n".join(
        f"Types: deb\nURIs: {s.uri}\nSuites: {s.suite}\nComponents: {' '.join(s.components)}\n"
        f"Architectures: {' '.join(s.architectures)}\nSigned-By: {s.keyring}\n"
        + ("Check-Valid-Until: no\n" if s.uri.startswith("copy:") else "") for s in sources
    )


def preferences(origins: t.Sequence[str], versions: t.Mapping[str, str]) -> str:
    """Pins that prefer everything of some origins, and exact versions of the packages named.

    A name and a version may be a pattern, as apt_preferences(5) has it.
    """
    stanzas = [f"Package: {name}\nPin: version {version}\nPin-Priority: {FORCE}\n"
               for name, version in sorted(versions.items())]
    stanzas += [f"Package: *\nPin: release o={origin}\nPin-Priority: {FORCE}\n" for origin in origins]
    return HEADER + "\n".join(stanzas)


def unattended_blacklist(patterns: t.Sequence[str]) -> str:
    """An apt.conf part that keeps unattended-upgrades away from packages (regular expressions at their start)."""
    lines = "".join(f'    "{pattern}";\n' for pattern in patterns)
    head = "// Managed by instinct.fleet, changes are overwritten.\n"
    return f"{head}Unattended-Upgrade::Package-Blacklist {{\n{lines}}};\n"


def grub_default() -> str:
    """A part of /etc/default/grub.d: the entry that grubenv saves boots, so that a change of it needs no new menu.

    Each entry ends with a variable of GRUB, which is empty but in a boot that was chosen for once.
    """
    return HEADER + f'GRUB_DEFAULT=saved\nGRUB_CMDLINE_LINUX_DEFAULT="$GRUB_CMDLINE_LINUX_DEFAULT \\${ONCE}"\n'


def grub_once() -> str:
    """A part of /etc/grub.d: what a kernel is given in addition where its entry was chosen for one boot only.

    source: grub 2.06 and 2.12, util/grub.d/00_header.in (boot_once); the manual of GRUB, "export": a submenu sees
    exported variables alone.
    """
    condition = 'if [ "${boot_once}" = true ]; then'
    return (f"#!/bin/sh\n{HEADER}cat << 'EOF'\n{condition}\n"
            f'  set {ONCE}="{ONE_BOOT}"\n  export {ONCE}\nfi\nEOF\n')
