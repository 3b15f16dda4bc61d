# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Firmware of GPUs that AMD lists with a release: its own words, and what in them can be compared."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..strict import Reader
from .products import NAME
from .provenance import Provenance

KINDS = ("bkc", "ifwi", "mu", "pi", "pldm", "vbios")
VALUE = r"[0-9A-Z][0-9A-Za-z.-]*"


@dc.dataclass(frozen=True)
class FirmwarePart:
    """What must be there besides: ``MU5`` of ``MU5 with IFWI 75 or later``."""

    kind: str
    value: str

    @classmethod
    def read(cls, reader: Reader) -> FirmwarePart:
        """One record of ``also``."""
        return cls(reader.choice("kind", KINDS), reader.text("value", pattern=VALUE))


@dc.dataclass(frozen=True)
class FirmwareVersion:
    """One version that will do.

    Attributes:
        text: as AMD prints it: ``MU5 with IFWI 75 or later``.
        kind: what is compared: ``ifwi``. Versions of different kinds are never compared.
        value: the version alone: ``75``.
        or_later: whether AMD says that a later one will do.
        also: what else the text asks for.
    """

    text: str
    kind: str
    value: str
    or_later: bool
    also: tuple[FirmwarePart, ...] = ()

    @classmethod
    def read(cls, reader: Reader) -> FirmwareVersion:
        """One record of ``firmware[].versions``."""
        return cls(reader.text("text"), reader.choice("kind", KINDS), reader.text("value", pattern=VALUE),
                   reader.flag("or_later", False), reader.records("also", FirmwarePart.read, []))


@dc.dataclass(frozen=True)
class FirmwareRow:
    """Firmware that AMD lists with a release for one GPU; any one of ``versions`` will do. ``kind`` is AMD's word."""

    gpu: str
    kind: str
    versions: tuple[FirmwareVersion, ...]
    provenance: Provenance

    @classmethod
    def read(cls, reader: Reader, sources: t.Mapping[str, str]) -> FirmwareRow:
        """One record of ``firmware``."""
        return cls(reader.text("gpu", pattern=NAME), reader.text("kind"),
                   reader.records("versions", FirmwareVersion.read), Provenance.read(reader, sources))
