# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What podman and ldd print of images."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from ..strict import Reader, from_json
from .inspected import texts

_WORKS = re.compile(r"(?:^|-)working-container(?:-\d+)?$")
_HINT = "see which version of podman the node has"


@dc.dataclass(frozen=True)
class Stored:
    """An image of a store.

    Attributes:
        id: digest of its configuration, 64 hexadecimal digits.
        names: its tags, as name:tag.
        created: seconds since 1970.
    """

    id: str
    names: tuple[str, ...]
    labels: t.Mapping[str, str]
    size_bytes: int
    created: float


def images(text: str) -> tuple[Stored, ...]:
    """Images as ``podman images --format json`` prints them: one entry for each name or each image, by version.

    Raises:
        DataError: it is not what podman prints.
    """
    found: dict[str, Stored] = {}
    for index, raw in enumerate(_list(text, "podman images")):
        reader = Reader(raw, f"podman images[{index}]")
        ident = reader.text("Id", pattern="(?:sha256:)?[0-9a-f]{64}").rpartition(":")[2]
        names = tuple(str(name) for key in ("Names", "RepoTags")
                      for name in _array(raw.get(key), f"{reader.path}.{key}"))
        labels = texts(raw.get("Labels"), f"{reader.path}.Labels")
        known = found[ident].names if ident in found else ()
        found[ident] = Stored(ident, tuple(dict.fromkeys((*known, *names))), labels, reader.count("Size") or 0,
                              float(reader.count("Created") or 0))
    return tuple(found.values())


def in_use(text: str) -> frozenset[str]:
    """Ids of images that containers are made of, as ``podman ps --all --format json`` prints them.

    One that is made of a folder or of nothing has none: ``podman run --rootfs``, ``buildah from scratch``, of newer
    podman what holds a pod.

    Raises:
        DataError: it is not what podman prints.
    """
    found = _list(text, "podman ps")
    told = {Reader(raw, f"podman ps[{index}]").text("ImageID", "") for index, raw in enumerate(found)}
    return frozenset(ident.rpartition(":")[2] for ident in told if ident)


def working(text: str, base: str) -> frozenset[str]:
    """Ids of containers that a build on ``base`` works in, as ``buildah containers --json`` prints them.

    Those that somebody named are not among them. source: containers/buildah:new.go, how it names containers

    Args:
        base: id of an image, its reference, or scratch.

    Raises:
        DataError: it is not what buildah prints.
    """
    return frozenset(
        Reader(raw, f"buildah containers[{index}]").text("id")
        for index, raw in enumerate(_list(text, "buildah containers"))
        if base in (raw.get("imageid"), raw.get("imagename")) and _WORKS.search(str(raw.get("containername"))))


def _list(text: str, where: str) -> tuple[dict[str, t.Any], ...]:
    """Entries of a JSON list; podman and buildah print null for none."""
    reader = from_json(f'{{"list": {text.strip() or "null"}}}', where, _HINT)
    raw = _array(reader.anything("list"), where)
    for index, entry in enumerate(raw):
        Reader(entry, f"{where}[{index}]")
    return tuple(raw)


def _array(raw: object, where: str) -> list[t.Any]:
    if raw is not None and not isinstance(raw, list):
        raise DataError(where, "is no list", _HINT)
    return raw or []


# How the loader says what it lacks. source: glibc:elf/dl-lookup.c, elf/dl-version.c, elf/rtld.c
_LACKS = (
    re.compile(r"undefined symbol:? (?P<what>\S+?),?\s+(?:version \S+\s+)?\((?P<path>/[^)]+)\)"),
    re.compile(
        r"symbol (?P<what>\S+), version \S+ not defined in file \S+ with link time reference\s+\((?P<path>/[^)]+)\)"),
    re.compile(r"version `(?P<what>[^']+)' not found \(required by (?P<path>/[^)]+)\)"),
)


def loaded(text: str) -> dict[str, tuple[str, ...]]:
    """What ``ldd -r`` of several files could not find: path to libraries, versions and symbols; empty: it loads."""
    found: dict[str, list[str]] = {}
    path = ""
    for line in text.splitlines():
        head, absent = re.match(r"(/\S+):$", line), re.match(r"\s+(\S+) => not found", line)
        if head:
            path = head.group(1)
            found.setdefault(path, [])
        elif absent and path:
            found[path].append(absent.group(1))
        for match in filter(None, (pattern.search(line) for pattern in _LACKS)):
            if match["path"] in found:
                found[match["path"]].append(match["what"])
    return {name: tuple(dict.fromkeys(lacks)) for name, lacks in found.items()}
