# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The command instinct-gate: the gate on a node, without Ansible. 0: may take work, 1: must not, 2: cannot tell.

Node-problem-detector, Slurm and NHC read the same codes: docs/gate.md.
"""

from __future__ import annotations

import argparse
import dataclasses as dc
import json
import os
import pwd
import sys
import typing as t

from .._act.outcome import of_system
from .._core.errors import FleetError
from .._core.health import history, quarantine
from .._core.health.inherit import resolve
from .._core.health.profile import Profile
from . import gate
from .data import AgentData, read
from .state import DIRECTORY, State

DATA = "/usr/local/lib/instinct/gate-data.json"
UNKNOWN = 2


def parser() -> argparse.ArgumentParser:
    """What the command understands; wrong use ends with 2."""
    top = argparse.ArgumentParser("instinct-gate", description=(__doc__ or "").splitlines()[0])
    top.add_argument("--data", default=DATA, help=argparse.SUPPRESS)
    top.add_argument("--state", default=DIRECTORY, help=argparse.SUPPRESS)
    top.add_argument("--profile", help="what the node must show (default: as installed)")
    top.add_argument("--json", action="store_true", help="say everything, as JSON")
    top.add_argument("--wait", type=float, nargs="?", const=-1.0, default=0.0, metavar="SECONDS",
                     help="look again until it passes, at most so long (without a number: as the profile says)")
    top.add_argument("--timeout", type=float, default=30.0, help="seconds that one look may take")
    top.add_argument("--active", action="store_true", help="run the profile's tools; not on a node that works")
    top.add_argument("--baseline", choices=(gate.NONE, gate.TAKE, gate.COMPARE), default=gate.COMPARE)
    top.add_argument("--no-record", action="store_true", help="write nothing")
    verbs = top.add_subparsers(dest="verb", metavar="{status,quarantine}")
    verbs.add_parser("status", help="what the last gates said")
    aside = verbs.add_parser("quarantine", help="set the node aside, or take it back")
    acts = aside.add_subparsers(dest="act", required=True)
    acts.add_parser("set").add_argument("--reason", required=True)
    acts.add_parser("lift")
    acts.add_parser("show")
    return top


def main(arguments: t.Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = parser().parse_args(arguments)
    try:
        state = State(given.state)
        if given.verb == "status":
            return _status(state, given.json)
        if given.verb == "quarantine":
            return _quarantine(state, given)
        return _gate(state, given)
    except OSError as error:
        return _failed(of_system(error), given.json)
    except FleetError as error:
        return _failed(error, given.json)


def _failed(error: FleetError, as_json: bool) -> int:
    said = {"verdict": "unknown", "exit_code": UNKNOWN, "error": error.sentence, "failure": error.to_dict()}
    _say(said, f"unknown: {error.sentence}", as_json)
    return UNKNOWN


def _say(data: t.Mapping[str, t.Any], text: str, as_json: bool) -> None:
    sys.stdout.write((json.dumps(data, sort_keys=True) if as_json else text) + "\n")


def _actor() -> str:
    """Who runs the command; behind sudo, who called that."""
    name = os.environ.get("SUDO_USER")
    try:
        return name or pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def request(data: AgentData, given: argparse.Namespace) -> gate.Request:
    """What the command asks the gate.

    Raises:
        FleetError: there is no such profile.
    """
    name = given.profile or data.profile
    profile = Profile.from_document(resolve(data.profiles, name, "--profile"), name)
    return gate.Request(
        profile, data.faults, f"instinct-gate ({_actor()})", data.wanted, timeout=max(given.timeout, 1.0),
        wait=float(profile.settle_seconds) if given.wait < 0 else given.wait, baseline=given.baseline,
        active=given.active, record=not given.no_record and os.geteuid() == 0, quarantine=data.quarantine,
        products=data.products,
    )


def _gate(state: State, given: argparse.Namespace) -> int:
    asked = request(read(given.data), given)
    answer = gate.run(asked, state)
    said = {"profile": asked.profile.id, "recorded": asked.record, **answer.to_dict()}
    lines = [f"{said['verdict']}: {said['evidence'][0] if said['evidence'] else f'profile {asked.profile.id}'}"]
    lines += [f"  {text}" for text in (*said["evidence"][1:], *said["baseline"]["notes"])]
    _say(said, "\n".join(lines), given.json)
    return int(said["exit_code"])


def _status(state: State, as_json: bool) -> int:
    """The last verdicts. The code is that of the last gate, or of the quarantine; 2 if none has run."""
    held, told = state.read_quarantine(), state.read_history()
    latest = told.latest
    code = 1 if held else quarantine.EXIT[latest[1].verdict] if latest else UNKNOWN
    lines = [f"quarantine {held.words}"] if held else []
    lines += [_line(name, last) for name, last in sorted(told.profiles.items(), key=lambda pair: pair[1].when)]
    data = {**told.to_dict(), "quarantine": held.to_dict() if held else None, "exit_code": code}
    _say(data, "\n".join(lines) or "no gate has run yet", as_json)
    return code


def _line(name: str, last: history.Last) -> str:
    return f"{name}: {last.verdict} since {last.since}, last looked at {last.when}" + "".join(
        f"\n  {text}" for text in last.checks)


def _quarantine(state: State, given: argparse.Namespace) -> int:
    """Set, lift or show. ``show`` ends with 1 if there is one."""
    if given.act == "show":
        held = state.read_quarantine()
        _say({"quarantine": dc.asdict(held) if held else None}, held.words if held else "none", given.json)
        return 1 if held else 0
    wanted = None
    if given.act == "set":
        wanted = quarantine.Quarantine(quarantine.PERSON, _actor(), given.reason, gate.now())
    with state.locked(given.timeout):
        state.write_quarantine(wanted)
    _say({"quarantine": dc.asdict(wanted) if wanted else None}, wanted.words if wanted else "lifted", given.json)
    return 0
