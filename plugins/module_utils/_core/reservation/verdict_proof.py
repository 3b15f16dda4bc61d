# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Who can open each device against who must and who must not: judged of real attempts."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .shape import Device, Record, Tenant
from .text_names import KFD, RENDER, group, slice_of
from .verdict import OK, TRESPASS, UNKNOWN

# POLICY: root within a slice, whom no mode of a file keeps out, so that the slice's device policy is what is tried.
ROOT, STRANGER, USER, SLICE, POLICY = "root", "stranger", "user", "slice", "policy"
LOCKED_OUT = "locked_out"  # who must be able to open it, and is not
# What the kernel says to who may not: by the mode of the file, and by the device policy of a control group.
DENIED = {"EACCES": "the permissions of the file", "EPERM": "the device policy of its control group"}


@dc.dataclass(frozen=True)
class Account:
    """A user of the node, with all groups."""

    name: str
    uid: int
    gid: int
    groups: tuple[int, ...]


@dc.dataclass(frozen=True)
class Who:
    """Somebody as whom it is tried.

    Attributes:
        kind: root, stranger, user, slice, policy.
        name: for people: user alice of tenant a.
        tenants: whose devices that is to open.
        account: whose credentials are taken on.
        unit: the slice that is joined; empty: none.
        problem: why it cannot be tried; empty if it can.
    """

    kind: str
    name: str
    tenants: tuple[str, ...] = ()
    account: Account | None = None
    unit: str = ""
    problem: str = ""


@dc.dataclass(frozen=True)
class Proof:
    """One attempt.

    Attributes:
        who: name of who tried.
        subject: id of a device, or /dev/kfd.
        path: what was opened.
        could: whether it opened; None where that cannot be told.
        must: whether it must open; None where either is fine.
        verdict: ok, trespass (it opened and must not), locked_out, unknown.
        why: what the kernel said, in words.
    """

    who: str
    subject: str
    path: str
    could: bool | None
    must: bool | None
    verdict: str
    why: str = ""


_SUPER = Account(ROOT, 0, 0, (0,))


def people(record: Record, accounts: t.Mapping[str, Account], stranger: Account | None,
           slices: t.Collection[str], groups: t.Mapping[str, int]) -> tuple[Who, ...]:
    """As whom it is tried: root, somebody without rights, every user of every tenant, and in every slice with a policy.

    Args:
        record: the tenants.
        accounts: users of the node by name; nobody can be one that it does not have.
        stranger: who belongs to nobody.
        slices: of tenants and of logins of their users, that the node has told a policy.
        groups: of the node, by name.
    """
    found = [Who(ROOT, ROOT, account=_SUPER),
             Who(STRANGER, STRANGER, account=stranger, problem="" if stranger else "the node has no user nobody")]
    owners: dict[str, tuple[str, ...]] = {}
    for tenant in record.tenants:
        for user in tenant.users:
            owners[user] = (*owners.get(user, ()), tenant.name)
    found += [Who(USER, f"user {user} of {', '.join(tenants)}", tenants, accounts[user])
              for user, tenants in owners.items() if user in accounts]
    found += [_in_slice(tenant, accounts, stranger, groups) for tenant in record.tenants
              if slice_of(tenant.name) in slices]
    found += [Who(POLICY, f"root in {unit}", tenants, _SUPER, unit) for unit, tenants in (
        *((slice_of(tenant.name), (tenant.name,)) for tenant in record.tenants),
        *((login_of(accounts[user]), owners[user]) for user in owners if user in accounts)) if unit in slices]
    return tuple(found)


def login_of(account: Account) -> str:
    """The slice of a user's logins. source: user@.service(5)"""
    return f"user-{account.uid}.slice"


def _in_slice(tenant: Tenant, accounts: t.Mapping[str, Account], stranger: Account | None,
              groups: t.Mapping[str, int]) -> Who:
    """A service of a tenant: as its first user, or as nobody in its groups where it has units alone."""
    account = next((accounts[user] for user in tenant.users if user in accounts), None)
    own = [groups[name] for name in (group(tenant.name), RENDER) if name in groups]
    if account is None and stranger:
        account = dc.replace(stranger, groups=(stranger.gid, *own))
    unit = slice_of(tenant.name)
    return Who(SLICE, f"a service in {unit}", (tenant.name,), account, unit, "" if account else "there is nobody to be")


def judge(who: Who, device: Device | None, path: str, said: str | None, now: Record) -> Proof:
    """One attempt.

    Args:
        who: who tried.
        device: None for /dev/kfd.
        path: that was opened.
        said: name of the error, empty if it opened, None if it was not tried.
        now: what of the record holds at this moment.
    """
    must = _must(who, device, now)
    could = True if said == "" else False if said in DENIED else None
    subject = device.id if device else KFD
    if could is None:
        why = who.problem or (f"the device says {said}" if said else "it was not tried")
        return Proof(who.name, subject, path, None, must, UNKNOWN, why)
    verdict = OK if must in (None, could) else TRESPASS if could else LOCKED_OUT
    return Proof(who.name, subject, path, could, must, verdict, DENIED.get(said or "", "it opens"))


def _must(who: Who, device: Device | None, now: Record) -> bool | None:
    if who.kind == ROOT:
        return True
    if who.kind == STRANGER:
        return False
    if device is None:
        return True if any(grant.wish.tenant in who.tenants for grant in now.grants) else None
    owners = {grant.wish.tenant for grant in now.grants if device.id in {one.id for one in grant.devices}}
    if owners & set(who.tenants):
        return True
    kept = owners or device.id in {one.id for one in now.spares}
    return False if kept else None  # of the pool
