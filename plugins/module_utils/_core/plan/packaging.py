# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Files by which a release pins its packages, in the words of the node's package manager."""

from __future__ import annotations

import typing as t

from . import aptfiles, managed
from .steps import WantedFile

if t.TYPE_CHECKING:
    from ..release.resolved import Resolved

# Regular expressions of unattended-upgrades: what a release pins must not move by itself.
UNATTENDED = ("^linux-", "^amdgpu", "^amdrocm", "^amd-smi", "^rocm", "^hip", "^hsa")
APT_PATHS = {
    "amdgpu": (managed.AMDGPU_SOURCES, managed.AMDGPU_PREFERENCES),
    "rocm": (managed.ROCM_SOURCES, managed.ROCM_PREFERENCES),
}


def source_files(wanted: Resolved, name: str, pins: t.Mapping[str, str]) -> list[WantedFile]:
    """The files of the release's repositories ``name``: where its packages come from, and which versions may come.

    There are several of one name where other ROCm releases are installed beside the active one. ``pins`` maps a name of
    packages, or a pattern of names, to a version, or a pattern of versions.
    """
    repositories = [r for r in wanted.repositories if r.name == name]
    sources, preferences = APT_PATHS[name]
    origins = tuple(dict.fromkeys(r.origin for r in repositories if r.origin))
    return [
        WantedFile(sources, aptfiles.deb822([
            aptfiles.Source(r.uri, r.suite, r.components, r.architectures, wanted.keys[r.key].keyring)
            for r in repositories])),
        WantedFile(preferences, aptfiles.preferences(origins, pins)),
    ]


def no_source_files(name: str) -> list[WantedFile]:
    """The same files, which should not exist."""
    return [WantedFile(path, None) for path in APT_PATHS[name]]


def unattended_files(restrict: bool) -> list[WantedFile]:
    """The file that keeps unattended upgrades away from what a release pins, or its absence."""
    return [WantedFile(managed.UNATTENDED, aptfiles.unattended_blacklist(UNATTENDED) if restrict else None)]
