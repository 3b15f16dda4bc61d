# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Profiles that extend others: of all documents, the one that was asked for, whole."""

from __future__ import annotations

import typing as t

from ..errors import DataError
from .profile import NAME, Profile

Document = t.Mapping[str, t.Any]
_PARTS = ("checks", "active")  # are merged record by record; everything else is replaced


def resolve(documents: t.Sequence[tuple[str, object]], name: str, where: str = "profile") -> dict[str, t.Any]:
    """The plain form of one profile, which ``Profile.from_document`` takes.

    Args:
        documents: path and content of each, the site's after ours: a later one of the same id counts. It may extend
            the one that it replaces.
        name: id of the profile.
        where: what asked for it, for the message.

    Raises:
        DataError: there is no such profile, a document is not of its form, or profiles extend each other in a circle.
    """
    known = [(path, _document(content, path)) for path, content in documents]
    if name not in {content["id"] for _path, content in known}:
        ids = sorted({content["id"] for _path, content in known})
        raise DataError(where, f"there is no profile {name!r}", f"choose one of {', '.join(ids)}")
    merged, path = _whole(known, name, len(known), ())
    Profile.from_document(merged, path)
    return merged


def _document(content: object, path: str) -> Document:
    if not isinstance(content, dict) or not isinstance(content.get("id"), str):
        raise DataError(f"{path}: id", "is missing or not text", f"name the profile: {NAME}")
    for part in _PARTS:
        if not isinstance(content.get(part, {}), dict):
            raise DataError(f"{path}: {part}", "is not a mapping", "write it as a mapping")
    return content


def _whole(
    known: t.Sequence[tuple[str, Document]], name: str, before: int, chain: tuple[str, ...],
) -> tuple[dict[str, t.Any], str]:
    """The profile of that name among the first ``before`` documents, with what it extends, and its path."""
    places = [place for place, (_path, content) in enumerate(known[:before]) if content["id"] == name]
    if not places:
        raise DataError(f"{chain[-1]}: extends", f"there is no profile {name!r}", "name one that there is")
    path, content = known[places[-1]]
    parent = content.get("extends")
    if parent is None:
        return dict(content), path
    if path in chain:
        raise DataError(f"{path}: extends", f"{name} extends itself over {parent}", "take one of them out")
    # A profile that extends its own name means the one that it replaces; others may stand anywhere.
    upper, _path = _whole(known, str(parent), places[-1] if parent == name else len(known), (*chain, path))
    return _merged(upper, content), path


def _merged(upper: Document, own: Document) -> dict[str, t.Any]:
    parts = {part: _records(upper.get(part, {}), own.get(part, {})) for part in _PARTS}
    rest = {key: value for key, value in own.items() if key != "extends" and key not in _PARTS}
    return {**upper, **rest, **parts}


def _records(upper: Document, own: Document) -> dict[str, t.Any]:
    return {name: _record(upper.get(name), own.get(name)) for name in (*upper, *(n for n in own if n not in upper))}


def _record(upper: object, own: object) -> object:
    if isinstance(upper, dict) and isinstance(own, dict):
        return {**upper, **own}
    return upper if own is None else own
