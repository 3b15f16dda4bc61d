# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From a release's name and a look at a node to one checked fact, or a refusal that names the broken rule and its source."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from . import resolve_kernel
from .catalogue import OS_TITLES, Catalogue, DriverPin, OsRow, Release
from .errors import FleetError
from .look import Look
from .products import Identity, identify
from .provenance import CONFIDENCES, DEFAULT_ACCEPT, Provenance
from .repositories import OsPath, Repository, SigningKey, filled, fingerprint_of, mirrored
from .resolved import (
    Resolved,
    ResolvedDriver,
    ResolvedFirmware,
    ResolvedGpu,
    ResolvedKey,
    ResolvedOs,
    ResolvedRepository,
    ResolvedRocm,
)
from .strict import Reader
from .versions import parse_driver_package
from .windows import check_gpu, check_window

__all__ = ["KeyOverride", "Policy", "Resolved", "ResolvedKey", "resolve"]

KEYRINGS = "/etc/apt/keyrings"
DRIVER_SOURCES = ("dkms", "in_tree")


@dc.dataclass(frozen=True)
class KeyOverride:
    """A site's own word on a signing key. ``url`` None: the catalogue's, at the mirror."""

    fingerprint: str
    url: str | None = None

    @classmethod
    def read(cls, reader: Reader) -> KeyOverride:
        """One record of ``keys``."""
        return cls(reader.text("fingerprint"), reader.text("url", "") or None)


@dc.dataclass(frozen=True)
class Policy:
    """What the site decides: the variables gpu_release_* and gpu_driver_source.

    Attributes:
        accept: confidences that are acted on besides ``documented``.
        mirrors: base URL -> base URL of a mirror.
        keys: name of a signing key -> the site's own fingerprint for it.
        kernel: exact kernel to run; None: the running one.
        driver_source: ``dkms`` or ``in_tree``.
    """

    accept: tuple[str, ...] = ()
    mirrors: t.Mapping[str, str] = dc.field(default_factory=dict)
    keys: t.Mapping[str, KeyOverride] = dc.field(default_factory=dict)
    kernel: str | None = None
    driver_source: str = "dkms"

    @classmethod
    def from_dict(cls, raw: object) -> Policy:
        """From plain data; every key may be left out.

        Raises:
            DataError: a key is unknown or has the wrong type.
        """
        reader = Reader(raw, "policy:")
        policy = cls(
            accept=reader.texts("accept", (), "|".join(CONFIDENCES)), mirrors=reader.texts_by_name("mirrors"),
            keys=reader.named("keys", KeyOverride.read), kernel=reader.text("kernel", "") or None,
            driver_source=reader.choice("driver_source", DRIVER_SOURCES, "dkms"),
        )
        reader.done()
        return policy


class _Notes:
    """Collects notes and sources in order, each once."""

    def __init__(self) -> None:
        self.notes: dict[str, None] = {}
        self.sources: dict[str, None] = {}

    def note(self, text: str) -> None:
        if text:
            self.notes[text] = None

    def used(self, provenance: Provenance, note: bool = False) -> None:
        self.sources.update(dict.fromkeys(provenance.source))
        if note:
            self.note(provenance.note)


def resolve(catalogue: Catalogue, name: str, look: Look, policy: Policy) -> Resolved:
    """What the release means for the node.

    Raises:
        FleetError: a rule is broken; nothing may be changed on the node.
    """
    release = catalogue.release(name)
    book = _Notes()
    _accept(f"release {name}", "the release", release.provenance, policy, book, note=True)
    row, path = _operating_system(catalogue, release, look, policy, book)
    gpus = _gpus(catalogue, release, row, look, policy, book)
    driver = _driver(catalogue, release, path, policy, book)
    kernel = resolve_kernel.choose(catalogue, release, row, look, gpus, driver, policy.kernel, book.note)
    repositories, keys = _repositories(catalogue, release, path, policy, book)
    return Resolved(
        name=name, title=release.title, confidence=release.provenance.confidence, stream=release.stream,
        os=ResolvedOs(row.id, path.version), rocm=_rocm(release), driver=driver, kernel=kernel,
        repositories=repositories, keys=keys, firmware=_firmware(release, gpus, book),
        gpus=tuple(ResolvedGpu(g.bdf, g.device_id, g.name) for g in gpus),
        notes=tuple(book.notes), sources=tuple(book.sources),
    )


