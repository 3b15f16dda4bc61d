# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The files of the command instinct-qos: what products take, which profiles hold when, and what the node remembers."""

from __future__ import annotations

import typing as t

from .._act.documents import read_json
from .._act.files import replace_all, see
from .._core.act.fileset import Wanted, changes
from .._core.qos import state
from .._core.records import document
from .._core.strict import Reader
from .request import POLICIES, Known, Plain, Request, known, request

DATA = "/usr/local/lib/instinct/qos-data.json"
INTENT = "/etc/instinct/qos.json"
VERSION, OF_DATA, OF_INTENT = "v1", "qos_data", "qos_intent"
HINT = "let the role gpu_qos write it anew"
_WISHES = ("profile", "schedule", "gpus", "unsupported", "timeout", "lock_timeout")


def plain_known(products: Plain) -> dict[str, t.Any]:
    """The data file, from ``{documents, products}``."""
    return {"version": VERSION, "kind": OF_DATA, **products}


def plain_intent(documents: t.Sequence[Plain], options: Plain) -> dict[str, t.Any]:
    """The intent file, from documents of profiles and options as the module has them."""
    return {"version": VERSION, "kind": OF_INTENT, "profiles": list(documents),
            **{name: options[name] for name in _WISHES}}


def read_known(path: str) -> Known:
    """What products take.

    Raises:
        FleetError: the file is not there, or not of its form.
    """
    reader = _begun(path, OF_DATA)
    found = {name: reader.anything(name) for name in ("documents", "products")}
    reader.done()
    return known(found, path)


def read_intent(path: str, products: Known, asked: str, actor: str) -> Request:
    """What the node should be. Errors as of ``read_known``."""
    reader = _begun(path, OF_INTENT)
    documents = reader.records("profiles", document)
    options = {
        "profile": reader.text("profile", ""), "schedule": reader.anything("schedule"), "gpus": reader.texts("gpus"),
        "unsupported": reader.choice("unsupported", POLICIES),
        **{name: reader.count(name) or 0 for name in ("timeout", "lock_timeout")}}
    reader.done()
    return request(asked, products, options, documents, f"{path}: ", actor)


def _begun(path: str, kind: str) -> Reader:
    reader = Reader(read_json(path, HINT), f"{path}:")
    reader.choice("version", (VERSION,))
    reader.choice("kind", (kind,))
    return reader


def remembered() -> state.State | None:
    """What the node was before profiles; None where no profile holds.

    Raises:
        FleetError: it cannot be read, or is not of its form.
    """
    seen = see(state.PATH)
    return state.read(seen.content.decode("utf-8", "replace"), state.PATH) if seen.kind == "file" else None


def remember(kept: state.State | None) -> None:
    """Write that, on the disk when this returns; None: remove it.

    Raises:
        FleetError: it cannot be written.
    """
    content = None if kept is None else state.text(kept).encode()
    replace_all(changes((Wanted(state.PATH, content),), {state.PATH: see(state.PATH)}))
