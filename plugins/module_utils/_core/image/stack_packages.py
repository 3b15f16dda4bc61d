# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What the nodes' stack of RDMA gives to a layer: the versions that its packages have there."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from ..rdma.catalogue import Catalogue
from .shape import Package

_VARIABLE = "rocm_image_rdma_versions"


@dc.dataclass(frozen=True)
class Stacked:
    """RDMA of the nodes. ``versions``: source -> its one version; ``sources``: package -> the source that it is of."""

    versions: t.Mapping[str, str] = dc.field(default_factory=dict)
    sources: t.Mapping[str, str] = dc.field(default_factory=dict)


def sources(catalogue: Catalogue) -> dict[str, str]:
    """Package -> the source that it is of, whatever the package manager and the stack."""
    found: dict[str, str] = {}
    for stack in catalogue.stacks.values():
        for of in stack.packages.values():
            for source, names in of.items():
                found.update(dict.fromkeys(names, source))
        found.update({one.to: found[one.name] for one in stack.renamed if one.name in found})
    return found


def held(where: str, packages: t.Sequence[Package], of: Stacked) -> tuple[Package, ...]:
    """The packages in the versions of the nodes: a version that is not written is filled in, another one is refused.

    Raises:
        FleetError: nothing says which version the nodes have, or they have another.
    """
    if not of.versions:
        raise FleetError(where, "is from stack.rdma, and no version of the nodes' RDMA is named",
                         f"name them in {_VARIABLE}, which is rdma_stack_versions where that is set")
    return tuple(_held(where, package, of) for package in packages)


def _held(where: str, package: Package, of: Stacked) -> Package:
    source = of.sources.get(package.name, package.name)
    version = of.versions.get(source)
    if version is None:
        raise FleetError(where, f"{package.name} is from stack.rdma, and {_VARIABLE} has no {source}",
                         "name its version there, or take the package in another layer")
    if package.version not in ("", version):
        raise FleetError(where, f"{package.name} {package.version} is not the {version} that the nodes have by "
                         f"{_VARIABLE}", "leave the version out, or bring nodes and image to one")
    return Package(package.name, version)
