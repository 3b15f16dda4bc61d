# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Those that hold devices, by what they hold and whose they are: from the verdicts over a node."""

from __future__ import annotations

import typing as t

from ..reservation.verdict import OK, TRESPASS, Use, Verdict
from .life import Life
from .shape import ENDED, UNTOUCHABLE, Holder


def candidates(verdicts: t.Iterable[Verdict], lives: t.Mapping[int, Life | None], ages: t.Mapping[int, int],
               own: t.Collection[int]) -> tuple[Holder, ...]:
    """Each process once, by number.

    Args:
        verdicts: over all devices of the node.
        lives: pid -> what /proc tells of it; None where it is gone.
        ages: pid -> seconds for which it has been running.
        own: pids of this run and of all above it.
    """
    found: dict[int, list[Use]] = {}
    for verdict in verdicts:
        for use in verdict.uses:
            found.setdefault(use.holder.pid, []).append(use)
    return tuple(_one(uses, lives.get(pid), ages.get(pid), pid in own) for pid, uses in sorted(found.items()))


def _one(uses: t.Sequence[Use], life: Life | None, seconds: int | None, own: bool) -> Holder:
    seen, whose = uses[0].holder, next((use for use in uses if use.verdict == OK), uses[0]).whose
    tenants = tuple(dict.fromkeys(tenant for use in uses for tenant in use.whose.tenants))
    if life and seen.started is not None and life.start != seen.started:
        life = None  # another process has its number by now
    unit = f"container:{seen.container[:12]}" if seen.container else seen.units[-1] if seen.units else None
    return Holder(
        seen.pid, life.start if life else None, seen.command, seen.user, unit, whose.tenant,
        whose.unsure if not whose.tenant else "", {use.hold.device: use.hold.vram_bytes for use in uses},
        frozenset(use.hold.device for use in uses if use.verdict == TRESPASS), life.group if life else None, seconds,
        _state(life, own), tenants)


def _state(life: Life | None, own: bool) -> str:
    if life is None or life.ended:
        return ENDED
    return UNTOUCHABLE if own or life.kernel else ""
