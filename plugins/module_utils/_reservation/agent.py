# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The command instinct-reservation: reservations on a node, without Ansible. 0: as told, 1: not so, 2: cannot tell.

The unit that runs at boot and when a window opens or closes is this.
"""

from __future__ import annotations

import argparse
import functools
import typing as t

from .._act.outcome import Outcome, of_system
from .._act.spoken import AS_WANTED, CANNOT_TELL, NOT_SO, answer, answer_json, complain
from .._core.errors import FleetError
from . import request
from .apply import run

NAME = "instinct-reservation"


def parser() -> argparse.ArgumentParser:
    """What the command understands; wrong use ends with 2."""
    top = argparse.ArgumentParser(NAME, description=(__doc__ or "").splitlines()[0])
    top.add_argument("--json", action="store_true", help="say everything, as JSON")
    verbs = top.add_subparsers(dest="verb", required=True)
    apply = verbs.add_parser("apply", help="bring groups, files and device nodes to what holds now")
    apply.add_argument("--wait", type=float, default=0.0, metavar="SECONDS", help="for devices that are not there")
    verbs.add_parser("status", help="say what holds now, and what is not so")
    return top


def main(arguments: t.Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = parser().parse_args(arguments)
    try:
        checks = given.verb == "status"
        asked = functools.partial(request.of_files, checks, 0.0 if checks else given.wait)
        return _ended(run(asked), checks, given.json)
    except OSError as error:
        return _cannot(of_system(error), given.json)
    except FleetError as error:
        return _cannot(error, given.json)


def _ended(outcome: Outcome, checks: bool, as_json: bool) -> int:
    """A run that changed something is as told; a check that would is not. What is not there never is."""
    said = outcome.values
    absent = [f"device {name} is not there" for name in said["missing"]]
    absent += [f"user {name} is not known to the node" for name in said["unknown_users"]]
    code = NOT_SO if absent or (checks and outcome.actions) else AS_WANTED
    if as_json:
        answer_json({**said, "actions": list(outcome.actions), "exit_code": code})
    else:
        for text in (*outcome.actions, f"holds now: {', '.join(said['holds']) or 'nothing'}"):
            answer(text)
        answer("as told" if code == AS_WANTED else "not as told")
    complain(NAME, *absent)
    return code


def _cannot(error: FleetError, as_json: bool) -> int:
    if as_json:
        answer_json({"error": error.sentence, "failure": error.to_dict(), "exit_code": CANNOT_TELL})
    complain(NAME, error.sentence)
    return CANNOT_TELL
