# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The check of reservations: who holds each device against who may, and who can open it."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .._act.outcome import Outcome
from .._core.errors import FleetError
from .._core.reservation import verdict, verdict_plain, verdict_proof
from .._core.reservation.shape import Device, Grant, Record
from .._core.reservation.verdict_tenant import slice_of
from .._node import opening
from .._node.apart import UnreadableError
from .._node.machine import Machine
from .seen import Seen, look

_STRANGER = "nobody"
_SLICES = "/etc/systemd/system"


def machine_of(seconds: float) -> Machine:
    """This machine, to be read within some seconds."""
    return Machine(timeout=seconds)


def check(seconds: int, prove: bool) -> Outcome:
    """See, judge, and try where that is asked for. Changes nothing.

    Raises:
        FleetError: the record cannot be read, there is no time, or nobody but root can try.
    """
    if seconds < 1:
        raise FleetError("timeout", f"{seconds} is too short", "give at least 1 second")
    machine = machine_of(seconds)
    if prove and not machine.root_user:
        raise FleetError("prove", "only root can open devices as somebody else", "run as root (become: true)")
    seen = look(machine)
    found = verdict.judge(seen.record, seen.devices, seen.held, seen.at, seen.zone)
    proofs = _prove(machine, seen) if prove else None
    return Outcome(values=verdict_plain.plain(found, proofs, seen.held.unknown, seen.record is not None))


def _prove(machine: Machine, seen: Seen) -> tuple[verdict_proof.Proof, ...]:
    told = seen.record or Record()
    now = verdict.open_grants(told, seen.at, seen.zone)
    doors = [(None, verdict_proof.KFD), *((one, one.render_node) for one in seen.devices if one.render_node)]
    side = [(one, card) for one in seen.devices if one.render_node for card in opening.cards(machine, one.render_node)]
    proofs = [proof for who in _people(machine, told) for proof in _tried(machine, who, doors, side, told, now)]
    return tuple(proofs)


def _people(machine: Machine, told: Record) -> tuple[verdict_proof.Who, ...]:
    accounts = {user: opening.account(user) for tenant in told.tenants for user in tenant.users}
    slices = [name for name in map(slice_of, told.tenants) if machine.exists(f"{_SLICES}/{name}")]
    return verdict_proof.people(told, accounts, opening.account(_STRANGER), slices, machine.groups())


Door = tuple[t.Optional[Device], str]


def _tried(machine: Machine, who: verdict_proof.Who, doors: t.Sequence[Door], side: t.Sequence[Door], told: Record,
           now: t.Sequence[Grant]) -> t.Iterator[verdict_proof.Proof]:
    """What came of it for one of them. The card nodes count only for those who must not open the device."""
    said: dict[str, str] = {}
    side = () if who.kind == verdict_proof.ROOT else side
    try:
        said = opening.attempt(machine, who, [path for _device, path in (*doors, *side)])
    except UnreadableError as error:
        who = dc.replace(who, problem=str(error))
    for device, path in doors:
        yield verdict_proof.judge(who, device, path, said.get(path), told, now)
    for device, path in side:
        proof = verdict_proof.judge(who, device, path, said.get(path), told, now)
        if proof.must is False:
            yield proof
