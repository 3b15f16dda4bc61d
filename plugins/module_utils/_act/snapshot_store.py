# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a node has kept. A snapshot is whole when its file is there, which is written last and goes first."""

from __future__ import annotations

import contextlib
import os
import shutil
import typing as t

from .._core.act import snapshot
from .._core.act.fileset import changes, parse
from .._core.act.snapshot import File, Snapshot
from .._core.errors import DataError, FleetError
from .digest import sha256
from .files import replace_all, see

PLACE = snapshot.PLACE
NEW = ".new-"


def mirror(name: str = "") -> str:
    """The folder of all that is kept, or of one snapshot."""
    return os.path.join(PLACE, "mirror", name).rstrip("/")


def path_of(name: str) -> str:
    """The file of a snapshot."""
    return os.path.join(PLACE, "snapshots", f"{name}.json")


def all_of_them() -> list[Snapshot]:
    """Every snapshot, the newest first.

    Raises:
        FleetError: one is damaged, or cannot be read.
    """
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        names = sorted(os.listdir(os.path.join(PLACE, "snapshots")))
        found = [_read(name[:-len(".json")]) for name in names if name.endswith(".json") and not name.startswith(".")]
        return snapshot.newest_first(found)
    return []


def _read(name: str) -> Snapshot:
    path = path_of(name)
    seen = see(path)
    if seen.kind != "file":
        raise DataError(path, "is not a file", "remove it")
    found = snapshot.read(seen.content.decode("utf-8", "replace"), path)
    if found.id != name:
        raise DataError(path, f"is that of {found.id}", "remove it, and take another snapshot")
    return found


def is_whole(file: File, path: str, read: bool = True) -> bool:
    """Whether what lies at a path is that file: of its size and, if it is read, with its digest."""
    try:
        info = os.lstat(path)
        return os.path.isfile(path) and not os.path.islink(path) and info.st_size == file.size and (
            not read or sha256(path) == file.sha256)
    except OSError:
        return False


def torn(found: Snapshot, read: bool = True) -> list[str]:
    """What of a snapshot is not as it was kept; without reading, by size alone."""
    root = mirror(found.id)
    return [file.path for file in found.files if not is_whole(file, os.path.join(root, file.path), read)]


def refuse_torn(found: Snapshot) -> None:
    """Refuse a snapshot that is not as it was kept.

    Raises:
        FleetError: names what is not.
    """
    bad = torn(found)
    if bad:
        more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
        what = f"is damaged: {bad[0]}{more} is not what was kept, so nothing was changed"
        raise FleetError(f"snapshot {found.id}", what,
                         "choose another snapshot, or bring the node to its release from its repositories, by site.yml")


def write(found: Snapshot) -> None:
    """Write the file of a snapshot, whose part of the mirror is on the disk: from now on it is whole.

    Raises:
        FleetError: it cannot be written.
    """
    path = path_of(found.id)
    wanted = parse([{"path": path, "state": "present", "content": found.to_text(), "owner": "root", "group": "root",
                     "mode": "0600", "directory_mode": "0700"}])
    replace_all(changes(wanted, {path: see(path)}))


def prune(keep: t.Collection[str]) -> None:
    """Remove all snapshots but these, and what was left behind by a run that was cut off."""
    for found in all_of_them():
        if found.id not in keep:
            os.unlink(path_of(found.id))
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir(mirror()):
            if name not in keep:
                shutil.rmtree(mirror(name), ignore_errors=True)
