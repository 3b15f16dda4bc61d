# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How much room a change of packages takes, and where: what apt says, held against what the file systems have."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from .check import OK, REFUSED, UNKNOWN

MIB = 1024 * 1024
KIB = 1024
# A line of apt-get --simulate for each package: Inst rocm-core [6.4.2 old] (7.2.3 AMD:noble [amd64]) (apt-get(8))
_COMES = re.compile(r"^Inst (?P<name>[^\s:]+)(?::\S+)?(?: \[[^\]]*\])? \((?P<version>\S+) ", re.MULTILINE)
_FIELD = re.compile(r"^(?P<key>Package|Version|Size|Installed-Size): (?P<value>\S+)$", re.MULTILINE)


@dc.dataclass(frozen=True)
class Size:
    """Of one version of a package: its archive, and its files once it is installed, where it tells. Bytes."""

    archive: int
    files: int | None


@dc.dataclass(frozen=True)
class Place:
    """Where the files of packages lie whose names match ``pattern``."""

    pattern: str
    directory: str


@dc.dataclass(frozen=True)
class Need:
    """What must fit below a directory, and what it is for, as people would say it."""

    directory: str
    size: int  # bytes
    what: str
    assumed: bool = False  # nobody measured it on this node

    @classmethod
    def of(cls, directory: str, mib: int, what: str, assumed: bool) -> Need:
        """A need in MiB, as options have it."""
        return cls(directory, mib * MIB, what, assumed)


@dc.dataclass(frozen=True)
class Room:
    """The file system that a directory is on. ``device`` tells file systems apart."""

    directory: str
    device: int
    mount: str
    free: int  # bytes that root may still write; the same as anybody may
    read_only: bool = False


def parse_places(raw: t.Iterable[t.Mapping[str, str]]) -> tuple[Place, ...]:
    """Read places; the first whose pattern matches a name holds.

    Raises:
        DataError: a pattern is not a regular expression.
    """
    found = []
    for item in raw:
        try:
            re.compile(item["pattern"])
        except re.error as error:
            raise DataError("places", f"{item['pattern']!r} is no regular expression: {error}") from error
        found.append(Place(item["pattern"], item["directory"]))
    return tuple(found)


def parse_coming(simulation: str) -> tuple[tuple[str, str], ...]:
    """Name and version of each package that apt would install, from its simulation."""
    return tuple((match["name"], match["version"]) for match in _COMES.finditer(simulation))


def parse_sizes(text: str) -> dict[tuple[str, str], Size]:
    """Read ``apt-cache show``: name and version -> size. Installed-Size is of KiB, and optional (deb-control(5))."""
    found = {}
    for stanza in text.split("\n\n"):
        fields = {match["key"]: match["value"] for match in _FIELD.finditer(stanza)}
        archive, files = (fields.get(key, "") for key in ("Size", "Installed-Size"))
        if archive.isdecimal() and {"Package", "Version"} <= fields.keys():
            found[fields["Package"], fields["Version"]] = Size(
                int(archive), int(files) * KIB if files.isdecimal() else None)
    return found


def parse_installed(text: str) -> dict[str, int]:
    """Read lines ``name KiB`` of dpkg-query: name -> bytes of its files now."""
    words = (line.split() for line in text.splitlines())
    return {word[0]: int(word[1]) * KIB for word in words if len(word) == 2 and word[1].isdecimal()}


def of_packages(
    coming: t.Sequence[tuple[str, str]], sizes: t.Mapping[tuple[str, str], Size], now: t.Mapping[str, int],
    places: t.Sequence[Place],
) -> tuple[Need, ...]:
    """What the packages take. While one is unpacked, its old files and its new ones are both there.

    What is removed is not counted as free: it may go only after the new packages came.
    """
    grows: dict[str, int] = {}
    widest: dict[str, int] = {}
    for name, version in coming:
        told = sizes.get((name, version))
        size = told.files or 0 if told else 0
        where = next((place.directory for place in places if re.match(place.pattern, name)), "/usr")
        grows[where] = grows.get(where, 0) + max(size - now.get(name, 0), 0)
        widest[where] = max(widest.get(where, 0), min(size, now.get(name, 0)))
    archives = sum(sizes[one].archive for one in coming if one in sizes)
    needs = [Need(where, size + widest[where], "packages") for where, size in grows.items()]
    return (*needs, *([Need("/var/cache/apt/archives", archives, "their archives")] if archives else []))


def untold(coming: t.Iterable[tuple[str, str]], sizes: t.Mapping[tuple[str, str], Size]) -> int:
    """How many of the packages do not tell how large they are once they are installed."""
    return sum(one not in sizes or sizes[one].files is None for one in coming)


def judged(needs: t.Sequence[Need], rooms: t.Sequence[Room], spare: int) -> tuple[str, tuple[str, ...]]:
    """OK, REFUSED or UNKNOWN, and a sentence for each file system. ``spare``: bytes that must stay free.

    What is assumed and not measured refuses nothing.
    """
    sure = _lacking([need for need in needs if not need.assumed], rooms, spare)
    if sure:
        return REFUSED, sure
    perhaps = _lacking(needs, rooms, spare)
    if perhaps:
        return UNKNOWN, perhaps
    return OK, tuple(f"{room.mount} has {in_mib(room.free)} free" for room in {r.device: r for r in rooms}.values())


def _lacking(needs: t.Sequence[Need], rooms: t.Sequence[Room], spare: int) -> tuple[str, ...]:
    on = {room.directory: room for room in rooms}
    found: dict[int, list[Need]] = {}
    for need in needs:
        found.setdefault(on[need.directory].device, []).append(need)
    sentences = []
    for some in found.values():
        room, size = on[some[0].directory], sum(need.size for need in some)
        if room.read_only:
            sentences.append(f"{room.mount}: is mounted read-only, and {some[0].what} must be written there; "
                             "find out why, then run again")
        elif size + spare > room.free:
            parts = ", ".join(f"{in_mib(need.size)} for {need.what}{' (assumed)' * need.assumed}" for need in some)
            sentences.append(f"{room.mount}: has {in_mib(room.free)} free and needs {in_mib(size + spare)} ({parts}, "
                             f"{in_mib(spare)} to stay free); make room there, then run again")
    return tuple(sentences)


def in_mib(size: int) -> str:
    """A size in words, rounded up."""
    return f"{-(-size // MIB)} MiB"
