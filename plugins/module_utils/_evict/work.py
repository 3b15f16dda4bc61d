# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Carrying an eviction out: wave by wave their state is saved, they are told to end, and what stays may be killed."""

from __future__ import annotations

import dataclasses as dc
import signal
import time
import typing as t

from .._act import journal, process
from .._core.errors import FleetError
from .._core.eviction import life, wording
from .._core.eviction.order import heirs, still
from .._core.eviction.shape import (
    GONE,
    KILL,
    LET_GO,
    REQUIRED,
    SAVED,
    SKIPPED,
    STAYS,
    TERM,
    Fate,
    Kept,
    Plan,
    Request,
    Rules,
    Target,
    Wave,
)
from .._core.reservation.shape import Record
from . import eyes
from .pinned import Pinned

ROUNDS = 3  # a program that forks while it is told to end is followed so often
PAUSE = 0.5  # seconds between two looks at who holds the devices still
SHORTEST = 1  # second for a checkpoint of which no time is told
PIDS, TENANT = "INSTINCT_PIDS", "INSTINCT_TENANT"
NOT_REACHED = "it is not told to go, since others stay that should have gone before it"


class Work:
    """One eviction under way.

    Attributes:
        done: in words, in order.
        fates: of those that were told to go.
        kept: of those that were to go, who was not told.
    """

    def __init__(self, request: Request, rules: Rules, view: eyes.View, actor: str) -> None:
        self.done: list[str] = []
        self.fates: list[Fate] = []
        self.kept: list[Kept] = []
        self._request, self._rules, self._actor = request, rules, actor
        self._known = {(one.pid, one.start) for one in view.holders}
        self._holders = view.holders  # as last seen
        self._record = view.record or Record()

    def run(self, plan: Plan) -> None:
        """Carry the waves out, one after the other; once somebody stays, those after them need not go.

        Raises:
            FleetError: a signal may not be sent, or who holds the devices cannot be told any more.
        """
        for wave in plan.waves:
            if self.stays:
                self.kept += [Kept(target.holder, NOT_REACHED) for target in wave.targets]
            else:
                self._wave(wave, ROUNDS)

    @property
    def stays(self) -> bool:
        """Whether anybody stays that was to go."""
        return bool(self.kept) or any(fate.how == STAYS for fate in self.fates)

    def did(self, words: str) -> None:
        """Note what was done, on the node too: whoever waits sees there how far it is."""
        self.done.append(words)
        journal.append({"who": self._actor, "what": "evict", "to": words})

    def _wave(self, wave: Wave, rounds: int) -> None:
        holding = still(wave, self._holders, self._request.devices)
        self.fates += [Fate(target, GONE) for target in wave.targets if target not in holding]
        with Pinned((target.holder for target in holding), eyes.alive) as pinned:
            going = self._saved(holding, pinned)
            saved, killed, staying = set(pinned.ended), (), going
            told = self._tell(TERM, going, pinned)
            pinned.send(signal.SIGCONT, told)  # one that is stopped would not see it
            try:
                staying = self._staying(wave, told, pinned)
                if staying and self._request.kill_allowed:
                    killed = self._tell(KILL, staying, pinned)
                    pinned.wait(self._rules.release, killed)
            finally:
                self.fates += [self._fate(target, pinned, told, saved, killed, staying) for target in going]
        self._holders = eyes.look().holders
        more = heirs(wave, self._holders, self._known, self._request.devices, self._record)
        self._known |= {(target.holder.pid, target.holder.start) for target in more}
        if more and rounds and not self.stays:
            self._wave(dc.replace(wave, targets=more), rounds - 1)

    def _staying(self, wave: Wave, told: t.Collection[int], pinned: Pinned) -> list[Target]:
        """Those told that live and hold one of the devices still, once nobody does or the grace is over."""
        end = time.monotonic() + wave.grace
        while True:
            over = time.monotonic() >= end
            pinned.wait(min(PAUSE, max(0.0, end - time.monotonic())), told)
            living = tuple(target for target in wave.targets if target.holder.pid in set(pinned.alive) & set(told))
            if living:
                self._holders = eyes.look().holders
                living = still(dc.replace(wave, targets=living), self._holders, self._request.devices)
            if over or not living:
                pinned.wait(PAUSE, [pid for pid in told if pid not in {one.holder.pid for one in living}])
                return list(living)  # who has let go may be about to end, and does so a moment after the driver knows

    def _tell(self, name: str, targets: t.Sequence[Target], pinned: Pinned) -> tuple[int, ...]:
        """Send a signal to those that live, and say so."""
        reached = pinned.send(signal.Signals[name], [target.holder.pid for target in targets])
        for target in targets:
            if target.holder.pid in reached:
                self.did(wording.sending(name, target))
        return reached

    @staticmethod
    def _fate(target: Target, pinned: Pinned, told: t.Collection[int], saved: t.Collection[int],
              killed: t.Collection[int], staying: t.Collection[Target]) -> Fate:
        pid = target.holder.pid
        if pid in saved:
            return Fate(target, SAVED, pinned.ended[pid])
        if pid not in told:
            return Fate(target, GONE)
        if pid not in pinned.ended:
            return Fate(target, STAYS if target in staying else LET_GO)
        return Fate(target, KILL if pid in killed else TERM, pinned.ended[pid])

    def _saved(self, holding: t.Sequence[Target], pinned: Pinned) -> list[Target]:
        """Let each tenant save its state; those that go."""
        going = list(holding)
        for tenant, targets in wording.by_tenant(holding).items():
            living = [target for target in targets if target.holder.pid in pinned.alive]
            words = wording.saving(tenant, living) if living and self._request.checkpoint != SKIPPED else ""
            problem = self._save(tenant, living, pinned) if words else ""
            if words:
                self.did(words + (f": {problem}" if problem else ""))
            if problem and self._request.checkpoint == REQUIRED:
                self.kept += [Kept(target.holder, f"its state is not saved: {problem}") for target in living]
                going = [target for target in going if target not in living]
        return going

    @staticmethod
    def _save(tenant: str, targets: t.Sequence[Target], pinned: Pinned) -> str:
        """Save the state of a tenant's programs; why it failed, or nothing."""
        how, pids = targets[0].checkpoint, [target.holder.pid for target in targets]
        if not how.command:
            number = signal.Signals[how.signal]
            status = {pid: eyes.status(pid) for pid in pids}
            deaf = [pid for pid in pids if status[pid] and not life.catches(status[pid], number)]
            pinned.wait(how.seconds, pinned.send(number, [pid for pid in pids if pid not in deaf]))
            return f"pid {', '.join(map(str, deaf))} does not catch {how.signal}" if deaf else ""
        try:
            environment = {PIDS: " ".join(map(str, pids)), TENANT: tenant}
            done = process.run(how.command, max(how.seconds, SHORTEST), **environment)
        except (FleetError, OSError) as error:
            return str(error)
        pinned.wait(0, pids)
        if done.timed_out:
            return f"it did not end within {how.seconds} s"
        said = (done.err or done.out).strip().splitlines()
        return f"it ended with {done.code}{': ' + wording.plain(said[-1]) if said else ''}" if done.code else ""
