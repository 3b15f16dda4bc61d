# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""ROCm of a release, and of others that are to stay beside it, on one node."""

from __future__ import annotations

import typing as t

from ..errors import FleetError
from .catalogue import Catalogue, Release
from .components import pick
from .policy import Book
from .products import Identity
from .repositories import MANAGERS
from .resolved import Resolved, ResolvedOs, ResolvedRocm

VARIABLE = "rocm_userspace_side_by_side"


def others(catalogue: Catalogue, release: Release, book: Book) -> tuple[Release, ...]:
    """The releases that the site wants beside the active one.

    Raises:
        FleetError: one is not known, is the active one, or would lie where another one lies.
    """
    found = [release]
    for name in book.policy.side_by_side:
        other = catalogue.release(name, VARIABLE)
        same = next((r for r in found if _prefix(r) == _prefix(other)), None)
        if same:
            raise FleetError(VARIABLE, f"{name} lies in {_prefix(other)}, where {same.name} lies",
                             "name releases of other places")
        book.accept(f"release {name}", "the release", other.provenance)
        found.append(other)
    return tuple(found[1:])


def resolve_rocm(
    catalogue: Catalogue, release: Release, os: ResolvedOs, gpus: t.Sequence[Identity], book: Book,
) -> ResolvedRocm:
    """Where ROCm of a release lies on the node, and how its packages are called and numbered.

    Legacy packages have the release's code in their version (rocminfo 1.0.0.70203-90~24.04, ROCm/ROCm#5797), those of
    TheRock begin with its number (7.14.0-3). Side by side, names end in 7.2.3 and in 7.14.

    Raises:
        FleetError: the release has no such component.
    """
    rocm, targets = release.rocm, sorted({p.llvm_target for gpu in gpus for p in gpu.products})
    packages = {}
    for name in book.policy.components:
        component = pick(catalogue.components, name, release.stream, release.name)
        book.accept(f"release {release.name}", f"component {name}", component.provenance)
        packages[name] = component.packages(MANAGERS[os.manager], targets)
    legacy = release.stream == "legacy"
    return ResolvedRocm(
        version=str(rocm), prefix=_prefix(release), package_pattern=f"*.{rocm.code}-*" if legacy else f"{rocm}-*",
        release=release.name, stream=release.stream, line=str(rocm) if legacy else f"{rocm.major}.{rocm.minor}",
        packages=packages)


def lines(wanted: Resolved) -> dict[str, ResolvedRocm]:
    """Stream and what ends names of packages -> the ROCm that they belong to, for every ROCm that is wanted.

    AMD's legacy packages stand side by side under names with a number only, and never beside those without
    (ROCm/rocm-install-on-linux:docs/install/install-methods/multi-version-install.rst). TheRock's packages without a
    number are empty.
    """
    all_of_them = (wanted.rocm, *wanted.beside)
    alone = sum(r.stream == "legacy" for r in all_of_them) == 1
    return {f"{r.stream} {'' if r.stream == 'legacy' and alone else r.line}": r for r in all_of_them}


def components(wanted: Resolved) -> dict[str, ResolvedRocm]:
    """Name of a package -> the ROCm that it belongs to, for all components of every ROCm that is wanted."""
    return {template.format(line=key.partition(" ")[2]): rocm for key, rocm in lines(wanted).items()
            for templates in rocm.packages.values() for template in templates}


def _prefix(release: Release) -> str:
    """Where the packages of a release put it.

    source: https://rocm.docs.amd.com/en/docs-10.0.0/_sources/about/transition-guide-TheRock.md
    """
    rocm = release.rocm
    return f"/opt/rocm-{rocm}" if release.stream == "legacy" else f"/opt/rocm/core-{rocm.major}.{rocm.minor}"
