# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a site decides about releases, and the record of what resolving one used."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError, FleetError
from ..strict import Reader
from .provenance import CONFIDENCES, DEFAULT_ACCEPT, Provenance
from .repositories import URL, without_user

DRIVER_SOURCES = ("dkms", "in_tree")


def _url(text: str) -> str:
    """The address that ``text`` is.

    Raises:
        DataError: it is none, or holds a user.
    """
    without_user(text)
    if not re.fullmatch(URL, text, re.ASCII):
        raise DataError(repr(text), "is not a URL", "write it as https://mirror.example.org/radeon")
    return text


@dc.dataclass(frozen=True)
class KeyOverride:
    """A site's own word on a signing key. ``url`` None: the catalogue's, at the mirror."""

    fingerprint: str
    url: str | None = None

    @classmethod
    def read(cls, reader: Reader) -> KeyOverride:
        """One record of ``keys``."""
        url = reader.read("url", _url) if reader.text("url", "") else None
        return cls(reader.text("fingerprint"), url)


@dc.dataclass(frozen=True)
class Policy:
    """What the site decides: the variables gpu_release_* and gpu_driver_source.

    Attributes:
        accept: confidences that are acted on besides ``documented``.
        mirrors: base URL -> base URL of a mirror.
        keys: name of a signing key -> the site's own fingerprint for it.
        kernel: exact kernel to run; None: the running one.
        driver_source: ``dkms`` or ``in_tree``.
        driver_stays: the driver on the node is not part of the plan.
        components: what of ROCm the site wants.
        side_by_side: releases whose ROCm is to stay beside the active one.
    """

    accept: tuple[str, ...] = ()
    mirrors: t.Mapping[str, str] = dc.field(default_factory=dict)
    keys: t.Mapping[str, KeyOverride] = dc.field(default_factory=dict)
    kernel: str | None = None
    driver_source: str = "dkms"
    driver_stays: bool = False
    components: tuple[str, ...] = ()
    side_by_side: tuple[str, ...] = ()

    @classmethod
    def from_dict(cls, raw: object) -> Policy:
        """From plain data; every key may be left out.

        Raises:
            DataError: a key is unknown or has the wrong type.
        """
        reader = Reader(raw, "policy:")
        policy = cls(
            accept=reader.texts("accept", (), "|".join(CONFIDENCES)), mirrors=reader.texts_by_name("mirrors", _url),
            keys=reader.named("keys", KeyOverride.read), kernel=reader.text("kernel", "") or None,
            driver_source=reader.choice("driver_source", DRIVER_SOURCES, "dkms"),
            driver_stays=reader.flag("driver_stays", False), components=reader.texts("components", ()),
            side_by_side=reader.texts("side_by_side", ()),
        )
        reader.done()
        return policy


class Book:
    """Collects notes and sources in order, each once, and refuses records that the site has not accepted."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._notes: dict[str, None] = {}
        self._sources: dict[str, None] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be checked or deserves a look."""
        return tuple(self._notes)

    @property
    def sources(self) -> tuple[str, ...]:
        """Where all that was used was read."""
        return tuple(self._sources)

    def note(self, text: str) -> None:
        """Add a note; an empty one is none."""
        if text:
            self._notes[text] = None

    def use(self, provenance: Provenance) -> None:
        """The record is used, whatever its confidence."""
        self._sources.update(dict.fromkeys(provenance.source))

    def accept(self, where: str, what: str, provenance: Provenance, note: bool = False) -> None:
        """The record is acted on.

        Raises:
            FleetError: its confidence is not accepted.
        """
        if provenance.confidence not in (DEFAULT_ACCEPT, *self.policy.accept):
            reason = f" ({provenance.note})" if provenance.note else ""
            raise FleetError(where, f"{what} is {provenance.confidence}, not documented{reason}",
                             f"add {provenance.confidence} to gpu_release_accept to act on it", provenance.first)
        self.use(provenance)
        if note:
            self.note(provenance.note)
