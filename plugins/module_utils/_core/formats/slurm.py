# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What Slurm says of a node and of the jobs on it: scontrol's JSON where the version has it, else its lines."""

from __future__ import annotations

import dataclasses as dc
import json
import re
import typing as t

from ..errors import DataError

_TEXT = re.compile(r"NodeName=(?P<name>\S+) .*?\bState=(?P<state>\S+)")
# The reason stands last, and is whatever a person wrote, with who set it and when after it.
_REASON = re.compile(r"\s+Reason=(?P<reason>.*?)(?: \[[^\[\]]+@[^\[\]]+\])?$")
_FLAGS = "*~#!%$@^-"  # what follows a state in text: not responding, powered down and so on. source: sinfo(1)
# 12, 12_3 and 12_[1-4] of an array, 12+1 as a part of a job that has several. source: squeue(1)
_JOB = re.compile(r"(?P<id>[0-9]+(?:_\S+|\+[0-9]+)?)\|(?P<state>[A-Z_]+)\|(?P<user>[^|\s]+)")
JOB_FORMAT = "%i|%T|%u"
# No field that a user fills in: the name of a job may look like any other field, and scontrol's line begins with it.
RESTART_FORMAT = "State,Requeue,BatchFlag,RestartCnt"
_RESTART = re.compile(r"(?P<state>[A-Z_]+) +(?P<requeue>[01]) +(?P<batch>[01]) +(?P<count>[0-9]+)")
_HINT = "ask scontrol on that host by hand"


@dc.dataclass(frozen=True)
class Node:
    """A node as Slurm knows it.

    Attributes:
        name: in Slurm.
        states: IDLE, DRAIN: its state and what is added to that.
        reason: why it is out of work, as whoever took it out said.
    """

    name: str
    states: tuple[str, ...]
    reason: str = ""

    @property
    def out(self) -> bool:
        """Whether it takes no new jobs, by somebody's or Slurm's own decision."""
        return any(state in ("DRAIN", "DRAINED", "DRAINING", "DOWN", "FAIL", "FAILING") for state in self.states)

    @property
    def text(self) -> str:
        """In one line: IDLE+DRAIN, its reason."""
        return "+".join(self.states) + (f", {self.reason}" if self.reason else "")


@dc.dataclass(frozen=True)
class Job:
    """A job that is on a node."""

    id: str
    state: str
    user: str


@dc.dataclass(frozen=True)
class Restart:
    """Whether a job may be put back into the queue, and what came of it.

    Attributes:
        states: of its parts; a job has one unless it asked for several.
        batch: it is a script, which can be begun again. One at a terminal cannot.
        allowed: its user, or the site, lets it be.
        count: how often it was.
    """

    states: tuple[str, ...]
    batch: bool
    allowed: bool
    count: int


def node_json(text: str, name: str) -> Node:
    """The node out of ``scontrol --json show node``. Before 23.02 the state was a text, with its additions apart.

    Raises:
        DataError: it is not of that form.
    """
    try:
        (raw,) = json.loads(text)["nodes"]
        states = raw["state"] if isinstance(raw["state"], list) else [raw["state"], *raw.get("state_flags", [])]
        node = Node(raw["name"], tuple(state.upper() for state in states), raw.get("reason") or "")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"slurm node {name}", "the answer of scontrol --json is not understood", _HINT) from error
    return _checked(node, name)


def node_text(text: str, name: str) -> Node:
    """The node out of ``scontrol --oneliner show node``.

    Raises:
        DataError: it is not of that form.
    """
    line = text.strip()
    reason = _REASON.search(line)
    found = _TEXT.match(line[:reason.start()] if reason else line)
    if not found:
        raise DataError(f"slurm node {name}", "the answer of scontrol is not understood", _HINT)
    states = tuple(part.rstrip(_FLAGS) for part in found["state"].split("+"))
    return _checked(Node(found["name"], states, reason["reason"] if reason else ""), name)


def _checked(node: Node, name: str) -> Node:
    plain = all(isinstance(text, str) for text in (node.name, node.reason, *node.states))
    if not plain or node.name != name or not node.states:
        raise DataError(f"slurm node {name}", "scontrol did not answer about this node alone", _HINT)
    return node


def jobs(text: str, name: str) -> tuple[Job, ...]:
    """The jobs out of squeue with JOB_FORMAT.

    Raises:
        DataError: a line is not of that form.
    """
    found = [_JOB.fullmatch(line.strip()) for line in text.splitlines() if line.strip()]
    if None in found:
        raise DataError(f"slurm node {name}", "the answer of squeue is not understood", "ask squeue by hand")
    return tuple(Job(match["id"], match["state"], match["user"]) for match in t.cast("list[re.Match[str]]", found))


def restart(text: str, job: str) -> Restart | None:
    """What squeue says of a job with RESTART_FORMAT; None if it does not know it any more.

    Raises:
        DataError: a line is not of that form.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = [match for match in map(_RESTART.fullmatch, lines) if match]
    if len(found) != len(lines):
        raise DataError(f"slurm job {job}", "the answer of squeue is not understood", "ask squeue by hand")
    if not found:
        return None
    return Restart(tuple(match["state"] for match in found), all(match["batch"] == "1" for match in found),
                   all(match["requeue"] == "1" for match in found), min(int(match["count"]) for match in found))
