# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How far a roll-out is, in one line for people."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import budget
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.progress import Progress, fold

from .rollout_log import Log


class Head:
    """The line of a run that goes on, and the steps of its nodes, by its log. Never holds the log."""

    def __init__(self, path: str) -> None:
        self._log = Log(path)
        self._said: tuple[str, dict[str, str]] = ("", {})

    def now(self) -> tuple[str, dict[str, str]]:
        """The line, and of each node that is under way its step; what was known last if the log cannot be read."""
        try:
            if self._log.news():
                progress = fold(*self._log.seen())
                self._said = line(progress), {node: step for node, (step, _since) in progress.steps.items()}
        except FleetError:
            pass
        return self._said


def line(progress: Progress) -> str:
    """canary: 1 under way, 14 left; then: rolling: 3 done, 1 failed, 2 under way, 9 left."""
    done = len(progress.done)
    counts = {
        "done": done, "failed": len(progress.ended) - done, "under way": len(progress.steps),
        "left": len(progress.left),
    }
    said = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    return f"{_phase(progress)}: {said or 'nothing is due'}"


def _phase(progress: Progress) -> str:
    if budget.stopped(progress):
        return "stopped"
    canaries = [place.node for place in progress.course.places if place.canary]
    return "rolling" if all(node in progress.ended for node in canaries) else "canary"
