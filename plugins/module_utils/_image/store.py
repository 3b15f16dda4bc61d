# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Images on their way: out of a store into an archive, from there to a registry, and into the store of a node."""

from __future__ import annotations

import contextlib
import dataclasses as dc
import hashlib
import os
import tarfile
import typing as t

from .._act import documents
from .._act.files import replace_all, see, sync_directory
from .._act.outcome import Outcome
from .._core.act.fileset import changes, parse
from .._core.errors import DataError, FleetError
from .._core.formats.engines import Stored
from .._core.image import archive as archives
from .._core.image import complaints
from .._core.image.archive import Archive
from .directory import use
from .tools import Tools

_LIMIT = 1 << 20  # bytes of an index or a manifest


@dc.dataclass(frozen=True)
class Request:
    """What is asked; see the options of rocm_image_store."""

    image: str = ""
    archive: str = ""
    destination: str = ""
    tag: str = ""
    id: str = ""
    digest: str = ""
    authfile: str = ""
    sign_by: str = ""
    directory: str = ""
    check: bool = False


def exported(asked: Request, tools: Tools) -> Outcome:
    """Write an image of the store as an archive, once."""
    image = named(asked.image, tools)
    note = f"{asked.archive}.json"
    if not _is_of(asked.archive, note, image.id):
        if asked.check:
            return Outcome((f"write {asked.archive}",), values=_values(image.id, "", asked.image, asked.archive))
        _save(asked, image, tools)
        done: tuple[str, ...] = (f"write {asked.archive}",)
    else:
        done = ()
    found = held(asked.archive)
    return Outcome(done, values=_values(found.id, found.digest, asked.image, asked.archive))


def imported(asked: Request, tools: Tools) -> Outcome:
    """Bring the image of an archive into the store."""
    found = held(asked.archive)
    archives.refuse_other(asked.archive, found, asked.id, asked.digest)
    argv = ("podman", "load", "--quiet", "--input", asked.archive)
    done = _received(asked, tools, found.id, f"load {asked.archive}", argv)
    return Outcome(done, values=_values(found.id, found.digest, asked.tag, asked.archive))


def pushed(asked: Request, tools: Tools) -> Outcome:
    """Bring the image of an archive to a registry, with the digest that it has in the archive."""
    found = held(asked.archive)
    reference = f"{_repository(asked.destination)}@{found.digest}"
    done: tuple[str, ...] = ()
    if _there(asked, tools) != found.digest:
        done = (f"push {asked.archive} to {asked.destination}",)
        if not asked.check:
            sign = ("--sign-by", asked.sign_by) if asked.sign_by else ()
            tools.run(
                asked.destination,
                "skopeo",
                "copy",
                "--quiet",
                "--preserve-digests",
                *sign,
                *_auth(asked, "--dest-authfile"),
                f"oci-archive:{asked.archive}",
                f"docker://{asked.destination}",
            )
    return Outcome(
        done, values={**_values(found.id, found.digest, asked.destination, asked.archive), "reference": reference}
    )


def pulled(asked: Request, tools: Tools) -> Outcome:
    """Bring an image of a registry into the store, by its digest."""
    digest = archives.pinned(asked.image)
    argv = ("podman", "pull", "--quiet", *_auth(asked, "--authfile"), asked.image)
    ident = asked.id or _known(asked, tools)
    done = _received(asked, tools, ident, f"pull {asked.image}", argv)
    values = _values(ident or _known(asked, tools), digest, asked.tag, "")
    return Outcome(done, values={**values, "reference": asked.image})


def named(name: str, tools: Tools) -> Stored:
    """An image of the store, by a tag or its id.

    Raises:
        FleetError: there is none.
    """
    for one in tools.images():
        if name and (name == one.id or name in one.names):
            return one
    raise FleetError(name or "image", "is not in the store of this node", "build, import or pull it first")


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


def _member(tar: tarfile.TarFile, name: str) -> str:
    stream = tar.extractfile(name)
    return stream.read(_LIMIT).decode("utf-8", "replace") if stream else ""


