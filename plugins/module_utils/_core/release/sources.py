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
from .policy import Book
from .repositories import MANAGERS, OsPath, Repository, SigningKey, filled, mirrored
from .resolved import ResolvedKey, ResolvedOs, ResolvedRepository

# Format of the packages -> where a key is kept: apt wants it binary, rpm and its gpgkey= ASCII armoured.
KEYRINGS = {"deb": "/etc/apt/keyrings/instinct-{name}.gpg", "rpm": "/etc/pki/rpm-gpg/RPM-GPG-KEY-instinct-{name}"}


def choose(
    catalogue: Catalogue, release: Release, os: ResolvedOs, path: OsPath, book: Book,
) -> tuple[tuple[ResolvedRepository, ...], dict[str, ResolvedKey]]:
    """The repositories and their keys by name. The driver's is left out where the kernel's own driver is used.

    Raises:
        FleetError: a repository or key is not known, has no fingerprint, or is not sure enough for the site.
    """
    where, policy = f"release {release.name}", book.policy
    unknown = sorted(set(policy.keys) - {key.name for key in catalogue.keys})
    if unknown:
        raise FleetError("gpu_release_keys", f"there is no signing key {unknown[0]!r}",
                         "the catalogue has " + ", ".join(key.name for key in catalogue.keys))
    found: list[ResolvedRepository] = []
    keys: dict[str, ResolvedKey] = {}
    for stream in ("driver", release.stream) if policy.driver_source == "dkms" else (release.stream,):
        repository = next((r for r in reversed(catalogue.repositories)
                           if r.serves(os.manager, stream, release.driver.release, release.rocm)), None)
        if repository is None:
            raise FleetError(where, f"no {stream} repository is known for ROCm {release.rocm} and {os.manager}",
                             "add one to repositories.yml in a directory of gpu_release_catalogue_dirs")
        book.accept(where, f"repository {repository.name}", repository.provenance)
        found.append(_repository(repository, release, path.words(os.version), policy.mirrors))
        key = next((k for k in catalogue.keys if k.name == repository.key), None)
        if key is None:
            raise FleetError(where, f"repository {repository.name} names the signing key {repository.key!r}, "
                             "which the catalogue does not have", "add it to keys in repositories.yml")
        keys[key.name] = _key(where, key, os, book)
    return tuple(found), keys


def _repository(
    repository: Repository, release: Release, places: t.Mapping[str, str], mirrors: t.Mapping[str, str],
) -> ResolvedRepository:
    words = {**places, "driver": release.driver.release.directory, "rocm": release.rocm.directory}
    return ResolvedRepository(
        repository.name, (MANAGERS[repository.manager],), mirrored(filled(repository.uri, words), mirrors),
        filled(repository.suite, words), repository.components, repository.architectures, repository.key,
        repository.origin, _bases(repository, mirrors))


def _bases(repository: Repository, mirrors: t.Mapping[str, str]) -> tuple[str, ...]:
    """The folder above all that differs between releases, at the vendor's and at the mirror."""
    base = repository.uri.split("{", maxsplit=1)[0].rpartition("/")[0] + "/"
    return tuple(dict.fromkeys((base, mirrored(base, mirrors))))


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
