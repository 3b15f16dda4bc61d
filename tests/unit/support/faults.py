# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small catalogues of faults, hits and looks to hold them against."""

from __future__ import annotations

from typing import Any

from ansible_collections.instinct.fleet.plugins.module_utils._core.faults.catalogue import FaultCatalogue
from ansible_collections.instinct.fleet.plugins.module_utils._core.findings import NODE
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.log import Hit, Log, LogRead
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Look

GPU, PEER = "0000:05:00.0", "0000:15:00.0"


def fault(ident: str = "gpu-lost", **change: Any) -> dict[str, Any]:
    """A record of ``faults``, as a file has it."""
    word = ident.replace("-", " ")
    return {
        "id": ident, "where": "kernel", "words": [word], "patterns": [word], "title": f"the {word}",
        "severity": "error", "domain": "driver", "subject": "gpu", "gate": "fail", "cause": "A cause.",
        "remedy": "Do something.", "sources": ["https://example.com/1"], "confidence": "documented",
    } | change


def mark(ident: str, **change: Any) -> dict[str, Any]:
    """A record of ``marks``."""
    word = ident.replace("-", " ")
    return {"id": ident, "where": "kernel", "words": [word], "patterns": [word], "what": f"the {word}"} | change


def document(kind: str, *records: dict[str, Any], layer: int = 0, path: str = "f.yml") -> dict[str, Any]:
    """A file of such records, as it is handed on."""
    return {"path": path, "layer": layer, "data": {"version": "v1", "kind": kind, kind: list(records)}}


def catalogue(*faults: dict[str, Any], marks: tuple[dict[str, Any], ...] = ()) -> FaultCatalogue:
    """A catalogue of these alone."""
    return FaultCatalogue.from_documents([document("faults", *faults), document("marks", *marks, path="m.yml")])


def hit(ident: str = "gpu-lost", subject: str = GPU, first: int = 0, **change: Any) -> Hit:
    """A hit of one line."""
    fields: dict[str, Any] = {"where": "kernel", "origin": "kmsg", "count": 1, "last": first,
                              "sample": (f"line {first} of {ident}",)}
    return Hit(id=ident, subject=subject, first=first, **(fields | change))


def logged(*hits: Hit, read: tuple[str, ...] = ("kernel",), **sections: Any) -> Look:
    """A look whose logs have these hits."""
    return Look(log=Log(tuple(LogRead(where, "kmsg", 100) for where in read), hits), **sections)


def node_hit(ident: str = "gpu-lost", first: int = 0, **change: Any) -> Hit:
    """A hit whose line names no GPU."""
    return hit(ident, NODE, first, **change)