def _accept(where: str, what: str, provenance: Provenance, policy: Policy, book: _Notes, note: bool = False) -> None:
    """Note the record as used, or refuse it because the site has not accepted data of its confidence."""
    if provenance.confidence not in (DEFAULT_ACCEPT, *policy.accept):
        reason = f" ({provenance.note})" if provenance.note else ""
        raise FleetError(where, f"{what} is {provenance.confidence}, not documented{reason}",
                         f"add {provenance.confidence} to gpu_release_accept to act on it", provenance.first)
    book.used(provenance, note)


def _operating_system(catalogue: Catalogue, release: Release, look: Look, policy: Policy, book: _Notes) -> tuple[OsRow, OsPath]:
    where = f"release {release.name}"
    if look.os is None or not look.os.id or not look.os.version_id:
        raise FleetError("os", "the look does not tell the operating system of the node", "look with the section os")
    point = look.os.point_version or look.os.version_id
    found = f"{OS_TITLES.get(look.os.id, look.os.id)} {look.os.version_id}"
    if not release.os:
        raise FleetError(where, "which operating systems it supports is not known",
                         "name them in a release file of that name in a directory of gpu_release_catalogue_dirs")
    rows = [r for r in release.os if r.id == look.os.id and (_within(r.version, look.os.version_id) or _within(look.os.version_id, r.version))]
    if not rows:
        raise FleetError(where, f"{found} is not among its operating systems", "it supports " + ", ".join(r.title for r in release.os),
                         release.provenance.first)
    row = next((r for r in rows if r.version == point), None) or max(rows, key=lambda r: [int(n) for n in r.version.split(".")])
    if not _within(row.version, point):
        book.note(f"the node runs {OS_TITLES[row.id]} {point}; AMD lists {row.title}")
    _accept(where, f"support for {row.title}", row.provenance, policy, book, note=True)
    path = next((p for p in catalogue.os_paths if p.os == row.id and p.version == look.os.version_id), None)
    if path is None:
        raise FleetError(where, f"the package repositories for {found} are not known",
                         "so far packages are pinned for " + ", ".join(f"{OS_TITLES[p.os]} {p.version}" for p in catalogue.os_paths))
    _accept(where, f"the repository path of {found}", path.provenance, policy, book)
    return row, path


def _within(outer: str, inner: str) -> bool:
    """True when ``inner`` is ``outer`` or a point release of it: 24.04.3 of 24.04."""
    return inner == outer or inner.startswith(outer + ".")


def _gpus(catalogue: Catalogue, release: Release, row: OsRow, look: Look, policy: Policy, book: _Notes) -> tuple[Identity, ...]:
    if look.gpus is None or not look.gpus.gpus:
        book.note("no GPU was found: what the release supports was not held against any")
        return ()
    found = tuple(identify(catalogue.products, g.bdf, g.device_id, g.market_name or g.product) for g in look.gpus.gpus)
    driver = release.driver.release if policy.driver_source == "dkms" else None
    for gpu in found:
        missing = [name for name in gpu.names if name not in row.gpus]
        if missing:
            hint = f"on {row.title} it supports " + ", ".join(row.gpus)
            if len(missing) < len(gpu.names):
                hint = f"it may be a {' or '.join(n for n in gpu.names if n in row.gpus)}: look at it with a driver that tells its name"
            raise FleetError(f"gpu {gpu.bdf}", f"{' or '.join(missing)} (1002:{gpu.device_id}) is not supported by {release.name} on {row.title}",
                             hint, row.provenance.first)
        check_gpu(catalogue.rules, gpu, release.rocm, driver)
        for product in gpu.products:
            book.used(product.provenance)
        if len(gpu.names) > 1:
            book.note(f"gpu {gpu.bdf}: 1002:{gpu.device_id} is {gpu.name}; the release supports both")
    return found


def _driver(catalogue: Catalogue, release: Release, path: OsPath, policy: Policy, book: _Notes) -> ResolvedDriver:
    if policy.driver_source == "in_tree":
        book.note("the kernel's own driver is used: AMD states no ROCm window for it")
        return ResolvedDriver("in_tree")
    where, pin = f"release {release.name}", release.driver
    window = check_window(where, catalogue.windows, pin.release, release.rocm)
    book.used(window.provenance)
    _refuse_unknown_build(where, pin)
    _accept(where, f"driver {pin.release}", pin.provenance, policy, book, note=True)
    packages = _driver_packages(where, pin, path, policy, book)
    parsed = parse_driver_package(packages["amdgpu-dkms"])
    return ResolvedDriver("dkms", str(pin.release), str(parsed.module), parsed.build, parsed.dkms_version, packages)


