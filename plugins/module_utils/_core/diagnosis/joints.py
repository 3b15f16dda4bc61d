# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What different sources say about the same thing: a log, a precondition and the health of a GPU make one root.

Within a catalogue, records know what follows from them. That a GPU has no driver follows from thirty faults of logs,
and from a package that is missing: that is data of its own, by ids.
"""

from __future__ import annotations

import dataclasses as dc
import fnmatch
import typing as t

from ..errors import DataError
from ..findings import SEVERITIES, Finding
from ..records import begun
from ..strict import Reader

KIND = "joints"
_ID = r"[a-z0-9*]+(?:-[a-z0-9*]+)*"


@dc.dataclass(frozen=True)
class Joint:
    """Findings that say no more than what others say better.

    Attributes:
        symptoms: ids of those that follow; ``*`` stands for any part.
        causes: ids of those that they follow from.
    """

    symptoms: tuple[str, ...]
    causes: tuple[str, ...]

    @classmethod
    def read(cls, reader: Reader) -> Joint:
        """One record of ``joints``."""
        joint = cls(reader.texts("symptoms", pattern=_ID), reader.texts("causes", pattern=_ID))
        if not joint.symptoms or not joint.causes:
            raise DataError(reader.path, "lacks symptoms or causes", "name some of each")
        return joint


def read_documents(documents: t.Iterable[t.Mapping[str, t.Any]]) -> tuple[Joint, ...]:
    """All joints of files of this kind; those of a site are added to ours.

    Raises:
        DataError: a file is not of the form; the message names file and path.
    """
    found: list[Joint] = []
    for document in documents:
        reader, kind = begun(document["data"], document["path"], (KIND,))
        found += reader.records(kind, Joint.read)
        reader.done()
    return tuple(found)


def merged(findings: t.Iterable[Finding]) -> tuple[Finding, ...]:
    """The same findings, with those of one id and subject in one: what a log, the host and the GPU say alike."""
    found: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        key = (finding.id, finding.subject)
        found[key] = _both(found[key], finding) if key in found else finding
    return tuple(found.values())


def _both(one: Finding, two: Finding) -> Finding:
    """Two findings in one: the graver, with the evidence of both."""
    graver = max(one, two, key=lambda finding: SEVERITIES.index(finding.severity))
    return dc.replace(graver, evidence=tuple(dict.fromkeys((*one.evidence, *two.evidence))),
                      explains=tuple(dict.fromkeys((*one.explains, *two.explains))), count=max(one.count, two.count))


def joined(findings: t.Sequence[Finding], joints: t.Sequence[Joint]) -> tuple[Finding, ...]:
    """The same findings; each also explains those of the others that joints say follow from it."""
    ids = list(dict.fromkeys(finding.id for finding in findings))
    shown = {ident: _places(ident, [joint.symptoms for joint in joints]) for ident in ids}
    follow = {ident: tuple(other for other in ids if other != ident and shown[other] & causes)
              for ident in ids for causes in [_places(ident, [joint.causes for joint in joints])]}
    return tuple(dc.replace(finding, explains=tuple(dict.fromkeys((*finding.explains, *follow[finding.id]))))
                 for finding in findings)


def _places(ident: str, lists: t.Sequence[tuple[str, ...]]) -> frozenset[int]:
    """Which of some lists of ids have this one."""
    return frozenset(place for place, patterns in enumerate(lists)
                     if any(fnmatch.fnmatchcase(ident, pattern) for pattern in patterns))
