# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a node was told of its reservations: /var/lib/instinct/reservation.json."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

from ..errors import DataError
from ..plan import grid, managed
from ..strict import Reader, from_json
from . import wish
from .shape import Device, Grant, Record

PATH = managed.RESERVATION_RECORD
VERSION, KIND = "v1", "reservation"
_HINT = "remove it, and reserve anew"


def read(text: str, where: str = PATH) -> Record:
    """The record from its text.

    Raises:
        DataError: it is none, or a later version of the collection wrote it.
    """
    reader = from_json(text, where, _HINT)
    version = reader.text("version")
    if version != VERSION:
        what = f"is {grid.plain(repr(version))}, which this version of the collection does not know"
        raise DataError(f"{reader.path} version", what, "go on with the later one that wrote the record")
    reader.choice("kind", (KIND,))
    tenants = _list(reader, "tenants")
    found = Record(
        tuple(wish.tenant(one, place) for place, one in tenants),
        reader.records("grants", lambda each: Grant(
            wish.wish(each.anything("wish"), f"{each.path}.wish"), each.records("devices", device),
            each.texts("units", ()))),
        reader.records("spares", device), reader.records("pool", device))
    reader.done()
    wish.refuse_shared(found.tenants, f"{reader.path} tenants")
    return found


def _list(reader: Reader, key: str) -> list[tuple[str, object]]:
    values = reader.anything(key)
    if not isinstance(values, list):
        raise DataError(f"{reader.path} {key}", "is not a list", _HINT)
    return [(f"{reader.path} {key}[{index}]", value) for index, value in enumerate(values)]


def device(reader: Reader) -> Device:
    """One device."""
    return Device(
        reader.text("id"), reader.text("gpu"), _number(reader, "partition") or 0, _number(reader, "of") or 1,
        reader.optional("product"), reader.optional("uuid"), reader.optional("rocr_uuid"),
        reader.optional("render_node"), _number(reader, "numa_node"), reader.optional("near_cpus"),
        _number(reader, "memory_bytes"), _number(reader, "compute_units"), _peers(reader))


def _peers(reader: Reader) -> tuple[str, ...] | None:
    return None if reader.anything("peers") is None else reader.texts("peers")


def _number(reader: Reader, key: str) -> int | None:
    return None if reader.anything(key) is None else reader.count(key)


def text(record: Record) -> str:
    """The record as the file has it."""
    return json.dumps({"version": VERSION, "kind": KIND, **plain(record)}, indent=2, sort_keys=True) + "\n"


def plain(record: Record) -> dict[str, t.Any]:
    """The record as data of JSON: all of it that the file has besides version and kind."""
    grants = [{"wish": wish.plain(grant.wish), "devices": list(map(dc.asdict, grant.devices)),
               "units": list(grant.units)}
              for grant in record.grants]
    found: dict[str, t.Any] = json.loads(json.dumps({**dc.asdict(record), "grants": grants}))
    return found
