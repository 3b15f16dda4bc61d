# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Evictions in words: each line says what is done to whom, so that a dry run and a run read alike."""

from __future__ import annotations

import typing as t

from ..plan.wording import counted
from .shape import KILL, SKIPPED, TERM, Holder, Plan, Request, Target

_GIB = 1024 ** 3


def gib(size: int | None) -> str:
    """12.0 GiB."""
    return "memory unknown" if size is None else f"{size / _GIB:.1f} GiB"


def plain(text: str) -> str:
    """Without what would move the cursor: everybody names their own process as they like."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def named(holder: Holder) -> str:
    """pid 7 (python3, bob, train.service, tenant train)."""
    whose = f"tenant {holder.tenant}" if holder.tenant else "tenant unknown" if holder.unknown else "of no tenant"
    words = (holder.command, holder.user, (holder.unit or "").replace("container:", "container "), whose)
    return plain(f"pid {holder.pid} ({', '.join(word for word in words if word)})")


def holding(holder: Holder) -> str:
    """0000:05:00.0 (12.0 GiB), 0000:26:00.0 (0.0 GiB)."""
    return ", ".join(f"{device} ({gib(size)})" for device, size in sorted(holder.devices.items()))


def sending(signal: str, target: Target, more: str = "") -> str:
    """Send SIGTERM to pid 7 (python3, bob, tenant train), class P2, on 0000:05:00.0 (12.0 GiB)."""
    return f"send {signal} to {named(target.holder)}, class {target.priority}, on {holding(target.holder)}{more}"


def saving(tenant: str, targets: t.Sequence[Target]) -> str:
    """How the programs of one tenant are told to save their state; empty where they are not."""
    how = targets[0].checkpoint
    pids = f"pid {', '.join(str(target.holder.pid) for target in targets)}"
    if how.command:
        return plain(f"run the checkpoint of tenant {tenant} for {pids} ({how.command[0]}, at most {how.seconds} s)")
    if how.signal:
        return f"send {how.signal} to {pids} of tenant {tenant} to save its state, and wait at most {how.seconds} s"
    return ""


def by_tenant(targets: t.Iterable[Target]) -> dict[str, list[Target]]:
    """The targets of each tenant, but of nobody's."""
    found: dict[str, list[Target]] = {}
    for target in targets:
        if target.holder.tenant:
            found.setdefault(target.holder.tenant, []).append(target)
    return found


def foretold(plan: Plan, request: Request) -> tuple[str, ...]:
    """What a run would do, in its order."""
    lines: list[str] = []
    for wave in plan.waves:
        if request.checkpoint != SKIPPED:
            lines += filter(None, (saving(tenant, targets) for tenant, targets in by_tenant(wave.targets).items()))
        after = f", then {KILL}" if request.kill_allowed else ""
        lines += [sending(TERM, target, f"; grace {wave.grace} s{after}") for target in wave.targets]
    return tuple(lines)


def refusal(survivors: t.Sequence[str], request: Request) -> tuple[str, str]:
    """What is wrong if processes stayed or memory did, and what to do."""
    more = [word for word in ("kill_allowed", "reset_allowed") if not getattr(request, word)]
    hint = (f"allow more ({', '.join(more)})" if more else "reboot the node") + ", or wait and run again"
    return f"{counted(len(survivors), 'device')} not released: {'; '.join(survivors)}", hint
