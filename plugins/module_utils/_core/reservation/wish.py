# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Tenants and their wishes from plain data, as an inventory and a record have them."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from ..rollout import reading
from ..strict import Reader
from . import shape
from .shape import Checkpoint, Tenant, Wish

# A dash in the name of a slice makes it one within another, whose device policy it then has as well; and the group
# gpu-<name> has at most 31 characters. source: systemd.slice(5), useradd(8)
TENANT = "[a-z][a-z0-9_]{0,26}"
# Also a value of labels. source: kubernetes.io/docs/concepts/overview/working-with-objects/labels
NAME = "[a-z0-9]([a-z0-9_.-]{0,61}[a-z0-9])?"
# Of these systemd has drop-ins for one unit alone: those of a name that ends in a dash, or of a template, are for many.
# source: systemd.unit(5), DESCRIPTION
_UNIT = r"[A-Za-z0-9:_.@\\-]{0,245}[A-Za-z0-9:_.\\]\.(?:service|scope|slice)"
# What the whole node or all logins are in, and the slices of tenants.
_EVERYBODY = r"(?:system|user|machine|tenant|tenant-.*)\.slice|init\.scope|user@.*\.service"
_USER = r"[A-Za-z0-9_][^\s:,/]*"
_SIGNAL = "SIG[A-Z0-9]{2,8}"
_HOW = "name one of gpus, partitions and devices"


def tenant(raw: object, where: str) -> Tenant:
    """One tenant.

    Raises:
        DataError: it is none.
    """
    reader = Reader(_given(raw), where)
    found = Tenant(
        reader.text("name", pattern=TENANT), reader.texts("users", (), _USER), reader.texts("units", ()),
        reader.texts("slurm_accounts", ()), reader.texts("namespaces", ()), reader.text("container_label", ""),
        reader.record("checkpoint", _checkpoint) if reader.has("checkpoint") else Checkpoint(),
        reader.flag("protected", False))
    reader.done()
    for unit in found.units:
        if not re.fullmatch(_UNIT, unit, re.ASCII) or re.fullmatch(_EVERYBODY, unit):
            raise DataError(f"{where}.units", f"names {unit!r}, which is not one service, scope or slice of the tenant",
                            "name one, as in vllm.service")
    if "root" in found.users:
        raise DataError(f"{where}.users", "names root, who may open every device", "name users")
    return found


def refuse_shared(found: t.Sequence[Tenant], where: str) -> None:
    """Refuse tenants of which two name one unit. A user may be in several, for a login has the devices of all.

    Raises:
        DataError: there are such.
    """
    names: dict[str, str] = {}
    for one in found:
        for unit in one.units:
            other = names.setdefault(unit, one.name)
            if other != one.name:
                raise DataError(f"{where}.{one.name}.units", f"names {unit}, which is a unit of {other}",
                                "leave it to one of them")


def tenants(raw: object, where: str) -> tuple[Tenant, ...]:
    """All of a mapping from names, in the order of their names. Errors as of ``tenant``."""
    if not isinstance(raw, dict):
        raise DataError(where, "is not a mapping", "write it as {team_a: {users: [alice]}}")
    found = []
    for name, value in sorted(raw.items(), key=str):
        given = {} if value is None else value
        if isinstance(given, dict) and "name" in given:
            raise DataError(f"{where}.{name}.name", "is not a known key", "the key of the mapping is the name")
        found.append(tenant({**given, "name": name} if isinstance(given, dict) else given, f"{where}.{name}"))
    refuse_shared(found, where)
    return tuple(found)


def _checkpoint(reader: Reader) -> Checkpoint:
    return Checkpoint(
        reader.texts("command", ()), reader.text("signal", "", _SIGNAL), reader.count("seconds") or 0)


def wish(raw: object, where: str) -> Wish:
    """One reservation.

    Raises:
        DataError: it is none.
    """
    reader = Reader(_given(raw), where)
    share, bandwidth = reader.count("share"), reader.count("memory_bandwidth")
    found = Wish(
        reader.text("name", pattern=NAME), reader.text("tenant"), reader.choice("priority", shape.CLASSES),
        _some(reader, "gpus"), _some(reader, "partitions"), reader.texts("devices", ()),
        reader.count("memory_gib") or 0, reader.choice("link", shape.LINKS, shape.ANY_LINK),
        reader.flag("one_numa", False),
        reading.windows(reader.anything("windows"), f"{where}.windows") if reader.has("windows") else (),
        100 if share is None else share, bandwidth, reader.choice("scope", shape.SCOPES, shape.NODE))
    reader.done()
    _refuse(found, where)
    return found


def _some(reader: Reader, key: str) -> int | None:
    number = reader.count(key)
    if number == 0:
        raise DataError(f"{reader.path}.{key}", "is 0", "write how many, or remove the reservation")
    return number


def _refuse(found: Wish, where: str) -> None:
    if sum(map(bool, (found.gpus, found.partitions, found.devices))) != 1:
        raise DataError(where, "says in none or in several ways how much it wants", _HOW)
    if found.devices and found.scope == shape.FLEET:
        raise DataError(where, "names devices, and those are of one node", "leave out scope")
    for key, value in (("share", found.share), ("memory_bandwidth", found.memory_bandwidth)):
        if value is not None and not 1 <= value <= 100:
            raise DataError(f"{where}.{key}", f"is {value}", "write per cent, from 1 to 100")


def _given(raw: object) -> object:
    """Without what is null: a record says so where nothing was said."""
    return {key: value for key, value in raw.items() if value is not None} if isinstance(raw, dict) else raw


def plain(found: Wish) -> dict[str, t.Any]:
    """The wish as ``wish`` reads it."""
    return {**dc.asdict(found), "windows": list(map(reading.window_words, found.windows))}
