# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a run shows while it runs: steps that go on, and results in words."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import apt_failure
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.grid import plain
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.wording import counted, duration


@dc.dataclass
class Running:
    """A step of one host that goes on."""

    step: str
    since: float
    told: float  # when it was last said that it goes on


def headline(text: str, seconds: float, width: int) -> str:
    """A line over the steps that go on, with the time of the whole."""
    return _live(text, duration(seconds), width)


def _live(text: str, time: str, width: int) -> str:
    """Text on the left, cut off if need be, and the time on the right."""
    room = max(width - len(time) - 3, 0)
    return f"{text[:room]:{room}}  {time}"[: max(width - 1, 0)]


class Board:
    """The steps that go on, by host."""

    def __init__(self) -> None:
        self._running: dict[str, Running] = {}

    def start(self, host: str, step: str, now: float) -> None:
        """A step began."""
        self._running[host] = Running(step, now, now)

    def end(self, host: str, now: float) -> float:
        """A step ended; returns how long it took."""
        running = self._running.pop(host, None)
        return now - running.since if running else 0.0

    def note(self, host: str, step: str) -> None:
        """A step goes on under another name (an attempt of several)."""
        if host in self._running:
            self._running[host].step = step

    def clear(self) -> None:
        """Nothing goes on any more."""
        self._running.clear()

    def lines(
        self, now: float, width: int, height: int, marks: t.Mapping[str, str] | None = None,
    ) -> list[str]:
        """The longest running steps, at most ``height`` lines, none wider than ``width``.

        ``marks``: of hosts, what a step is a part of.
        """
        running = sorted(self._running.items(), key=lambda pair: (pair[1].since, pair[0]))
        shown = running if len(running) <= height else running[: max(height - 1, 0)]
        size = max((len(host) for host, _step in shown), default=0)
        known = marks or {}
        lines = [_live(f"{host:{size}}  {known[host] + ': ' if known.get(host) else ''}{step.step}",
                       duration(now - step.since), width) for host, step in shown]
        if len(shown) < len(running):
            lines.append(f"and {len(running) - len(shown)} more"[: max(width - 1, 0)])
        return lines[:height]

    def overdue(self, now: float, every: float) -> list[str]:
        """A line for each step of which nothing was said for so long."""
        lines = []
        for host, running in self._running.items():
            if now - running.told >= every:
                running.told = now
                lines.append(f"{host}  still in  {running.step} ({duration(now - running.since)})")
        return lines


def going_on(step: str, result: t.Mapping[str, t.Any]) -> str:
    """A step that is tried again: with what its module says that it waits for, else with the number of the attempt."""
    waiting = result.get("waiting")
    return f"{step}: {plain(waiting)}" if waiting else f"{step}, attempt {result.get('attempts', 0) + 1}"


def words(result: t.Mapping[str, t.Any]) -> list[str]:
    """What a task did, in words, where its module says so. Items of a loop are put together."""
    items = result.get("results")
    parts = items if isinstance(items, list) else [result]
    found: list[str] = []
    for part in parts:
        actions = part.get("actions") if isinstance(part, t.Mapping) else None
        if isinstance(actions, (list, tuple)) and part.get("changed"):
            found += [plain(action) for action in actions]
    return found


_NAMELESS = ("non-zero return code", "command terminated", "module failure", "the command exited with",
             "module result deserialization failed")

_OUTPUTS = ("stderr", "module_stderr", "stdout", "module_stdout")
_APT = re.compile(r"'/usr/bin/apt-get .*?' failed: ", re.DOTALL)  # how ansible.builtin.apt begins
_PREFIXES = ("Task failed: ", "Module failed: ", "Action failed: ")  # ansible-core since 2.19; the line says so already


def _last_line(text: t.Any) -> str:
    lines = [line for line in str(text or "").splitlines() if line.strip()]
    return plain(lines[-1]) if lines else ""


def sentence(result: t.Mapping[str, t.Any]) -> str:
    """Why a task failed, in one line: its message, with what the command said where the message says nothing."""
    if "censored" in result:
        return plain(result["censored"])
    message = result.get("msg") or result.get("reason") or ""
    text = plain("; ".join(map(str, message)) if isinstance(message, (list, tuple)) else message)
    while text.startswith(_PREFIXES):
        text = text.partition(": ")[2]
    if _APT.match(text):
        printed = "\n".join(str(result.get(name) or "") for name in ("stderr", "stdout", "msg"))
        return plain(apt_failure.why(printed)) or _APT.sub("apt-get: ", text)
    if not text or text.lower().startswith(_NAMELESS):
        # A terminal, as ssh gives one to sudo, puts what the interpreter complains of among the output.
        said = next(filter(None, (_last_line(result.get(name)) for name in _OUTPUTS)), "")
        code = f"exit code {result['rc']}" if "rc" in result else ""
        text = ": ".join(filter(None, (text.rstrip("."), said or code)))
    return text or "no reason was given; run again with -v"


@dc.dataclass(frozen=True)
class Done:
    """The result of a task on a host, whatever Ansible calls its parts."""

    host: str
    label: str  # as the host is shown, with the one that the task was delegated to
    task: t.Any
    result: dict[str, t.Any]
    seconds: float = 0.0

    @classmethod
    def of(cls, result: t.Any, label: str) -> Done:
        """Read a result as ansible-core hands it to callbacks: with public names since 2.19, without before."""
        if hasattr(result, "result"):
            return cls(result.host.get_name(), label, result.task, result.result)
        return cls(result._host.get_name(), label, result._task, result._result)

    def after(self, seconds: float) -> Done:
        """The same, with the time that it took."""
        return dc.replace(self, seconds=seconds)


def recap(numbers: t.Mapping[str, t.Mapping[str, int]], check: bool) -> str:
    """How many hosts ended how, by the worst that happened to each."""
    names = {"unreachable": "unreachable", "failures": "failed", "changed": "would change" if check else "changed"}
    count = dict.fromkeys([*reversed(names.values()), "unchanged"], 0)
    for number in numbers.values():
        count[next((name for key, name in names.items() if number.get(key)), "unchanged")] += 1
    changed = names["changed"]
    order = (changed, "unchanged", "failed", "unreachable")
    said = ", ".join(f"{count[name]} {name}" for name in order if count[name] or name in (changed, "failed"))
    return f"{counted(len(numbers), 'host')}: {said}"
