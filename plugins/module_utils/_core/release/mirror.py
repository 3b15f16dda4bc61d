# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a site without a way to the vendor must mirror for a release: repositories, keys and packages."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from ..look.shape import Kernel, Look, Os
from .catalogue import Catalogue, OsRow, Release
from .kernel import OWN_KERNELS
from .kernel_release import KernelRelease
from .policy import Policy
from .repositories import OS_TITLES
from .resolve import resolve
from .resolved import Resolved, ResolvedRepository
from .userspace import components

SYSTEM = "debian 12 or rhel 9.6"
# Systems whose VERSION_ID in os-release has so many numbers; AMD's tables print more.
VERSION_NUMBERS = {"centos": 1, "debian": 1, "ubuntu": 2}


@dc.dataclass(frozen=True)
class MirrorRepository:
    """One repository. ``vendor`` is where it is mirrored from, ``uri`` where nodes look for it."""

    name: str
    format: str
    vendor: str
    uri: str
    suite: str
    components: tuple[str, ...]
    architectures: tuple[str, ...]
    key: str


@dc.dataclass(frozen=True)
class MirrorKey:
    """One signing key, from where and to where, as of MirrorRepository."""

    name: str
    vendor: str
    url: str
    fingerprint: str


@dc.dataclass(frozen=True)
class MirrorPackage:
    """One package that nodes install.

    Attributes:
        version: exact, or the pattern that its version matches where the vendor numbers each package otherwise.
        exact: whether ``version`` is one.
        repository: name of its repository; empty for a package of the operating system.
    """

    name: str
    version: str
    exact: bool
    repository: str


@dc.dataclass(frozen=True)
class Mirror:
    """What a release needs on one operating system; if it is ``refused`` there, why, and nothing else."""

    release: str
    os: str
    manager: str = ""
    repositories: tuple[MirrorRepository, ...] = ()
    signing_keys: tuple[MirrorKey, ...] = ()
    packages: tuple[MirrorPackage, ...] = ()
    refused: str = ""


def mirrors(catalogue: Catalogue, name: str, systems: t.Sequence[str], policy: Policy) -> tuple[Mirror, ...]:
    """What to mirror for a release: on the operating systems named, or on all that it lists.

    Raises:
        FleetError: the release is not known, or is refused on a system that was named, or on every one.
    """
    release = catalogue.release(name)
    if systems:
        return tuple(_mirror(catalogue, release, _system(release, text), policy) for text in systems)
    found = [_attempt(catalogue, release, row, policy) for row in release.os]
    if release.os and not any(mirror for mirror, _refusal in found):
        raise next(refusal for _mirror, refusal in found if refusal)
    return tuple(mirror or Mirror(name, row.title, refused=refusal.sentence if refusal else "")
                 for row, (mirror, refusal) in zip(release.os, found))


def _attempt(
    catalogue: Catalogue, release: Release, row: OsRow, policy: Policy,
) -> tuple[Mirror | None, FleetError | None]:
    try:
        return _mirror(catalogue, release, (row, row.version), policy), None
    except FleetError as refusal:
        return None, refusal


def _system(release: Release, text: str) -> tuple[OsRow, str]:
    """The row that covers an operating system as a person names it, and its version."""
    os_id, _blank, version = text.partition(" ")
    if os_id not in OS_TITLES or not version:
        raise FleetError("systems", f"{text!r} is not an operating system", f"write it as {SYSTEM}")
    for row in release.os:
        if row.id == os_id and (_begins(row.version, version) or _begins(version, row.version)):
            return row, version
    raise FleetError(f"release {release.name}", f"{OS_TITLES[os_id]} {version} is not among its operating systems",
                     "it supports " + ", ".join(r.title for r in release.os), release.provenance.first)


def _begins(version: str, with_: str) -> bool:
    """True when ``version`` is the other one or a point release of it."""
    return f"{version}.".startswith(f"{with_}.")


def _mirror(catalogue: Catalogue, release: Release, system: tuple[OsRow, str], policy: Policy) -> Mirror:
    row, version = system
    version_id = ".".join(version.split(".")[:VERSION_NUMBERS.get(row.id)])
    title = f"{OS_TITLES[row.id]} {version}"
    kernel = policy.kernel if policy.kernel and _is_own(policy.kernel, row.id) else None
    node = Look(os=Os(id=row.id, version_id=version_id, point_version=version), kernel=Kernel(running=kernel))
    own = dc.replace(policy, kernel=kernel)
    wanted, vendors = (resolve(catalogue, release.name, node, p) for p in (own, dc.replace(own, mirrors={})))
    if "." not in version_id and _by_minor_release(catalogue, release, row.id, version_id, wanted.os.manager):
        raise FleetError(f"release {release.name}", f"AMD has a driver repository for each minor release of {title}",
                         f"name one, as in {row.id} {version}.6")
    return Mirror(
        release=release.name, os=title, manager=wanted.os.manager,
        repositories=tuple(map(_repository, wanted.repositories, vendors.repositories)),
        signing_keys=tuple(MirrorKey(name, vendors.keys[name].url, key.url, key.fingerprint)
                           for name, key in wanted.keys.items()),
        packages=(*_packages(wanted), *_kernel_packages(catalogue, row, wanted)))


def _by_minor_release(catalogue: Catalogue, release: Release, os_id: str, version: str, manager: str) -> bool:
    """Whether the address of the driver's repository tells the minor release, which ``version`` does not."""
    path = next(p for p in catalogue.os_paths if p.covers(os_id, version))
    uri = next((r.uri for r in reversed(catalogue.repositories)
                if r.serves(manager, "driver", release.driver.release, release.rocm)), "")
    return not path.follows and ("{version}" in uri or ("{point}" in uri and not path.point))


def _is_own(kernel: str, os_id: str) -> bool:
    return KernelRelease.parse(kernel).family in OWN_KERNELS.get(os_id, ())


def _repository(found: ResolvedRepository, vendor: ResolvedRepository) -> MirrorRepository:
    return MirrorRepository(found.name, found.types[0], vendor.uri, found.uri, found.suite, found.components,
                            found.architectures, found.key)


def _packages(wanted: Resolved) -> t.Iterator[MirrorPackage]:
    for name, version in wanted.driver.packages.items():
        yield MirrorPackage(name, version, True, "amdgpu")
    for name, rocm in components(wanted).items():
        yield MirrorPackage(name, rocm.package_pattern, False, "rocm")


def _kernel_packages(catalogue: Catalogue, row: OsRow, wanted: Resolved) -> t.Iterator[MirrorPackage]:
    """Packages of the kernel: of the one that the site chose, or else what any one is made of."""
    if wanted.kernel.packages:
        return (MirrorPackage(name, "", True, "") for name in wanted.kernel.packages)
    family = OWN_KERNELS[row.id][0]
    names = next((p.names for p in reversed(catalogue.kernel_packages) if p.covers(family, wanted.os.version)), ())
    return (MirrorPackage(name, "", False, "") for name in names)
