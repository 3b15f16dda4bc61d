# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The catalogue of preconditions: what each kind of host must give its GPUs, why, and what to do where it does not."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError, FleetError
from ..findings import DOMAINS, SEVERITIES, Cause
from ..records import GATES, ID, Document, Layers, Placed, begun, sources
from ..release.products import NAME
from ..release.provenance import CONFIDENCES
from ..strict import Contradiction, Reader
from .judges import JUDGES
from .values import Value, Values, read

KIND = "preconditions"
PROFILE = r"[a-z][a-z0-9_]*"


@dc.dataclass(frozen=True)
class Row:
    """Values that hold for some host profiles and products; empty: for all. A remedy goes over that of the record."""

    profiles: tuple[str, ...]
    products: tuple[str, ...]
    values: t.Mapping[str, Value]
    remedy: str | None = None

    def holds(self, profiles: t.Collection[str], products: t.Collection[str]) -> bool:
        """Whether it is for a host of some profiles, and for one GPU or all GPUs of it."""
        of_profile = not self.profiles or bool(set(self.profiles) & set(profiles))
        return of_profile and (not self.products or bool(set(self.products) & set(products)))


@dc.dataclass(frozen=True)
class Precondition:
    """One thing that is wanted of a host.

    Attributes:
        id: of the check and of the finding.
        title: what it is about.
        check: which function judges it.
        profiles: host profiles that it is judged for; empty: all.
        severity, domain, explains, scope: of the finding, if it is not so.
        gate: what the health gate makes of it: fail, warn, none.
        rows: what is wanted; a later row goes over an earlier one.
        why: why it matters, what to do, and who says so.
    """

    id: str
    title: str
    check: str
    profiles: tuple[str, ...]
    severity: str
    domain: str
    gate: str
    explains: tuple[str, ...]
    scope: str
    rows: tuple[Row, ...]
    why: Cause

    def wanted(self, profiles: t.Collection[str], products: t.Collection[str]) -> Values:
        """The values for a host of some profiles, and for one GPU or all GPUs of it.

        Raises:
            FleetError: two of the profiles want opposites.
        """
        found: dict[str, Value] = {}
        said_by: dict[str, str] = {}
        for row in self.rows:
            if not row.holds(profiles, products):
                continue
            mine = [name for name in row.profiles if name in profiles]
            for name, value in row.values.items():
                if mine and name in said_by and found[name] != value:
                    raise FleetError(f"host profiles {said_by[name]} and {mine[0]}", f"want opposites of {self.id} "
                                     f"({name} {found[name]} and {value})", "choose one of them", self.why.sources[0])
                found[name] = value
                if mine:
                    said_by[name] = mine[0]
        return Values(found)

    def cause(self, profiles: t.Collection[str], products: t.Collection[str]) -> Cause:
        """Why it matters and what to do, for a host of some profiles, and for one GPU or all GPUs of it."""
        remedies = [row.remedy for row in self.rows if row.remedy and row.holds(profiles, products)]
        return dc.replace(self.why, remedy=remedies[-1]) if remedies else self.why


def _row(reader: Reader, check: str) -> Row:
    profiles, products = reader.texts("profiles", (), PROFILE), reader.texts("products", (), NAME)
    values = read(reader, check, JUDGES[check].kinds)
    return Row(profiles, products, values, reader.text("remedy") if reader.has("remedy") else None)


def _record(reader: Reader) -> Placed[Precondition]:
    check = reader.choice("check", tuple(JUDGES))
    rows = reader.records("wanted", lambda inner: _row(inner, check), [])
    ident = reader.text("id", pattern=ID)
    found = Precondition(
        ident, reader.text("title"), check, reader.texts("profiles", (), PROFILE),
        reader.choice("severity", SEVERITIES), reader.choice("domain", DOMAINS), reader.choice("gate", GATES),
        reader.texts("explains", (), ID), reader.choice("scope", ("gpu", "node"), "gpu"), rows,
        Cause(reader.text("why"), reader.text("remedy"), sources(reader), reader.choice("confidence", CONFIDENCES)),
    )
    given = {name for row in rows for name in row.values}
    for name in JUDGES[check].kinds:
        if not name.endswith("?") and name not in given:
            raise Contradiction(f"{reader.path}.wanted", f"no row gives {name}", f"the check {check} needs it")
    for row in rows:
        pattern = row.values.get("amd")
        if isinstance(pattern, str):
            _compiles(pattern, f"{reader.path}.wanted")
    return reader.path, found


def _compiles(pattern: str, path: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise Contradiction(path, f"amd is no regular expression: {error}", "correct it") from error


@dc.dataclass(frozen=True)
class Preconditions:
    """All preconditions by id, those of sites over ours, and the host profiles with what each means."""

    by_id: t.Mapping[str, Precondition]
    profiles: t.Mapping[str, str]

    @classmethod
    def from_documents(cls, documents: t.Iterable[Document]) -> Preconditions:
        """From ``{path, data, layer}`` of each file of this kind, lowest layer first.

        Raises:
            DataError: a file is not right; the message names file and path.
        """
        found: Layers[Precondition] = Layers()
        profiles: dict[str, str] = {}
        for document in documents:
            told, records = read_document(document["data"], document["path"])
            profiles.update(told)
            found.add(document, records)
        for path, record in found.placed.values():
            _profiles_exist(path, record, profiles)
        return cls(found.by_id, profiles)

    @classmethod
    def of(cls, documents: Documents) -> Preconditions:
        """What files hold; itself, for those who read them once for many nodes."""
        return documents if isinstance(documents, Preconditions) else cls.from_documents(documents)

    def choose(self, names: t.Iterable[str]) -> tuple[str, ...]:
        """The host profiles of these names.

        Raises:
            DataError: there is no such profile.
            FleetError: two of them want opposites, whatever the GPUs are.
        """
        found = tuple(dict.fromkeys(names))
        for name in found:
            if name not in self.profiles:
                raise DataError("host profiles", f"there is none called {name!r}",
                                f"choose of {', '.join(sorted(self.profiles))}")
        for record in self.by_id.values():
            record.wanted(found, ())
        return found


Documents = t.Union[t.Iterable[Document], Preconditions]


def _profiles_exist(path: str, record: Precondition, profiles: t.Collection[str]) -> None:
    for name in (*record.profiles, *(name for row in record.rows for name in row.profiles)):
        if name not in profiles:
            raise Contradiction(path, f"names the host profile {name!r}, which no file defines",
                                "define it in host_profiles, or correct it")


def read_document(raw: object, path: str) -> tuple[dict[str, str], tuple[Placed[Precondition], ...]]:
    """Host profiles and records of one file.

    Raises:
        DataError: the file is not of its form; the message names file and path.
    """
    reader, _kind = begun(raw, path, (KIND,))
    told = reader.records("host_profiles", lambda inner: (inner.text("id", pattern=PROFILE), inner.text("what")), [])
    records = reader.records(KIND, _record)
    reader.done()
    return dict(told), records
