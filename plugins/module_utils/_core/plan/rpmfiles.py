# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Text of the .repo files that the roles manage. Same input, same bytes: a digest tells whether to write."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .aptfiles import HEADER

# Before what the distribution and EPEL offer under the same names, at 99; the lower number wins, and hides the others.
# source: dnf.conf(5), zypper(8),
# ROCm/amdgpu-docs:docs/install/detailed-install/package-manager/package-manager-rhel.rst
PRIORITY = 50
# zypper asks a person about repositories whose index is not signed; what counts is that every package is.
# source: zypper(8), zypp.conf; seen with zypper 1.14.42
_ZYPPER = "autorefresh=1\ntype=rpm-md\nrepo_gpgcheck=0\npkg_gpgcheck=1\n"


@dc.dataclass(frozen=True)
class Repo:
    """One repository. ``key`` is the path of the one armoured key that its packages are signed with."""

    id: str
    name: str
    uri: str
    key: str


def text(repos: t.Sequence[Repo], zypper: bool = False) -> str:
    """A .repo file with these repositories."""
    return HEADER + "\n".join(
        f"[{repo.id}]\nname={repo.name}\nbaseurl={repo.uri}\nenabled=1\npriority={PRIORITY}\ngpgcheck=1\n"
        f"gpgkey=file://{repo.key}\n" + (_ZYPPER if zypper else "") for repo in repos)
