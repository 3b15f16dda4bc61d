# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The command instinct-qos: quality of service on a node, without Ansible. 0: as wanted, 1: not so, 2: cannot tell.

The unit that runs at boot is this, and the timer starts it when a window begins or ends.
"""

from __future__ import annotations

import argparse
import typing as t

from .._act import amdgpu
from .._act.outcome import Outcome, of_system
from .._act.spoken import AS_WANTED, CANNOT_TELL, NOT_SO, answer, answer_json, complain
from .._core.errors import FleetError
from .._core.qos.shape import label
from .apply import run
from .data import DATA, INTENT, read_intent, read_known
from .request import APPLIED, ASSERTED, RESTORED

NAME = "instinct-qos"
_STATES = {"apply": APPLIED, "assert": ASSERTED, "restore": RESTORED}


def parser() -> argparse.ArgumentParser:
    """What the command understands; wrong use ends with 2."""
    top = argparse.ArgumentParser(NAME, description=(__doc__ or "").splitlines()[0])
    top.add_argument("--data", default=DATA, help=argparse.SUPPRESS)
    top.add_argument("--intent", default=INTENT, help=argparse.SUPPRESS)
    top.add_argument("--json", action="store_true", help="say everything, as JSON")
    verbs = top.add_subparsers(dest="verb", required=True)
    apply = verbs.add_parser("apply", help="bring the node to the profile that is due now")
    apply.add_argument("--wait", type=float, default=0.0, metavar="SECONDS", help="for the driver to drive all GPUs")
    verbs.add_parser("assert", help="say whether it is so")
    verbs.add_parser("restore", help="bring it back to what it was before any profile")
    return top


def main(arguments: t.Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = parser().parse_args(arguments)
    try:
        request = read_intent(given.intent, read_known(given.data), _STATES[given.verb], NAME)
        if given.verb == "apply":
            amdgpu.wait(given.wait)
        return _ended(run(request), given.json)
    except OSError as error:
        return _failed(of_system(error), given.json)
    except FleetError as error:
        return _failed(error, given.json)


def _ended(outcome: Outcome, as_json: bool) -> int:
    said = outcome.values
    code = AS_WANTED if said["as_wanted"] else NOT_SO
    if as_json:
        answer_json({**said, "actions": list(outcome.actions), "exit_code": code})
    else:
        for text in outcome.actions:
            answer(text)
        answer(f"profile {said['profile'] or 'none'}: {'as wanted' if code == AS_WANTED else 'not as wanted'}")
    differ = (f"{row['target']}: {label(row['setting'])} is {row['after']}, wanted is {row['wanted']}"
              for row in said["settings"] if code != AS_WANTED and row["after"] != row["wanted"])
    lacks = (f"{one['target']}: has no {label(one['setting'])} {one['wanted']}: {one['reason']}"
             for one in said["unsupported"])
    complain(NAME, *differ, *lacks)
    return code


def _failed(error: FleetError, as_json: bool) -> int:
    """Refused before anything was touched, it cannot be told; a failure says what became of each setting."""
    said = getattr(error, "values", {})
    code = NOT_SO if said else CANNOT_TELL
    if as_json:
        answer_json({**said, "error": error.sentence, "failure": error.to_dict(), "exit_code": code})
    became = (f"{row['target']}: {label(row['setting'])}: {row['result']}: {row['reason']}"
              for row in said.get("settings", ()) if row["reason"])
    complain(NAME, error.sentence, *became)
    return code
