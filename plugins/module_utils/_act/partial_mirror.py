# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Keeping what a node needs to come back: signed lists, and archives from apt's cache or from where apt has them."""

from __future__ import annotations

import dataclasses as dc
import os
import shutil
import tempfile
import typing as t

from .._core.act import partial_mirror
from .._core.act.offers import first_error
from .._core.act.partial_mirror import Archive, Index
from .._core.act.snapshot import File, Snapshot
from .._core.errors import FleetError
from .._core.look.shape import Package
from . import apt_lists, digest, snapshot_store
from .files import sync_directory
from .process import clean_end, run

ARCHIVES = "/var/cache/apt/archives"
_SPARE = 64 << 20  # bytes that stay free


@dc.dataclass(frozen=True)
class Want:
    """What is to be kept: texts and archives by their place in the mirror, and copies of keyrings.

    ``there``: place of an archive -> where it lies on the node already; those that apt must fetch are not in it.
    """

    folders: dict[str, str]
    texts: dict[str, bytes]
    archives: dict[str, Archive]
    keys: dict[str, str]
    there: dict[str, str]

    @property
    def fetch(self) -> list[Archive]:
        """What apt must fetch."""
        return [archive for place, archive in self.archives.items() if place not in self.there]

    @property
    def room(self) -> int:
        """Bytes that it takes: archives that are there already are linked, if they lie on the same file system."""
        new = [a.size for place, a in self.archives.items() if not _links(self.there.get(place))]
        return sum(new) + sum(map(len, self.texts.values()))


def want(
    indexes: t.Sequence[Index], installed: t.Sequence[Package], needed: t.Collection[str], keyrings: t.Sequence[str],
    read: bool,
) -> Want:
    """Work out what to keep of what is installed.

    Args:
        indexes: the lists that apt has, which are ``apt_lists.at_hand``.
        installed: all packages.
        needed: those that must be among what is kept.
        keyrings: the paths of keyrings to keep.
        read: whether archives that are there are read; else their size is taken for an answer, for ROCm is many GiB.

    Raises:
        FleetError: apt has no signed list of a source, or something needed is on offer nowhere.
    """
    texts, offers = apt_lists.read(indexes)
    archives: dict[str, Archive] = {}
    missing = []
    for package in installed:
        archive = offers.get((package.name, package.version, package.architecture))
        if archive:
            archives[f"{partial_mirror.folder(archive.uri)}/{archive.filename}"] = archive
        elif package.name in needed:
            missing.append(f"{package.name} {package.version}")
    partial_mirror.refuse_unkept(missing)
    keys = {}
    for number, path in enumerate(keyrings):
        keys[path] = f"keys/{number}-{os.path.basename(path)}"
        with open(path, "rb") as stream:
            texts[keys[path]] = stream.read()
    folders = {index.uri: partial_mirror.folder(index.uri) for index in indexes}
    return Want(folders, texts, archives, keys, _places(archives, read))


def _places(archives: t.Mapping[str, Archive], read: bool) -> dict[str, str]:
    """Where archives lie on the node already: in another snapshot, or in the cache of apt."""
    before = {file.sha256: os.path.join(snapshot_store.mirror(old.id), file.path)
              for old in snapshot_store.all_of_them() for file in old.files}
    found = {}
    for place, archive in archives.items():
        file = File(place, archive.size, archive.sha256)
        for path in filter(None, (before.get(archive.sha256), os.path.join(ARCHIVES, archive.cached))):
            if place not in found and snapshot_store.is_whole(file, path, read):
                found[place] = path
    return found


def _links(path: str | None) -> bool:
    """Whether a file can be linked to where things are kept."""
    return path is not None and os.stat(path).st_dev == os.stat(_parent(snapshot_store.PLACE)).st_dev


def _parent(path: str) -> str:
    while not os.path.isdir(path):
        path = os.path.dirname(path)
    return path


def refuse_room(wanted: Want) -> None:
    """Refuse where there is no room for it.

    Raises:
        FleetError: says how much there is.
    """
    here = os.statvfs(_parent(snapshot_store.PLACE))
    partial_mirror.refuse_room(_parent(snapshot_store.PLACE), wanted.room + _SPARE, here.f_bavail * here.f_frsize)


def make(wanted: Want, draft: Snapshot, timeout: float) -> Snapshot:
    """Keep it, on the disk and whole, or leave nothing.

    Raises:
        FleetError: an archive cannot be fetched, or is another one than the list tells of.
    """
    os.makedirs(snapshot_store.mirror(), mode=0o700, exist_ok=True)
    os.chmod(snapshot_store.PLACE, 0o700)
    with clean_end(), tempfile.TemporaryDirectory(prefix=snapshot_store.NEW, dir=snapshot_store.mirror()) as root:
        files = [_text(root, place, content) for place, content in wanted.texts.items()]
        fetched = _fetch(wanted.fetch, root, timeout)
        for place, archive in wanted.archives.items():
            _archive(wanted.there.get(place) or fetched[archive.sha256], os.path.join(root, place))
            files.append(File(place, archive.size, archive.sha256))
        shutil.rmtree(os.path.join(root, _FETCHED), ignore_errors=True)
        _sync(root)
        shutil.rmtree(snapshot_store.mirror(draft.id), ignore_errors=True)
        os.replace(root, snapshot_store.mirror(draft.id))
        os.mkdir(root)  # for its clean-up
        sync_directory(snapshot_store.mirror())
    found = dc.replace(draft, files=tuple(files), folders=wanted.folders, keys=wanted.keys,
                       packages={a.name: a.version for a in wanted.archives.values()})
    snapshot_store.write(found)
    return found


_FETCHED = ".fetched"


def _fetch(archives: t.Sequence[Archive], root: str, timeout: float) -> dict[str, str]:
    """Let apt fetch archives; digest -> path."""
    if not archives:
        return {}
    where = os.path.join(root, _FETCHED)
    os.mkdir(where)
    done = run(["apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", *(a.asked for a in archives)], timeout,
               cwd=where)
    if done.timed_out:
        raise FleetError("apt-get download", f"did not end within {timeout:.0f} s", "check the mirror and the proxy")
    found = {digest.sha256(os.path.join(where, name)): os.path.join(where, name) for name in os.listdir(where)}
    lost = [archive.asked for archive in archives if archive.sha256 not in found]
    if lost:
        why = first_error(done.err)
        what = "cannot be fetched as the list of packages tells of it" + (why and f": {why}")
        raise FleetError(", ".join(lost), what, "check the mirror; nothing was changed")
    return found


def _text(root: str, place: str, content: bytes) -> File:
    path = os.path.join(root, place)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as stream:
        stream.write(content)
    return File(place, len(content), partial_mirror.digest(content))


def _archive(source: str, path: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        os.link(source, path)
    except OSError:  # another file system
        shutil.copyfile(source, path)


def _sync(root: str) -> None:
    """All of a tree is on the disk."""
    for directory, _below, names in os.walk(root):
        for name in names:
            handle = os.open(os.path.join(directory, name), os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        sync_directory(directory)
