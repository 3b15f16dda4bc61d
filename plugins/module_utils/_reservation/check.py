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
from .._core.reservation import text_now, verdict, verdict_plain, verdict_proof
from .._core.reservation.shape import Device, Record
from .._core.reservation.text_names import DROP_IN, KFD, UNITS, slice_of
from .._node import opening
from .._node.apart import UnreadableError
from .._node.machine import Machine
from .seen import look

_STRANGER = "nobody"


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
    now = text_now.standing(seen.record or Record(), seen.at, seen.zone)
    found = verdict.judge(now, seen.devices, seen.held)
    users = {user: opening.account(user) for tenant in now.tenants for user in tenant.users}
    unknown = {**seen.held.unknown,
               **{f"users.{user}": "the node has no such user" for user, account in users.items() if account is None}}
    accounts = {user: account for user, account in users.items() if account is not None}
    proofs = _prove(machine, now, seen.devices, accounts) if prove else None
    return Outcome(values=verdict_plain.plain(found, proofs, unknown, seen.record is not None))


def _prove(machine: Machine, now: Record, devices: t.Sequence[Device],
           accounts: t.Mapping[str, verdict_proof.Account]) -> tuple[verdict_proof.Proof, ...]:
    nodes = [(one, one.render_node) for one in devices if one.render_node]
    side = [(one, card) for one, node in nodes for card in opening.cards(machine, node)]
    tried = (_tried(machine, who, [(None, KFD), *nodes], side, now) for who in _people(machine, now, accounts))
    return tuple(proof for proofs in tried for proof in proofs)


def _people(machine: Machine, now: Record,
            accounts: t.Mapping[str, verdict_proof.Account]) -> tuple[verdict_proof.Who, ...]:
    slices = [name for name in (slice_of(tenant.name) for tenant in now.tenants) if machine.exists(f"{UNITS}/{name}")]
    slices += [name for name in map(verdict_proof.login_of, accounts.values())
               if machine.exists(f"{UNITS}/{name}.d/{DROP_IN}")]
    return verdict_proof.people(now, accounts, opening.account(_STRANGER), slices, machine.groups())


Door = tuple[t.Optional[Device], str]


def _tried(machine: Machine, who: verdict_proof.Who, doors: t.Sequence[Door], side: t.Sequence[Door],
           now: Record) -> t.Iterator[verdict_proof.Proof]:
    """What came of it for one of them. The card nodes count only for those who must not open the device."""
    said: dict[str, str] = {}
    side = () if who.kind == verdict_proof.ROOT else side
    try:
        said = opening.attempt(machine, who, [path for _device, path in (*doors, *side)])
    except UnreadableError as error:
        who = dc.replace(who, problem=str(error))
    for device, path in doors:
        yield verdict_proof.judge(who, device, path, said.get(path), now)
    for device, path in side:
        proof = verdict_proof.judge(who, device, path, said.get(path), now)
        if proof.must is False:
            yield proof