def _save(asked: Request, image: Stored, tools: Tools) -> None:
    """The archive, and the note beside it; neither is there before it is whole."""
    os.makedirs(os.path.dirname(asked.archive), mode=0o755, exist_ok=True)
    part = f"{asked.archive}.part"
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
        tools.run(asked.archive, "podman", "save", "--quiet", "--format", "oci-archive", "--output", part, asked.image)
        found = held(part)
        archives.refuse_other(part, found, image.id, "")
        text = archives.note(found, asked.image, image.labels, _sha256(part), os.path.getsize(part))
        os.replace(part, asked.archive)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
    sync_directory(os.path.dirname(asked.archive))
    path = f"{asked.archive}.json"
    wanted = parse([{"path": path, "state": "present", "content": text, "mode": "0644", "directory_mode": "0755"}])
    replace_all(changes(wanted, {path: see(path)}))


def _is_of(path: str, note: str, ident: str) -> bool:
    """Whether an archive is there, whole and of this image."""
    with contextlib.suppress(FleetError, OSError, KeyError, TypeError):
        said = documents.read_json(note, "")
        return said["id"] == ident and said["size_bytes"] == os.path.getsize(path) and said["sha256"] == _sha256(path)
    return False


def _sha256(path: str) -> str:
    total = hashlib.sha256()
    with open(path, "rb") as stream:
        for piece in iter(lambda: stream.read(1 << 20), b""):
            total.update(piece)
    return total.hexdigest()


def _received(asked: Request, tools: Tools, ident: str, words: str, argv: t.Sequence[str]) -> tuple[str, ...]:
    """Have the image in the store, by its tag."""
    stored = {one.id: one for one in tools.images()}
    bring = ident not in stored
    tag = bool(asked.tag) and (bring or asked.tag not in stored[ident].names)
    done = (*((words,) if bring else ()), *((f"tag it {asked.tag}",) if tag else ()))
    if asked.check:
        return done
    if bring:
        said = tools.run(argv[-1], *argv)
        ident = _checked(asked, tools, ident, said)
    if tag:
        tools.run(asked.tag, "podman", "tag", ident, asked.tag)
    use(asked.directory, ident)
    return done


def _checked(asked: Request, tools: Tools, wanted: str, said: str) -> str:
    """Id of what came. What is not the wanted image goes again."""
    stored = {one.id for one in tools.images()}
    if wanted in stored:
        return wanted
    found = _known(asked, tools) if asked.image else said.strip().rpartition(":")[2]
    if not wanted and found in stored:
        return found
    tools.remove([found])
    raise FleetError(
        asked.image or asked.archive,
        f"brought the image {found or 'unknown'}, not {wanted}",
        "see which image is meant",
    )


def _known(asked: Request, tools: Tools) -> str:
    """Id of the image of a reference, as far as the store has it."""
    said = tools.said("podman", "image", "inspect", "--format", "{{.Id}}", asked.image).split()
    return said[0] if said and len(said[0]) == 64 else ""


def _there(asked: Request, tools: Tools) -> str:
    """Digest that a registry has by that name; empty: nothing."""
    try:
        text = tools.run(
            asked.destination,
            "skopeo",
            "inspect",
            "--raw",
            *_auth(asked, "--authfile"),
            f"docker://{asked.destination}",
        )
    except FleetError as error:
        if error.what == complaints.ABSENT:
            return ""
        raise
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _repository(destination: str) -> str:
    """A reference without its tag. A colon before the last slash is that of a port."""
    head, slash, name = destination.rpartition("/")
    return f"{head}{slash}{name.partition(':')[0]}"


def _auth(asked: Request, option: str) -> tuple[str, ...]:
    return (option, asked.authfile) if asked.authfile else ()


def _values(ident: str, digest: str, tag: str, path: str) -> dict[str, t.Any]:
    return {"id": ident, "digest": digest, "tag": tag, "archive": path}
