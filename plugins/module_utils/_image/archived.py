# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Images in OCI archives: which one an archive holds, and how it is written and known again."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tarfile

from .._act import documents
from .._act.digest import sha256
from .._act.files import replace_all, see, sync_directory
from .._core.act.fileset import changes, parse
from .._core.errors import DataError, FleetError
from .._core.formats.engines import Stored
from .._core.image import archive as archives
from .._core.image.archive import Archive
from .tools import Tools

PART = ".part"  # of an archive that is being written
_LIMIT = 1 << 20  # bytes of an index or a manifest


def held(path: str) -> Archive:
    """The image that an archive holds.

    Raises:
        FleetError: it cannot be read, or is none.
    """
    try:
        with tarfile.open(path, "r:") as tar:
            digest = archives.manifest_digest(_member(tar, "index.json"), path)
            text = _member(tar, f"blobs/sha256/{digest.rpartition(':')[2]}")
    except FileNotFoundError:
        raise FleetError(path, "is not there", "carry the archive here, then run again") from None
    except (tarfile.TarError, KeyError, OSError) as error:
        raise DataError(path, f"is no whole OCI archive: {error}", "carry it here anew") from error
    if f"sha256:{hashlib.sha256(text.encode()).hexdigest()}" != digest:
        raise DataError(path, "has a manifest that is not of its digest", "carry it here anew")
    return Archive(archives.image_id(text, path), digest)


def is_of(path: str, ident: str) -> bool:
    """Whether an archive is there, whole by its note, and of this image."""
    with contextlib.suppress(FleetError, OSError, KeyError, TypeError):
        said = documents.read_json(f"{path}.json", "")
        is_that = bool(said["id"] == ident and said["size_bytes"] == os.path.getsize(path))
        return is_that and bool(said["sha256"] == sha256(path))
    return False


def write(path: str, name: str, image: Stored, tools: Tools) -> None:
    """Write an image as an archive, with the note beside it; neither is there before it is whole.

    Args:
        name: of the image in the store, which the archive calls it too.

    Raises:
        FleetError: it cannot be written, or the name is that of another image by now.
    """
    os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
    part = f"{path}{PART}"
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
        tools.run(path, "podman", "save", "--quiet", "--format", "oci-archive", "--output", part, name)
        found = held(part)
        refuse_moved(name, found.id, image.id)
        os.chmod(part, 0o600)  # who else may read it is the site's to say
        text = archives.note(found, name, image.labels, sha256(part), os.path.getsize(part))
        os.replace(part, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
    sync_directory(os.path.dirname(path))
    note = f"{path}.json"
    wanted = parse([{"path": note, "state": "present", "content": text, "mode": "0644", "directory_mode": "0755"}])
    replace_all(changes(wanted, {note: see(note)}))


def refuse_moved(name: str, ident: str, wanted: str) -> None:
    """Refuse a name that is another image's by now. ``wanted``: empty: whichever it is.

    Raises:
        FleetError: it is.
    """
    if wanted and ident != wanted:
        what = f"is now a name of the image {ident}, not of {wanted}"
        raise FleetError(name, what, "build again: layers that are there stay")


def refuse_taken(path: str, ident: str, tools: Tools) -> None:
    """Refuse an archive whose own name for its image is that of another image here: podman would take it away.

    Raises:
        FleetError: it is.
    """
    with tarfile.open(path, "r:") as tar:
        name = archives.name(_member(tar, "index.json"), path)
    there = tools.images()
    other = archives.taken(name, ident, ((one.id, one.names) for one in there))
    if other and ident not in {one.id for one in there}:
        what = f"calls its image {other}, as another one here is called"
        raise FleetError(path, what, "give that one another name, or remove it")


def _member(tar: tarfile.TarFile, name: str) -> str:
    stream = tar.extractfile(name)
    return stream.read(_LIMIT).decode("utf-8", "replace") if stream else ""
