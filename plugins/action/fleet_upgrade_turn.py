# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin fleet_upgrade_turn: see plugins/modules/fleet_upgrade_turn.py for its documentation."""

from __future__ import annotations

import getpass
import os
import time
import typing as t

from ansible.errors import AnsibleActionFail, AnsibleConnectionFailure, AnsibleError
from ansible.plugins.action import ActionBase

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import following, progress, shape, turn
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Event
from ansible_collections.instinct.fleet.plugins.plugin_utils import rollout_line, rollout_log
from ansible_collections.instinct.fleet.plugins.plugin_utils.progress import sentence

Given = dict[str, t.Any]
_GLANCE = 0.2  # seconds between two glances at the log, which cost next to nothing
_PATIENCE = 300  # seconds for which a node's lock is waited for, where its plan does not tell
_UNNOTED = "the node did not take note"
_PERIOD = 2.0  # seconds after which a node asks again though nothing happened: a pause ends, a window closes


class ActionModule(ActionBase):
    """Wait for a place, or tell the run, and the node itself, what the node is about."""

    TRANSFERS_FILES = False

    def run(self, tmp: t.Any = None, task_vars: Given | None = None) -> Given:
        """Return whether the node may begin, and how far the run is."""
        result = super().run(tmp, task_vars)
        if self._task.args.get("note") == "":  # what the templates of ansible-core 2.18 make of none
            del self._task.args["note"]
        events = [shape.BEGIN, shape.STEP, shape.END]
        _valid, args = self.validate_argument_spec({
            "log": {"type": "path", "required": True},
            "event": {"type": "str", "choices": events, "default": shape.BEGIN},
            "word": {"type": "str", "default": ""}, "reason": {"type": "str", "default": ""},
            "note": {"type": "dict"},
        })
        known = task_vars or {}
        node, log = str(known["inventory_hostname"]), rollout_log.Log(args["log"])
        try:
            if args["event"] == shape.BEGIN:
                return {**result, "changed": False, **_wait(log, node)}
            if args["event"] == shape.STEP:
                return {**result, "changed": False, **self._step(log, node, args, known)}
            return {**result, "changed": False, **self._end(log, node, args, known)}
        except FleetError as error:
            return {**result, "failed": True, "word": args["word"], "msg": error.sentence, "failure": error.to_dict()}

    def _step(self, log: rollout_log.Log, node: str, args: Given, known: Given) -> Given:
        """The step begins when the run and the node know of it; a node that does not answer fails here."""
        said = _told(log, Event(time.time(), node, shape.STEP, args["word"], args["reason"]))
        if args["note"] is None:
            return said
        options = {"event": shape.STEP, "step": args["word"], "reason": args["reason"], **args["note"]}
        noted = self._noted({**options, **_claim(log, node)}, known)
        if "note" in noted:
            return {**said, "note": noted["note"]}
        lost = _lost(noted)
        why = ("" if lost else f"{_UNNOTED} of the step {args['word']}: ") + sentence(noted)
        return {**said, "failed": True, "lost": lost, "msg": why}

    def _end(self, log: rollout_log.Log, node: str, args: Given, known: Given) -> Given:
        """The place is free whatever the node answers; one that does not is not what it should have noted."""
        word, reason = args["word"], args["reason"]
        noted: Given = {}
        if args["note"] is not None:
            options = {"event": shape.END, "state": word, "reason": reason, **args["note"], **_claim(log, node)}
            noted = self._noted(options, known)
            if noted.get("unreachable"):
                reason = "; ".join(filter(None, [reason, f"it did not answer at the end: {sentence(noted)}"]))
                word = shape.UNREACHABLE
            elif "note" not in noted and _UNNOTED not in reason and sentence(noted) not in reason:
                reason = "; ".join(filter(None, [reason, f"{_UNNOTED} of that: {sentence(noted)}"]))
        return {**_told(log, Event(time.time(), node, shape.END, word, reason)), "note": noted.get("note")}

    def _noted(self, options: Given, known: Given) -> Given:
        """What node_progress answers, or that the node does not. Raises nothing, for the place must be freed."""
        patience = (known.get("gpu_release_plan") or {}).get("lock_timeout", _PATIENCE)
        given = {"lock_timeout": patience, **options, "who": _who()}
        try:
            said: Given = self._execute_module("instinct.fleet.node_progress", given, task_vars=known)
        except AnsibleConnectionFailure as error:
            return {"unreachable": True, "msg": str(error)}
        except AnsibleError as error:
            return {"failed": True, "msg": str(error)}
        return said


def _claim(log: rollout_log.Log, node: str) -> Given:
    """Which run this is, and what it found of the node: by that the node tells it from another."""
    try:
        course, _events = log.seen()
    except FleetError:
        return {}  # whoever tells the log something is told why
    noted = next((place.noted for place in course.places if place.node == node), "")
    return {"run": course.run, "noted": noted}


def _lost(answer: Given) -> bool:
    """Whether the node says that another run has it."""
    return (answer.get("failure") or {}).get("where") == following.ANOTHER


def _who() -> str:
    """Who runs this. In a container that may be a number without a name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def _told(log: rollout_log.Log, event: Event) -> Given:
    with log.held() as held:
        held.append(event)
        began = progress.fold(held.course, held.events).began.get(event.node, event.at)
        line = _line(held)
    return {"word": event.word, "reason": event.reason, "seconds": int(event.at - began), "line": line}


def _wait(log: rollout_log.Log, node: str) -> Given:
    """Ask until the answer is go or skip. Who is told go has its place before another asks.

    Raises:
        AnsibleActionFail: the run was killed meanwhile, and this process was left.
    """
    parent, began = os.getppid(), time.monotonic()
    while True:
        with log.held() as held:
            answer = _ask(held, node, time.time())
            if answer.word != turn.WAIT:
                seconds = int(time.monotonic() - began)
                return {"word": answer.word, "reason": answer.reason, "seconds": seconds, "line": _line(held)}
        asked = time.monotonic()
        while not log.news() and time.monotonic() - asked < _PERIOD:
            time.sleep(_GLANCE)
            if os.getppid() != parent:
                raise AnsibleActionFail(f"{node}: the run was killed while it waited for its turn")


_EVENTS = {turn.GO: shape.BEGIN, turn.WAIT: shape.WAIT, turn.SKIP: shape.SKIP}


def _ask(held: rollout_log.Held, node: str, now: float) -> turn.Turn:
    """The answer of now, which the log has afterwards; that a node waits it has once."""
    zone = time.localtime(now).tm_gmtoff // 60
    answer = turn.turn(held.course, held.events, node, now, zone)
    event = _EVENTS[answer.word]
    if not any(one.node == node and one.event == event for one in held.events):
        held.append(Event(now, node, event, reason=answer.reason))
    return answer


def _line(held: rollout_log.Held) -> str:
    return rollout_line.line(progress.fold(held.course, held.events))