def _refuse_unknown_build(where: str, pin: DriverPin) -> None:
    if any(package.name == "amdgpu-dkms" for package in pin.packages):
        return
    module = f"module version {pin.module} does not tell it from others" if pin.module else "its module version is not known either"
    note = f" ({pin.provenance.note})" if pin.provenance.note else ""
    raise FleetError(where, f"the build number of driver {pin.release} is not known and {module}, so it cannot be pinned exactly{note}",
                     "name driver.packages in a release file of that name in a directory of gpu_release_catalogue_dirs",
                     pin.provenance.first)


def _driver_packages(where: str, pin: DriverPin, path: OsPath, policy: Policy, book: _Notes) -> dict[str, str]:
    packages = {}
    for package in pin.packages:
        name = package.name
        packages[name] = package.on(path.ubuntu)
        if name == "amdgpu-dkms":
            _accept(where, f"version {packages[name]} of {name}", package.provenance, policy, book)
            continue
        # A wrong firmware version cannot be installed, so it stops a run but harms nothing: noted, not refused.
        book.used(package.provenance)
        if package.provenance.confidence != DEFAULT_ACCEPT:
            book.note(f"version {packages[name]} of {name} is {package.provenance.confidence}: {package.provenance.note}")
    return packages


def _rocm(release: Release) -> ResolvedRocm:
    rocm = release.rocm
    if release.stream == "legacy":
        return ResolvedRocm(str(rocm), f"/opt/rocm-{rocm}", f"*.{rocm.code}-*")
    return ResolvedRocm(str(rocm), f"/opt/rocm/core-{rocm.major}.{rocm.minor}", f"{rocm}-*")


def _firmware(release: Release, gpus: tuple[Identity, ...], book: _Notes) -> tuple[ResolvedFirmware, ...]:
    names = {name for gpu in gpus for name in gpu.names} or set(release.gpus)
    rows = tuple(row for row in release.firmware if row.gpu in names)
    for row in rows:
        book.used(row.provenance)
    return tuple(ResolvedFirmware(row.gpu, row.kind, row.versions, row.provenance.confidence) for row in rows)


def _repositories(
    catalogue: Catalogue, release: Release, path: OsPath, policy: Policy, book: _Notes,
) -> tuple[tuple[ResolvedRepository, ...], dict[str, ResolvedKey]]:
    where = f"release {release.name}"
    unknown = sorted(set(policy.keys) - {key.name for key in catalogue.keys})
    if unknown:
        raise FleetError("gpu_release_keys", f"there is no signing key {unknown[0]!r}",
                         "the catalogue has " + ", ".join(key.name for key in catalogue.keys))
    streams = ("driver", release.stream) if policy.driver_source == "dkms" else (release.stream,)
    found: list[ResolvedRepository] = []
    keys: dict[str, ResolvedKey] = {}
    for stream in streams:
        repository = next((r for r in reversed(catalogue.repositories) if r.serves(stream, release.rocm)), None)
        if repository is None:
            raise FleetError(where, f"no {stream} repository is known for ROCm {release.rocm}",
                             "add one to repositories.yml in a directory of gpu_release_catalogue_dirs")
        _accept(where, f"repository {repository.name}", repository.provenance, policy, book)
        found.append(_repository(repository, release, path, policy.mirrors))
        key = next((k for k in catalogue.keys if k.name == repository.key), None)
        if key is None:
            raise FleetError(where, f"repository {repository.name} names the signing key {repository.key!r}, which the catalogue does not have")
        keys[key.name] = _key(where, key, policy, book)
    return tuple(found), keys


def _repository(repository: Repository, release: Release, path: OsPath, mirrors: t.Mapping[str, str]) -> ResolvedRepository:
    words = {"driver": release.driver.release.directory, "rocm": release.rocm.directory,
             "codename": path.codename, "directory": path.directory}
    return ResolvedRepository(
        repository.name, ("deb",), mirrored(filled(repository.uri, words), mirrors), filled(repository.suite, words),
        repository.components, repository.architectures, repository.key, repository.origin)


def _key(where: str, key: SigningKey, policy: Policy, book: _Notes) -> ResolvedKey:
    own = policy.keys.get(key.name)
    keyring = f"{KEYRINGS}/instinct-{key.name}.gpg"
    url = mirrored(key.url, policy.mirrors)
    if own:
        return ResolvedKey(own.url or url, fingerprint_of(own.fingerprint, f"gpu_release_keys.{key.name}"), keyring)
    if key.fingerprint is None:
        raise FleetError(where, f"the fingerprint of signing key {key.name} ({key.url}) is not known, so its repository cannot be trusted",
                         f"set gpu_release_keys.{key.name}.fingerprint to one that you have verified", key.provenance.first)
    _accept(where, f"the fingerprint of signing key {key.name}", key.provenance, policy, book)
    return ResolvedKey(url, key.fingerprint, keyring)
