# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From a release's name and a look at a node to one checked fact, or a refusal that names the rule and its source."""

from __future__ import annotations

import dataclasses as dc

from ..errors import FleetError
from ..look.shape import Look
from . import staying, userspace
from .catalogue import Catalogue, DriverPin, OsRow, Release
from .kernel import choose as choose_kernel
from .policy import Book, KeyOverride, Policy
from .products import Identity, identify
from .provenance import DEFAULT_ACCEPT
from .repositories import MANAGERS, OS_TITLES, OsPath
from .resolved import (
    Resolved,
    ResolvedDriver,
    ResolvedFirmware,
    ResolvedGpu,
    ResolvedKey,
    ResolvedOs,
    ResolvedRepository,
)
from .sources import choose as choose_repositories
from .versions import parse_driver_package
from .windows import check_gpu, check_window

__all__ = ["KeyOverride", "Policy", "Resolved", "ResolvedKey", "resolve"]

MACHINES = {"aarch64": "arm64", "x86_64": "amd64"}  # uname -m -> what Debian calls it
OWN_FILE = "in a release file of that name in a directory of gpu_release_catalogue_dirs"


def resolve(catalogue: Catalogue, name: str, look: Look, policy: Policy) -> Resolved:
    """What the release means for the node.

    Raises:
        FleetError: a rule is broken; nothing may be changed on the node.
    """
    release = catalogue.release(name)
    book = Book(policy)
    book.accept(f"release {name}", "the release", release.provenance)
    row, path, os = _operating_system(catalogue, release, look, book)
    gpus = _gpus(catalogue, release, row, look, book)
    beside = _beside(catalogue, release, look, book)
    rocm, *others = (userspace.resolve_rocm(catalogue, r, os, gpus, book) for r in (release, *beside))
    driver = _driver(catalogue, release, path, os.manager, book)
    kernel = choose_kernel(catalogue, release, row, look, gpus, os, driver, book)
    if policy.driver_stays:
        staying.check(catalogue, (release, *beside), look, book)
    repositories, keys = choose_repositories(catalogue, release, beside, os, path, book)
    _refuse_machine(f"release {name}", look, repositories)
    return Resolved(
        name=name, title=release.title, confidence=release.provenance.confidence, stream=release.stream,
        os=os, rocm=rocm, beside=tuple(others), driver=driver, kernel=kernel,
        repositories=repositories, keys=keys, firmware=_firmware(release, gpus, book),
        gpus=tuple(ResolvedGpu(g.bdf, g.device_id, g.name) for g in gpus), notes=book.notes, sources=book.sources,
    )


def _beside(catalogue: Catalogue, release: Release, look: Look, book: Book) -> tuple[Release, ...]:
    """The releases that stay beside it, each held against this node and this release's driver."""
    found = userspace.others(catalogue, release, book)
    for other in found:
        _gpus(catalogue, dc.replace(other, driver=release.driver),
              _operating_system(catalogue, other, look, book)[0], look, book)
        if book.policy.driver_source == "dkms":
            check_window(f"release {other.name}", catalogue.windows, release.driver.release, other.rocm, book)
    return found


def _refuse_machine(where: str, look: Look, repositories: tuple[ResolvedRepository, ...]) -> None:
    """Refuse a node for whose processor there are no packages."""
    machine = look.os.architecture if look.os else None
    for repository in repositories:
        if machine and not {machine, MACHINES.get(machine)} & set(repository.architectures):
            raise FleetError(where, f"its repository {repository.name} has packages for "
                             f"{', '.join(repository.architectures)}, and the node is {machine}",
                             "leave the node out of the fleet")


def _operating_system(
    catalogue: Catalogue, release: Release, look: Look, book: Book,
) -> tuple[OsRow, OsPath, ResolvedOs]:
    where = f"release {release.name}"
    if look.os is None or not look.os.id or not look.os.version_id:
        raise FleetError("os", "the look does not tell the operating system of the node", "look with the section os")
    version, point = look.os.version_id, look.os.point_version or look.os.version_id
    title = OS_TITLES.get(look.os.id, look.os.id)
    if not release.os:
        raise FleetError(where, "which operating systems it supports is not known", f"name them {OWN_FILE}")
    rows = [r for r in release.os
            if r.id == look.os.id and (_within(r.version, version) or _within(version, r.version))]
    if not rows:
        raise FleetError(where, f"{title} {version} is not among its operating systems",
                         "it supports " + ", ".join(r.title for r in release.os), release.provenance.first)
    row = next((r for r in rows if r.version == point), None) or max(rows, key=lambda r: _numbers(r.version))
    if not _within(row.version, point):
        book.note(f"the node runs {title} {point}; AMD lists {row.title}")
    book.accept(where, f"support for {row.title}", row.provenance, note=True)
    path, manager = _path(where, catalogue, row.id, version)
    book.accept(where, f"the repository path of {title} {version}", path.provenance)
    return row, path, ResolvedOs(row.id, version, manager)


