# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The part of a look that is about packages and where they come from. Read through shape.py."""

from __future__ import annotations

import dataclasses as dc

from .gpus import Unknown


@dc.dataclass(frozen=True)
class Package:
    """An installed or half-installed package. ``state`` in dpkg's words: installed, half-configured, ..."""

    name: str
    version: str
    architecture: str
    state: str


@dc.dataclass(frozen=True)
class Packages:
    """Packages that a release may touch (by name patterns), holds, and everything that is broken."""

    manager: str | None = None  # apt, dnf, zypper
    installed: tuple[Package, ...] = ()
    holds: tuple[str, ...] = ()
    broken: tuple[Package, ...] = ()  # any package that is not cleanly installed or removed
    interrupted: bool | None = None  # a dpkg run was cut off, or is at work now: its updates are not merged yet
    torn_lists: tuple[str, ...] = ()  # paths of lists of apt that are not as long as their Release file tells
    misheld: tuple[str, ...] = ()  # on hold at another version than the installed one (dnf)
    obeys_holds: bool | None = None  # False: dnf has no versionlock plugin, so nothing can be held
    unknown: Unknown = dc.field(default_factory=dict)


@dc.dataclass(frozen=True)
class Source:
    """One enabled or disabled package source, from a one-line or deb822 file."""

    file: str
    types: tuple[str, ...]
    uris: tuple[str, ...]
    suites: tuple[str, ...]
    components: tuple[str, ...]
    architectures: tuple[str, ...]
    signed_by: str | None
    trusted: bool
    enabled: bool


@dc.dataclass(frozen=True)
class Preference:
    """One stanza of apt preferences."""

    file: str
    package: str
    pin: str
    priority: int


@dc.dataclass(frozen=True)
class Key:
    """One keyring file. Fingerprints are of primary keys, upper case, no blanks."""

    path: str
    fingerprints: tuple[str, ...]


@dc.dataclass(frozen=True)
class Repositories:
    """Package sources, pins, keys, and what may upgrade packages behind our back."""

    sources: tuple[Source, ...] = ()
    preferences: tuple[Preference, ...] = ()
    keyrings: tuple[Key, ...] = ()
    unattended_upgrades: bool | None = None  # enabled and installed
    unattended_blacklist: tuple[str, ...] = ()  # Unattended-Upgrade::Package-Blacklist
    unknown: Unknown = dc.field(default_factory=dict)
