# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What of the vendor's repositories a node must keep to come back to what it is: the signed lists that apt has of them,
and the archives of what is installed.
"""

from __future__ import annotations

import dataclasses as dc
import hashlib
import re
import typing as t

from ..errors import DataError, FleetError

# A line for each list of packages that apt knows. source: apt-get(8), indextargets
TARGETS = "$(SOURCESENTRY)\t$(REPO_URI)\t$(RELEASE)\t$(METAKEY)\t$(FILENAME)"
SIGNED = ("InRelease", "Release", "Release.gpg")
_TARGET = re.compile(r"^(?P<file>/[^\t]+):\d+\t(?P<uri>[^\t]+)\t(?P<suite>[^\t]+)\t(?P<key>[^\t]+)\t(?P<list>/[^\t]+)$")
_FIELD = re.compile(r"^(Package|Version|Architecture|Filename|Size|SHA256): (.*)$", re.MULTILINE)
_FIELDS = ("Package", "Version", "Architecture", "Filename", "Size", "SHA256")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9+.~_%:-]*")
# apt takes a list that is there for good as long as the Release file is the same.
_REFRESH = "remove the lists of apt (rm -r /var/lib/apt/lists/*), refresh them (apt-get update), then run again"


@dc.dataclass(frozen=True)
class Index:
    """One list of packages of a repository.

    Attributes:
        uri: of the repository, as ``canonical`` has it.
        suite: what apt is told of it: noble, or ./ of a flat one.
        key: name of the list in the repository's Release file: main/binary-amd64/Packages.
        path: where apt has it on the node, without the ending of what it may be compressed with.
    """

    uri: str
    suite: str
    key: str
    path: str

    @property
    def below(self) -> str:
        """Where Release files of the repository lie in it."""
        return "" if self.suite.endswith("/") else f"dists/{self.suite}/"

    @property
    def signed(self) -> str:
        """What the paths of its Release files on the node begin with."""
        return self.path[:-len(self.key)]


@dc.dataclass(frozen=True, order=True)
class Archive:
    """A package as a repository offers it. ``filename`` is below the repository ``uri``."""

    name: str
    version: str
    architecture: str
    filename: str
    size: int
    sha256: str
    uri: str = ""

    @property
    def cached(self) -> str:
        """What apt calls the archive in its cache. source: apt, pkgAcqArchive; quoted are _ and : and %"""
        version = self.version.replace("%", "%25").replace(":", "%3a").replace("_", "%5f")
        return f"{self.name}_{version}_{self.architecture}.deb"

    @property
    def asked(self) -> str:
        """As apt-get download is asked for it."""
        return f"{self.name}={self.version}"


def digest(content: bytes) -> str:
    """SHA256 of a content."""
    return hashlib.sha256(content).hexdigest()


def canonical(uri: str) -> str:
    """An address as apt itself writes it, without the slash at its end."""
    bare = re.sub(r"^(file|copy):/+", r"\1:/", uri)
    return bare.rstrip("/")


def folder(uri: str) -> str:
    """Name of the folder in which what is kept of a repository lies."""
    return re.sub(r"[^A-Za-z0-9.-]+", "_", canonical(uri)).strip("_.-")


def parse_targets(text: str, names: t.Collection[str]) -> tuple[Index, ...]:
    """The lists of sources in files of these names, from ``apt-get indextargets`` with TARGETS.

    Raises:
        DataError: a line is none.
    """
    found = []
    for line in text.splitlines():
        match = _TARGET.match(line)
        if match is None:
            raise DataError("apt-get indextargets", f"printed {line[:80]!r}, which is no list")
        if match["file"].rpartition("/")[2] in names:
            found.append(Index(canonical(match["uri"]), match["suite"], match["key"], match["list"]))
    return tuple(found)


def refuse_unlisted(index: Index, sha256: str, listed: t.Mapping[str, tuple[str, int]]) -> None:
    """Refuse a list that is not the signed one: apt would not take it from here.

    Raises:
        FleetError: it is not what the Release file tells, or that does not tell of it.
    """
    where = f"{index.uri} {index.suite} {index.key}"
    if index.key not in listed:
        raise FleetError(where, "is only signed as it is compressed, and apt has it otherwise, so it cannot be kept",
                         "mirror the repository with its plain lists (docs/airgap.md)")
    if listed[index.key][0] != sha256:
        raise FleetError(where, "is not the list that its Release file tells of", _REFRESH)


def parse_packages(text: str, uri: str) -> dict[tuple[str, str, str], Archive]:
    """(name, version, architecture) -> archive, from a Packages file.

    Raises:
        DataError: an archive lies outside the repository, or has no digest.
    """
    found = {}
    for stanza in text.split("\n\n"):
        fields = dict(_FIELD.findall(stanza))
        if not fields:
            continue
        archive = _archive(fields, uri)
        found[archive.name, archive.version, archive.architecture] = archive
    return found


def _archive(fields: t.Mapping[str, str], uri: str) -> Archive:
    where = f"{uri}: {fields.get('Package', 'a package')}"
    missing = [name for name in _FIELDS if name not in fields]
    if missing:
        raise DataError(where, f"has no {missing[0]} in the list of packages")
    if not all(_NAME.fullmatch(part) for part in fields["Filename"].split("/")) or not fields["Size"].isdigit():
        raise DataError(where, f"lies in {fields['Filename']!r} with size {fields['Size']!r}, which is no place of it")
    if not _SHA256.fullmatch(fields["SHA256"]):
        raise DataError(where, f"has the digest {fields['SHA256']!r}, which is none")
    return Archive(fields["Package"], fields["Version"], fields["Architecture"], fields["Filename"],
                   int(fields["Size"]), fields["SHA256"], uri)


def refuse_lists(missing: t.Sequence[str], trouble: str) -> None:
    """Refuse where apt can get no list of a source of the release. ``trouble``: what it said when it was to fetch it.

    Raises:
        FleetError: names the first.
    """
    if missing:
        raise FleetError(missing[0], "is in none of apt's lists, so what is installed from it cannot be kept"
                         + (trouble and f": {trouble}"), "let the node see that repository, then run again")


def refuse_unkept(missing: t.Sequence[str]) -> None:
    """Refuse where the installed version of a package is on offer nowhere: nothing could bring it back.

    Raises:
        FleetError: names them.
    """
    if missing:
        is_ = "is" if len(missing) == 1 else "are"
        raise FleetError(", ".join(missing), f"{is_} installed and on offer in no source of the release, so this node "
                         "could not come back to it", "let its mirror have what is installed, then refresh the lists")


def refuse_room(directory: str, needed: int, free: int) -> None:
    """Refuse where there is no room.

    Raises:
        FleetError: says how much there is.
    """
    if needed > free:
        what = f"has {free >> 20} MiB left, and to keep what is installed takes {needed >> 20} MiB"
        raise FleetError(directory, what, "make room there, then run again")
