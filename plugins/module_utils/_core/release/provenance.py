# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How sure a catalogue record is, and where it was read."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import DataError
from ..strict import Contradiction, Reader

CONFIDENCES = ("documented", "third_party", "derived", "unverified")
DEFAULT_ACCEPT = "documented"  # acted on without being asked; the others need the site's word


@dc.dataclass(frozen=True)
class Provenance:
    """Attributes: confidence (see CONFIDENCES), sources as texts, and a note for people."""

    confidence: str
    source: tuple[str, ...]
    note: str = ""

    @classmethod
    def read(cls, reader: Reader, sources: t.Mapping[str, str]) -> Provenance:
        """The keys ``confidence``, ``source`` (ids of the file's ``sources``) and ``note`` of a record.

        Raises:
            Contradiction: the file does not define a source that the record names.
        """
        ids = reader.texts("source")
        if not ids:
            raise DataError(
                f"{reader.path}.source", "is empty: a fact without a source is none", "say where it is from")
        for index, name in enumerate(ids):
            if name not in sources:
                raise Contradiction(f"{reader.path}.source[{index}]", f"the file's sources do not define {name!r}",
                                    "add it to sources")
        confidence, note = reader.choice("confidence", CONFIDENCES), reader.text("note", "")
        return cls(confidence, tuple(sources[name] for name in ids), note)

    @property
    def first(self) -> str:
        """One source, for a sentence; empty if there is none."""
        return self.source[0] if self.source else ""
