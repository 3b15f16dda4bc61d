# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What pins a package, a base and a key: one version, one digest, one whole fingerprint. Anything else is refused."""

from __future__ import annotations

import re

from ..errors import DataError, FleetError
from ..formats.fingerprint import normal
from ..formats.pgp import fingerprints
from .shape import Package, Parent

DIGEST = r"sha256:[0-9a-f]{64}"
_NAME = re.compile(r"[a-z0-9][a-z0-9+._-]+", re.ASCII | re.IGNORECASE)
# source: deb-version(7), https://rpm-software-management.github.io/rpm/manual/dependencies.html
_VERSION = re.compile(r"(?:[0-9]+:)?[0-9][A-Za-z0-9.+~^_-]*", re.ASCII)
_LINE = re.compile(r"(?:^|[.-])x(?:$|[.-])", re.IGNORECASE)  # 7.0.x
# source: https://github.com/distribution/reference, reference.go; with a host, as no short name means one image
_REPOSITORY = re.compile(r"[a-z0-9.-]+(?::[0-9]+)?(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)+", re.ASCII)


def package(text: str) -> Package:
    """What ``name=version`` says.

    Raises:
        DataError: it is no package, or its version is none or several.
    """
    name, _sign, version = text.partition("=")
    if not _NAME.fullmatch(name):
        raise DataError(repr(text), "is not a package", "write it as name=version")
    if not version:
        raise DataError(name, "is not pinned", f"write it as {name}=version, with the one version that you tested")
    if not _VERSION.fullmatch(version) or _LINE.search(version):
        raise DataError(name, f"is not pinned by {version!r}, which is no exact version",
                        "name the one version that you tested")
    return Package(name, version)


def named(text: str) -> Package:
    """What ``name=version`` says, or the name alone, whose version is then empty.

    Raises:
        DataError: it is neither.
    """
    return Package(text, "") if _NAME.fullmatch(text) else package(text)


def digest(text: str) -> str:
    """The digest.

    Raises:
        DataError: it is none.
    """
    if not re.fullmatch(DIGEST, text, re.ASCII):
        raise DataError(repr(text), "is not a digest", "write it as sha256: and 64 hexadecimal digits")
    return text


def image(text: str) -> Parent:
    """A base image by its digest: ``docker.io/library/debian@sha256:...``.

    Raises:
        DataError: it has no digest, or a tag besides, or no host.
    """
    name, _at, pinned = text.partition("@")
    if not pinned:
        raise DataError(repr(text), "has no digest, so it may be another image tomorrow",
                        "write it as host/name@sha256:..., as skopeo inspect tells it")
    if not _REPOSITORY.fullmatch(name):
        raise DataError(repr(text), "is not an image of a registry", "write it as host/name@sha256:..., without a tag")
    return Parent(digest(pinned), image=text)


def check_key(where: str, armoured: str, fingerprint: str) -> str:
    """The whole fingerprint of the one key in an armoured text.

    Raises:
        DataError: the text is no key, or the fingerprint is not whole.
        FleetError: it is another key, or there is one more.
    """
    wanted = normal(fingerprint, where)
    found = fingerprints(armoured.encode(), where)
    if found != (wanted,):
        raise FleetError(where, f"its key is {', '.join(found)}, not just the pinned {wanted}",
                         "ask the publisher which key is right")
    return wanted
