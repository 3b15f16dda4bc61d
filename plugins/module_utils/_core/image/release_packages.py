# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a release gives to a layer: where its ROCm lies, by which key, and which versions of packages are of it."""

from __future__ import annotations

import dataclasses as dc
import fnmatch
import re
import typing as t

from ..errors import FleetError
from ..look.shape import Kernel, Look, Os
from ..release.catalogue import Catalogue
from ..release.components import STEM
from ..release.policy import Policy
from ..release.resolve import resolve
from .repository import stanza
from .shape import Package, Repository

_CODE = re.compile(r"\.\d{5,6}-", re.ASCII)  # .70002-: see RocmVersion.code


@dc.dataclass(frozen=True)
class Released:
    """ROCm of a release for an operating system. ``pattern``: what versions of its packages match."""

    release: str
    rocm: str
    pattern: str
    repository: Repository


def released(catalogue: Catalogue, name: str, os: str, version: str, policy: Policy) -> Released:
    """ROCm of the release of that name. What drives GPUs is the node's, and no part of an image.

    Raises:
        FleetError: the release is not known, not for that operating system, or not sure enough for the site.
    """
    node = Look(os=Os(id=os, version_id=version, point_version=version), kernel=Kernel())
    found = resolve(catalogue, name, node, dc.replace(policy, driver_source="in_tree"))
    rocm = found.repositories[-1]
    key = found.keys[rocm.key]
    text = stanza(os, rocm.name, rocm.uri, rocm.suite, rocm.components, rocm.architectures)
    return Released(name, found.rocm.version, found.rocm.package_pattern,
                    Repository(rocm.name, text, "", key.fingerprint, key.url))


def check(where: str, packages: t.Iterable[Package], of: Released) -> None:
    """Hold packages of ROCm, by their names, to the release.

    Some of its packages do not tell their release, such as rocprofiler-sdk 1.0.0-56~24.04 of ROCm 7.0.2: those pass.
    source: https://repo.radeon.com/rocm/apt/7.0.2/pool/main/r/rocprofiler-sdk

    Raises:
        FleetError: one has a version of another release.
    """
    legacy = of.pattern.startswith("*")
    for package in packages:
        ours = re.fullmatch(STEM, package.name, re.ASCII) and (not legacy or _CODE.search(package.version))
        if ours and not fnmatch.fnmatchcase(package.version, of.pattern):
            raise FleetError(where, f"{package.name} {package.version} is not of {of.release}, whose versions match "
                             f"{of.pattern}", "take the version that its repository offers")
