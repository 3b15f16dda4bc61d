# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The files of the command instinct-partition: what products can be, and what this node should be."""

from __future__ import annotations

import typing as t

from .._act.documents import read_json
from .._core.errors import DataError
from .._core.partition.claims import read_claims
from .._core.partition.shape import STANDINGS
from .._core.records import document
from .._core.strict import Reader
from .request import APPLIED, EXPORTED, Known, Plain, Request, known, profile_of, seconds

DATA = "/usr/local/lib/instinct/partition-data.json"
INTENT = "/etc/instinct/partition.json"
VERSION, OF_DATA, OF_INTENT = "v1", "partition_data", "partition_intent"
HINT = "let the role gpu_partition write it anew"
_WISHES = ("accept", "stop_units", "reload_allowed", "reservations", "timeout", "lock_timeout")


def plain_known(products: Plain) -> dict[str, t.Any]:
    """The data file, from ``{documents, products}``."""
    return {"version": VERSION, "kind": OF_DATA, **products}


def plain_intent(document: Plain | None, options: Plain) -> dict[str, t.Any]:
    """The intent file, from the document of a profile and options as the module has them."""
    wanted: dict[str, t.Any] = {"gpus": list(options["gpus"])} if document is None else {"profile": dict(document)}
    return {"version": VERSION, "kind": OF_INTENT, **wanted, **{name: options[name] for name in _WISHES}}


def read_known(path: str) -> Known:
    """What is known of products.

    Raises:
        FleetError: the file is not there, or not of its form.
    """
    raw = _load(path)
    reader = Reader(raw, f"{path}:")
    reader.choice("version", (VERSION,))
    reader.choice("kind", (OF_DATA,))
    rest = {key: value for key, value in raw.items() if key not in ("version", "kind")}
    return known(rest, path)


def read_intent(path: str, products: Known, state: str = APPLIED) -> Request:
    """What the node should be. Errors as of ``read_known``."""
    reader = Reader(_load(path), f"{path}:")
    reader.choice("version", (VERSION,))
    reader.choice("kind", (OF_INTENT,))
    profile = reader.record("profile", document) if reader.has("profile") else None
    rules = reader.anything("gpus") if reader.has("gpus") else []
    reservations = reader.anything("reservations")
    if not isinstance(rules, list) or not isinstance(reservations, list):
        raise DataError(path, "gpus or reservations is no list", HINT)
    request = Request(
        state, products, profile_of(profile, rules), _accepted(reader), reader.texts("stop_units"),
        reader.flag("reload_allowed", True), read_claims(reservations, f"{path}: reservations"),
        seconds(max(reader.count("timeout") or 0, 1), f"{path}: timeout"),
        seconds(reader.count("lock_timeout") or 0, f"{path}: lock_timeout", 0))
    reader.done()
    return request


def _accepted(reader: Reader) -> tuple[str, ...]:
    """The standings that the site accepts; a word that means nothing is refused, for it was meant to mean something."""
    words = reader.texts("accept")
    for word in words:
        if word not in STANDINGS:
            raise DataError(f"{reader.path} accept", f"has {word!r}", f"choose of {', '.join(STANDINGS)}")
    return words


def exporting(products: Known, name: str) -> Request:
    """What ``export`` asks: it needs no intent."""
    return Request(EXPORTED, products, name=name)


def _load(path: str) -> dict[str, t.Any]:
    raw = read_json(path, HINT)
    if not isinstance(raw, dict):
        raise DataError(path, "is no mapping", HINT)
    return raw
