# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What is checked of images and containers: how bad it is, why it matters and what to do, as data."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..findings import NODE, SEVERITIES, Cause, Finding
from ..records import ID, Document, Layers, Placed, begun, sources
from ..release.provenance import CONFIDENCES
from ..strict import Contradiction, Reader

KIND = "container_checks"
IMAGE, CONTAINER = "image", "container"
# Every check that there is; the data says what each of them means.
IDS: t.Mapping[str, str] = {
    **dict.fromkeys((
        "image-os", "image-machine", "image-package", "image-rdma-absent", "image-rdmacm-absent",
        "image-provider-absent", "image-provider-broken", "image-provider-old", "image-provider-new",
        "image-provider-unread", "image-provider-label", "image-library-missing", "image-library-elsewhere",
        "image-render-group", "image-rocm-release",
        "image-rocm-window", "image-gfx", "image-gfx-unread", "image-caches", "image-budget", "image-unread"), IMAGE),
    **dict.fromkeys((
        "container-kfd", "container-gpus", "container-gpus-foreign", "container-access", "container-rdma",
        "container-visible", "container-environment", "container-memlock", "container-shm"), CONTAINER),
}


@dc.dataclass(frozen=True)
class Check:
    """One check.

    Attributes:
        severity: of its finding.
        least_bytes: what is the least that is enough, for checks of an amount; 0: none.
    """

    id: str
    severity: str
    why: Cause
    least_bytes: int = 0

    @classmethod
    def read(cls, reader: Reader) -> Placed[Check]:
        """One record of ``checks``, with its place."""
        ident = reader.text("id", pattern=ID)
        if ident not in IDS:
            raise Contradiction(f"{reader.path}.id", f"there is no check {ident!r}", f"choose one of {', '.join(IDS)}")
        why = Cause(reader.text("cause"), reader.text("remedy"), sources(reader),
                    reader.choice("confidence", CONFIDENCES))
        return reader.path, cls(ident, reader.choice("severity", SEVERITIES), why, reader.count("least_bytes") or 0)


@dc.dataclass(frozen=True)
class Checks:
    """All checks by id, those of sites over ours."""

    by_id: t.Mapping[str, Check]

    @classmethod
    def from_documents(cls, documents: t.Iterable[Document]) -> Checks:
        """From ``{path, data, layer}`` of each file, lowest layer first.

        Raises:
            DataError: a file is not right, or no file has one of the checks; the message names file and path.
        """
        found: Layers[Check] = Layers()
        for document in documents:
            reader, _kind = begun(document["data"], document["path"], (KIND,))
            found.add(document, reader.records("checks", Check.read))
            reader.done()
        lost = [ident for ident in IDS if ident not in found.by_id]
        if lost:
            raise Contradiction("checks of containers", f"no file has {', '.join(lost)}", "add them")
        return cls(found.by_id)

    def finding(self, ident: str, summary: str, evidence: t.Sequence[str] = (), subject: str = NODE) -> Finding:
        """What is wrong, as a finding of this check."""
        check = self.by_id[ident]
        return Finding(ident, IDS[ident], check.severity, CONTAINER, subject, summary, check.why, tuple(evidence),
                       count=max(1, len(evidence)))
