# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which tenant a process belongs to."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .shape import Tenant
from .text_names import slice_of
from .verdict_holder import Holder

# The names that a process has, and what of a tenant each would be compared with, if not all.
_NAMES: dict[str, t.Callable[[Tenant], t.Any] | None] = {
    "cgroup": None, "label": None, "namespace": lambda tenant: tenant.namespaces,
    "slurm_account": lambda tenant: tenant.slurm_accounts, "user": lambda tenant: tenant.users,
}


@dc.dataclass(frozen=True)
class Whose:
    """Whose a process is.

    Attributes:
        tenants: names of all tenants that the nearest name is of; none: of nobody that is known.
        by: what says so: user alice.
        unsure: why it may still be a tenant's, where none is found; empty: it is nobody's.
    """

    tenants: tuple[str, ...] = ()
    by: str = ""
    unsure: str = ""

    @property
    def tenant(self) -> str | None:
        """The first of them."""
        return next(iter(self.tenants), None)


def whose(holder: Holder, tenants: t.Sequence[Tenant]) -> Whose:
    """The tenants of a process, by the nearest thing that names one: its container, pod, job, unit, login, user."""
    if "open" in holder.unknown:
        return Whose(unsure=holder.unknown["open"])
    for tenant_has, by in _names(holder):
        found = tuple(tenant.name for tenant in tenants if tenant_has(tenant))
        if found:
            return Whose(found, by)
    doubts = (holder.unknown[field] for field, asked in _NAMES.items()
              if field in holder.unknown and (asked is None or any(map(asked, tenants))))
    return Whose(unsure=next(doubts, ""))


def _names(holder: Holder) -> t.Iterator[tuple[t.Callable[[Tenant], bool], str]]:
    if holder.label:
        yield lambda one: holder.label == (one.container_label or one.name), f"label {holder.label} of its container"
    if holder.namespace:
        yield lambda one: holder.namespace in one.namespaces, f"namespace {holder.namespace}"
    if holder.slurm_account:
        yield lambda one: holder.slurm_account in one.slurm_accounts, f"account {holder.slurm_account} of Slurm"
    for unit in reversed(holder.units):
        yield _unit(unit), f"unit {unit}"
    if holder.container or holder.pod or holder.boxed:
        return  # its image numbers users as it likes
    if holder.login:
        yield lambda one: holder.login in one.users, f"login of {holder.login}"
    if holder.user:
        yield lambda one: holder.user in one.users, f"user {holder.user}"


def _unit(unit: str) -> t.Callable[[Tenant], bool]:
    return lambda one: unit in one.units or unit == slice_of(one.name)
