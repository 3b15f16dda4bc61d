# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A snapshot: what a node was, and what it kept to become so again."""

from __future__ import annotations

import dataclasses as dc
import json
import re
import typing as t

from ..errors import DataError, FleetError
from ..strict import Reader, from_json

VERSION, KIND = "v1", "snapshot"
PLACE = "/var/lib/instinct/kept"
MIRROR = f"{PLACE}/mirror"
KEEPS = 2  # snapshots that stay
ID = r"[0-9]{8}T[0-9]{6}Z-[A-Za-z0-9._-]+"
_HINT = "remove it, and take another snapshot"
_SHA256 = r"[0-9a-f]{64}"
_PART = r"[A-Za-z0-9][A-Za-z0-9+.~_%:-]*"
_PATH = rf"{_PART}(?:/{_PART})*"


@dc.dataclass(frozen=True)
class File:
    """A file that is kept. ``path`` is below the snapshot's part of the mirror."""

    path: str
    size: int
    sha256: str


@dc.dataclass(frozen=True)
class Snapshot:
    """What a node kept of itself.

    Attributes:
        id: time and release; also the name of its part of the mirror.
        when: UTC in ISO 8601; the newest is the last known good.
        release: name of the release that the node recorded.
        kernel: the kernel that ran.
        kernels: those that were installed.
        holds: packages that were on hold.
        record: the node's record, as it was, byte by byte.
        folders: address of a repository -> folder of what is kept of it.
        keys: path of a keyring -> its copy.
        files: all that is kept.
        packages: name of each package that is kept -> its version.
        notes: what a person should know.
    """

    id: str
    when: str
    release: str
    kernel: str
    kernels: tuple[str, ...]
    holds: tuple[str, ...]
    record: str
    folders: t.Mapping[str, str] = dc.field(default_factory=dict)
    keys: t.Mapping[str, str] = dc.field(default_factory=dict)
    files: tuple[File, ...] = ()
    packages: t.Mapping[str, str] = dc.field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def to_text(self) -> str:
        """As it is written on the node."""
        return json.dumps({"version": VERSION, "kind": KIND, **dc.asdict(self)}, indent=1, sort_keys=True) + "\n"

    def for_plan(self) -> dict[str, t.Any]:
        """What a plan for this snapshot needs, as plain data: see plugin_utils/keeping.py."""
        root = f"{MIRROR}/{self.id}"
        # apt 2.6 does not read a list of file: that is only there uncompressed; of copy: it does.
        return {"id": self.id, "release": self.release, "kernel": self.kernel, "record": self.record,
                "kernels": list(self.kernels), "holds": list(self.holds),
                "mirrors": {uri: f"copy://{root}/{name}" for uri, name in self.folders.items()},
                "keys": {path: f"file://{root}/{name}" for path, name in self.keys.items()}}


def read(text: str, where: str) -> Snapshot:
    """A snapshot from its text.

    Raises:
        DataError: it is none, or was made by a later version of the collection.
    """
    reader = from_json(text, where, _HINT)
    reader.choice("version", (VERSION,))
    reader.choice("kind", (KIND,))
    found = Snapshot(
        id=reader.text("id", pattern=ID), when=reader.text("when"), release=reader.text("release"),
        kernel=reader.text("kernel"), kernels=reader.texts("kernels"), holds=reader.texts("holds"),
        record=reader.text("record"), folders=reader.texts_by_name("folders"), keys=reader.texts_by_name("keys"),
        files=reader.records("files", _file), packages=reader.texts_by_name("packages"), notes=reader.texts("notes"),
    )
    reader.done()
    for name in (*found.folders.values(), *found.keys.values()):
        if not re.fullmatch(_PATH, name, re.ASCII):
            raise DataError(where, f"names the folder {name!r}, which is none of its own", _HINT)
    return found


def _file(reader: Reader) -> File:
    return File(reader.text("path", pattern=_PATH), reader.count("size") or 0, reader.text("sha256", pattern=_SHA256))


def named(when: str, release: str) -> str:
    """The id of a snapshot that is made at that time, UTC in ISO 8601."""
    stamp = re.sub(r"[-:]", "", when)[:15]
    return f"{stamp}Z-{_plain(release)}"


def is_of(name: str, release: str) -> bool:
    """Whether a snapshot of this id is one of that release."""
    return name.partition("Z-")[2] == _plain(release)


def _plain(release: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "_", release)


def newest_first(snapshots: t.Iterable[Snapshot]) -> list[Snapshot]:
    """The last known good comes first."""
    return sorted(snapshots, key=lambda s: (s.when, s.id), reverse=True)


def chosen(snapshots: t.Iterable[Snapshot], name: str, release: str) -> Snapshot:
    """The snapshot of that id, or the newest of that release, or the newest.

    Raises:
        FleetError: there is none; says which there are.
    """
    there = newest_first(snapshots)
    found = [s for s in there if name in ("", s.id) and release in ("", s.release)]
    if found:
        return found[0]
    asked = f"snapshot {name}" if name else f"release {release}" if release else "snapshot"
    kept = ", ".join(f"{s.id} ({s.release})" for s in there)
    raise FleetError(asked, "is not kept on this node" if name or release else "there is none on this node",
                     f"choose one of {kept}" if kept else "bring it to a release from its repositories, by site.yml")
