# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which package repositories and signing keys a release needs on a node."""

from __future__ import annotations

import typing as t

from ..errors import FleetError
from ..formats.fingerprint import normal
from .catalogue import Catalogue, Release
from .policy import Book, Policy
from .repositories import MANAGERS, OsPath, Repository, SigningKey, filled, mirrored
from .resolved import ResolvedKey, ResolvedOs, ResolvedRepository

# Format of the packages -> where a key is kept: apt wants it binary, rpm and its gpgkey= ASCII armoured.
KEYRINGS = {"deb": "/etc/apt/keyrings/instinct-{name}.gpg", "rpm": "/etc/pki/rpm-gpg/RPM-GPG-KEY-instinct-{name}"}


def choose(
    catalogue: Catalogue, release: Release, beside: t.Sequence[Release], os: ResolvedOs, path: OsPath, book: Book,
) -> tuple[tuple[ResolvedRepository, ...], dict[str, ResolvedKey]]:
    """The repositories and their keys by name: the driver's, the release's ROCm's, and those of ROCm beside it.

    The driver's is left out where the kernel's own driver is used.

    Raises:
        FleetError: a repository or key is not known, has no fingerprint, or is not sure enough for the site.
    """
    policy = book.policy
    unknown = sorted(set(policy.keys) - {key.name for key in catalogue.keys})
    if unknown:
        raise FleetError("gpu_release_keys", f"there is no signing key {unknown[0]!r}",
                         "the catalogue has " + ", ".join(key.name for key in catalogue.keys))
    _refuse_idle_mirrors(catalogue, policy.mirrors)
    asked = [("driver", release)] if policy.driver_source == "dkms" else []
    found: dict[ResolvedRepository, None] = {}
    keys: dict[str, ResolvedKey] = {}
    for stream, of in (*asked, *((r.stream, r) for r in (release, *beside))):
        where, repository = f"release {of.name}", _serving(catalogue, stream, of, os.manager)
        book.accept(where, f"repository {repository.name}", repository.provenance)
        bases = _bases(catalogue, repository, policy)
        found[_repository(repository, of, path.words(os.version), policy.mirrors, bases)] = None
        key = next((k for k in catalogue.keys if k.name == repository.key), None)
        if key is None:
            raise FleetError(where, f"repository {repository.name} names the signing key {repository.key!r}, "
                             "which the catalogue does not have", "add it to keys in repositories.yml")
        keys[key.name] = _key(where, key, os, book)
    return tuple(found), keys


def _serving(catalogue: Catalogue, stream: str, release: Release, manager: str) -> Repository:
    for repository in reversed(catalogue.repositories):
        if repository.serves(manager, stream, release.driver.release, release.rocm):
            return repository
    raise FleetError(f"release {release.name}",
                     f"no {stream} repository is known for ROCm {release.rocm} and {manager}",
                     "add one to repositories.yml in a directory of gpu_release_catalogue_dirs")


def _refuse_idle_mirrors(catalogue: Catalogue, mirrors: t.Mapping[str, str]) -> None:
    """Refuse a mirror of nothing: a slip there would send nodes to the vendor unnoticed."""
    addresses = [*(r.uri for r in catalogue.repositories), *(key.url for key in catalogue.keys)]
    fixed = [address.split("{", maxsplit=1)[0] for address in addresses]
    for base in mirrors:
        if not any(url.startswith(base.rstrip("/") + "/") or base.startswith(url) for url in fixed):
            hosts = sorted({"/".join(url.split("/")[:3]) for url in fixed})
            raise FleetError(f"gpu_release_mirrors.{base}", "no repository or key of the catalogue is there",
                             f"they are at {', '.join(hosts)}")


def _repository(
    repository: Repository, release: Release, places: t.Mapping[str, str], mirrors: t.Mapping[str, str],
    bases: tuple[str, ...],
) -> ResolvedRepository:
    words = {**places, "driver": release.driver.release.directory, "rocm": release.rocm.directory}
    return ResolvedRepository(
        repository.name, (MANAGERS[repository.manager],), mirrored(filled(repository.uri, words), mirrors),
        filled(repository.suite, words), repository.components, repository.architectures, repository.key,
        repository.origin, bases)


def _bases(catalogue: Catalogue, repository: Repository, policy: Policy) -> tuple[str, ...]:
    """The folders above all that differs between releases of any stream, at the vendor's and at the mirror."""
    same = [r for r in catalogue.repositories if (r.name, r.manager) == (repository.name, repository.manager)]
    bases = [r.uri.split("{", maxsplit=1)[0].rpartition("/")[0] + "/" for r in same]
    return tuple(dict.fromkeys((*bases, *(mirrored(base, policy.mirrors) for base in bases))))


def _key(where: str, key: SigningKey, os: ResolvedOs, book: Book) -> ResolvedKey:
    own = book.policy.keys.get(key.name)
    keyring = filled(KEYRINGS[MANAGERS[os.manager]], {"name": key.name})
    url = mirrored(key.url, book.policy.mirrors)
    if own:
        return ResolvedKey(own.url or url, normal(own.fingerprint, f"gpu_release_keys.{key.name}"), keyring)
    if key.fingerprint is None:
        raise FleetError(where, f"the fingerprint of signing key {key.name} ({key.url}) is not known, "
                         "so its repository cannot be trusted",
                         f"set gpu_release_keys.{key.name}.fingerprint to one that you have verified",
                         key.provenance.first)
    book.accept(where, f"the fingerprint of signing key {key.name}", key.provenance)
    return ResolvedKey(url, key.fingerprint, keyring)
