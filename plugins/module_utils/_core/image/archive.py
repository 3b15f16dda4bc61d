# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""An OCI archive: which image it holds, and the note that lies beside it."""

from __future__ import annotations

import dataclasses as dc
import json
import re
import typing as t

from ..errors import DataError, FleetError
from ..strict import Reader, from_json
from .pins import DIGEST

KIND = "image_archive"
_HINT = "export the image anew"
_NAME = "org.opencontainers.image.ref.name"


@dc.dataclass(frozen=True)
class Archive:
    """An image as an archive has it, which a registry then has too.

    Attributes:
        id: digest of its configuration, 64 hexadecimal digits.
        digest: sha256:... of its manifest.
    """

    id: str
    digest: str


def manifest_digest(text: str, where: str) -> str:
    """Digest of the one manifest of an archive, by its index.json.

    Raises:
        DataError: it is no index, or one of several images.
    """
    manifests = _entries(text, where, "manifests")
    if len(manifests) != 1:
        raise DataError(where, f"holds {len(manifests)} images, not one", _HINT)
    return Reader(manifests[0], f"{where}: manifests[0]").text("digest", pattern=DIGEST)


def name(text: str, where: str) -> str:
    """What an archive calls its image, by its index.json: an engine that loads it gives it that name. Empty: nothing.

    Raises:
        DataError: it is no index.
    """
    manifests = _entries(text, where, "manifests")
    told = manifests[0].get("annotations") if manifests and isinstance(manifests[0], dict) else None
    return str(told.get(_NAME) or "") if isinstance(told, dict) else ""


def taken(name: str, ident: str, stored: t.Iterable[tuple[str, t.Sequence[str]]]) -> str:
    """What another image of a store is called that an archive would take the name of; empty: there is none.

    Args:
        ident: of the image in the archive.
        stored: id and names of each.
    """
    tagged = name if ":" in name.rpartition("/")[2] or not name else f"{name}:latest"
    return next((there for one, names in stored if one != ident for there in names
                 if tagged and (there == tagged or there.endswith(f"/{tagged}"))), "")


def image_id(text: str, where: str) -> str:
    """Id of the image that a manifest is of.

    Raises:
        DataError: it is no manifest of an image.
    """
    raw = from_json(text, where, _HINT).anything("config")
    return Reader(raw, f"{where}: config").text("digest", pattern=DIGEST).rpartition(":")[2]


def _entries(text: str, where: str, key: str) -> list[t.Any]:
    found = from_json(text, where, _HINT).anything(key)
    return found if isinstance(found, list) else []


def note(archive: Archive, tag: str, labels: t.Mapping[str, str], sha256: str, size_bytes: int) -> str:
    """What lies beside an archive, as JSON: who carries it can tell what it is without opening it."""
    said = {"version": "v1", "kind": KIND, **dc.asdict(archive), "tag": tag, "labels": dict(labels),
            "sha256": sha256, "size_bytes": size_bytes}
    return json.dumps(said, indent=2, sort_keys=True) + "\n"


def refuse_other(where: str, found: Archive, ident: str, digest: str) -> None:
    """Refuse an image that is not the wanted one. Empty: any.

    Raises:
        FleetError: id or digest differ.
    """
    for name, is_, wanted in (("id", found.id, ident), ("digest", found.digest, digest)):
        if wanted and is_ != wanted:
            raise FleetError(where, f"holds the {name} {is_}, not {wanted}",
                             "carry the archive of that image here, whole")


def pinned(reference: str) -> str:
    """Digest of a reference to an image in a registry.

    Raises:
        DataError: it has none, so that it may mean another image tomorrow.
    """
    match = re.fullmatch(rf"[^@\s]+@({DIGEST})", reference)
    if not match:
        raise DataError(reference or "image", "is not pinned by a digest", "write it as registry/name@sha256:...")
    return match.group(1)