def _path(where: str, catalogue: Catalogue, os: str, version: str) -> tuple[OsPath, str]:
    """What the operating system is called in repositories, and its package manager."""
    title = f"{OS_TITLES[os]} {version}"
    path = max((p for p in catalogue.os_paths if p.covers(os, version)), key=lambda p: len(p.version), default=None)
    if path is None:
        known = ", ".join(f"{OS_TITLES[p.os]} {p.version}" for p in catalogue.os_paths if p.manager)
        raise FleetError(where, f"the package repositories for {title} are not known",
                         f"so far packages are pinned for {known}")
    if path.manager is None:
        raise FleetError(where, f"packages on {title} are not managed: {path.refusal}", "choose another node",
                         path.provenance.first)
    return path, path.manager


def _within(outer: str, inner: str) -> bool:
    """True when ``inner`` is ``outer`` or a point release of it: 24.04.3 of 24.04."""
    return inner == outer or inner.startswith(outer + ".")


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _gpus(catalogue: Catalogue, release: Release, row: OsRow, look: Look, book: Book) -> tuple[Identity, ...]:
    if look.gpus is None or not look.gpus.gpus:
        book.note("no GPU was found: what the release supports was not held against any")
        return ()
    found = tuple(identify(catalogue.products, g.bdf, g.device_id, g.market_name or g.product) for g in look.gpus.gpus)
    driver = release.driver.release if book.policy.driver_source == "dkms" else None
    for gpu in found:
        _refuse_unsupported(release, row, gpu)
        check_gpu(catalogue.rules, gpu, release.rocm, driver)
        for product in gpu.products:
            book.use(product.provenance)
        if len(gpu.names) > 1:
            book.note(f"gpu {gpu.bdf}: 1002:{gpu.device_id} is {gpu.name}; the release supports both")
    return found


def _refuse_unsupported(release: Release, row: OsRow, gpu: Identity) -> None:
    missing = [name for name in gpu.names if name not in row.gpus]
    if not missing:
        return
    hint = f"there it supports {', '.join(row.gpus)}"
    if len(missing) < len(gpu.names):
        may_be = " or ".join(name for name in gpu.names if name in row.gpus)
        hint = f"it may be a {may_be}, whose device id is the same: look while a driver is loaded that tells its name"
    raise FleetError(f"gpu {gpu.bdf}", f"{' or '.join(missing)} (1002:{gpu.device_id}) is not supported by "
                     f"{release.name} on {row.title}", hint, row.provenance.first)


def _driver(catalogue: Catalogue, release: Release, path: OsPath, manager: str, book: Book) -> ResolvedDriver:
    if book.policy.driver_source == "in_tree":
        book.note("the kernel's own driver is used: AMD states no ROCm window for it")
        return ResolvedDriver("in_tree")
    where, pin = f"release {release.name}", release.driver
    check_window(where, catalogue.windows, pin.release, release.rocm, book)
    _refuse_unknown_build(where, pin, MANAGERS[manager])
    book.accept(where, f"driver {pin.release}", pin.provenance, note=True)
    packages = _driver_packages(where, pin, MANAGERS[manager], path.dist, book)
    parsed = parse_driver_package(packages["amdgpu-dkms"])
    return ResolvedDriver("dkms", str(pin.release), str(parsed.module), parsed.build, parsed.dkms_version, packages)


def _refuse_unknown_build(where: str, pin: DriverPin, form: str) -> None:
    if any((package.name, package.format) == ("amdgpu-dkms", form) for package in pin.packages):
        return
    if pin.build:
        raise FleetError(where, f"the version of amdgpu-dkms as {form} of driver {pin.release} is not known",
                         f"name driver.packages {OWN_FILE}", pin.provenance.first)
    module = "its module version is not known either"
    if pin.module:
        module = f"module version {pin.module} does not tell it from others"
    note = f" ({pin.provenance.note})" if pin.provenance.note else ""
    raise FleetError(where, f"the build number of driver {pin.release} is not known and {module}, "
                     f"so it cannot be pinned exactly{note}", f"name driver.packages {OWN_FILE}", pin.provenance.first)


def _driver_packages(where: str, pin: DriverPin, form: str, dist: str, book: Book) -> dict[str, str]:
    packages = {}
    for package in pin.packages:
        if package.format != form:
            continue
        name, version = package.name, package.on(dist)
        packages[name] = version
        if name == "amdgpu-dkms":
            book.accept(where, f"version {version} of {name}", package.provenance)
            continue
        # A wrong firmware version cannot be installed, so it stops a run but harms nothing: noted, not refused.
        book.use(package.provenance)
        if package.provenance.confidence != DEFAULT_ACCEPT:
            book.note(f"version {version} of {name} is {package.provenance.confidence}: {package.provenance.note}")
    return packages


def _firmware(release: Release, gpus: tuple[Identity, ...], book: Book) -> tuple[ResolvedFirmware, ...]:
    names = {name for gpu in gpus for name in gpu.names} or set(release.gpus)
    rows = tuple(row for row in release.firmware if row.gpu in names)
    for row in rows:
        book.use(row.provenance)
    return tuple(ResolvedFirmware(row.gpu, row.kind, row.versions, row.provenance.confidence, row.provenance.first)
                 for row in rows)
