# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Images on their way: out of a store into an archive, from there to a registry, and into the store of a node."""

from __future__ import annotations

import dataclasses as dc
import os
import typing as t

from .._act.outcome import Outcome
from .._core.errors import FleetError
from .._core.formats.engines import Stored
from .._core.image import archive as archives
from .._core.image.archive import Archive
from . import archived, registry
from .archived import held
from .directory import came, sign, signed, use
from .tools import Tools


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
    archived.refuse_moved(asked.image, image.id, asked.id)
    done: tuple[str, ...] = ()
    if not archived.is_of(asked.archive, image.id):
        done = (f"write {asked.archive}",)
        if asked.check:
            return Outcome(done, values=_values(image.id, "", asked.image, asked.archive))
        archived.write(asked.archive, asked.image, image, tools)
    found = held(asked.archive)
    return Outcome(done, values=_values(found.id, found.digest, asked.image, asked.archive))


def imported(asked: Request, tools: Tools) -> Outcome:
    """Bring the image of an archive into the store."""
    if asked.check and asked.id and not os.path.exists(asked.archive):
        found = Archive(asked.id, asked.digest)  # what carries it here is only foreseen, too
    else:
        found = held(asked.archive)
        archives.refuse_other(asked.archive, found, asked.id, asked.digest)
        archived.refuse_taken(asked.archive, found.id, tools)
    argv = ("podman", "load", "--quiet", "--input", asked.archive)
    done = _received(asked, tools, found.id, f"load {asked.archive}", argv)
    return Outcome(done, values=_values(found.id, found.digest, asked.tag, asked.archive))


def pushed(asked: Request, tools: Tools) -> Outcome:
    """Bring the image of an archive to a registry, with the digest that it has in the archive, and sign it there."""
    found = held(asked.archive)
    archives.refuse_other(asked.archive, found, asked.id, asked.digest)
    reference = f"{registry.repository(asked.destination)}@{found.digest}"
    of_signature = (asked.destination, found.digest, asked.sign_by)
    there = registry.there(asked.destination, asked.authfile, tools) == found.digest
    unsigned = bool(asked.sign_by) and not (there and signed(asked.directory, *of_signature))
    done = (
        *(() if there else (f"push {asked.archive} to {asked.destination}",)),
        *((f"sign {reference} by {asked.sign_by}",) if unsigned else ()),
    )
    if done and not asked.check:
        registry.copy(asked.archive, asked.destination, asked.authfile, asked.sign_by, tools)
        if unsigned:
            sign(asked.directory, *of_signature)
    values = _values(found.id, found.digest, asked.destination, asked.archive)
    return Outcome(done, values={**values, "reference": reference})


def pulled(asked: Request, tools: Tools) -> Outcome:
    """Bring an image of a registry into the store, by its digest."""
    digest = archives.pinned(asked.image)
    argv = ("podman", "pull", "--quiet", *registry.option("--authfile", asked.authfile), asked.image)
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
        ident = _checked(asked, tools, ident, said, frozenset(stored))
        came(asked.directory, ident)
    if tag:
        tools.run(asked.tag, "podman", "tag", ident, asked.tag)
    use(asked.directory, ident)
    return done


def _checked(asked: Request, tools: Tools, wanted: str, said: str, before: frozenset[str]) -> str:
    """Id of what came. What is not the wanted image goes again, unless it was here before."""
    stored = {one.id for one in tools.images()}
    if wanted in stored:
        return wanted
    found = _known(asked, tools) if asked.image else said.strip().rpartition(":")[2]
    if not wanted and found in stored:
        return found
    tools.remove({found} - before)
    what = f"brought the image {found or 'unknown'}, not {wanted}"
    raise FleetError(asked.image or asked.archive, what, "see which image is meant")


def _known(asked: Request, tools: Tools) -> str:
    """Id of the image of a reference, as far as the store has it."""
    said = tools.said("podman", "image", "inspect", "--format", "{{.Id}}", asked.image).split()
    return said[0] if said and len(said[0]) == 64 else ""


def _values(ident: str, digest: str, tag: str, path: str) -> dict[str, t.Any]:
    return {"id": ident, "digest": digest, "tag": tag, "archive": path}
