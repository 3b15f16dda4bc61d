# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What is told of RDMA on a node, as plain data."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from ..findings import Check
from . import fabric
from .catalogue import Catalogue
from .environment import environment
from .judge import checks
from .plan import plan, refusal, unread
from .seen import Seen
from .versions import of as firmware_of
from .wish import Wish


def report(catalogue: Catalogue, seen: Seen, wish: Wish) -> dict[str, t.Any]:
    """What the module rdma_stack returns of a node.

    Raises:
        FleetError: a name is none of the catalogue, or a source has no version.
    """
    found, todo, against = checks(catalogue, seen, wish), plan(catalogue, seen, wish), refusal(catalogue, seen, wish)
    lost = unread(seen)
    return {
        "fabric": "unknown" if lost else fabric.state(catalogue, seen),
        "families": {nic.bdf: family.name for nic, family in fabric.nics(catalogue, seen)},
        "devices": [{**dc.asdict(device), "firmware": firmware_of(device.name, seen)} for device in seen.devices],
        "drivers": dict(seen.drivers),
        "environment": environment(catalogue, seen, wish),
        "install": list(todo.install), "hold": list(todo.hold), "manager": seen.manager,
        "checks": [dc.asdict(one) for one in found],
        "as_wanted": not lost and all(one.verdict == "pass" for one in found),
        "refusal": against.sentence if against else "",
    }


def failure(catalogue: Catalogue, seen: Seen, wish: Wish) -> FleetError | None:
    """What does not work though everything was done, as a refusal."""
    wrong = [one for one in checks(catalogue, seen, wish) if one.verdict == "fail"]
    return FleetError("RDMA", "; ".join(map(_sentence, wrong)), wrong[0].why.remedy) if wrong else None


def _sentence(one: Check) -> str:
    return f"{one.subject} should have {one.wanted}: {one.seen}"
