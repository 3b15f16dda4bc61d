# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The command instinct-partition: partitions on a node, without Ansible. 0: as wanted, 1: not so, 2: cannot tell.

The unit that runs at boot is this. What is wrong is said on standard error, a line for each thing.
"""

from __future__ import annotations

import argparse
import dataclasses as dc
import json
import os
import sys
import typing as t

from .._act import amdgpu
from .._act.outcome import Outcome, of_system
from .._act.spoken import AS_WANTED, CANNOT_TELL, NOT_SO, answer, answer_json, complain
from .._core.errors import FleetError
from .._core.look.shape import Gpus
from .._core.partition.layout import layout, refuse_unknown
from . import eyes, report
from .apply import run
from .data import DATA, INTENT, exporting, read_intent, read_known
from .request import APPLIED, ASSERTED, Known

NAME = "instinct-partition"


def parser() -> argparse.ArgumentParser:
    """What the command understands; wrong use ends with 2."""
    top = argparse.ArgumentParser(NAME, description=(__doc__ or "").splitlines()[0])
    top.add_argument("--data", default=DATA, help=argparse.SUPPRESS)
    top.add_argument("--intent", default=INTENT, help=argparse.SUPPRESS)
    top.add_argument("--json", action="store_true", help="say everything, as JSON")
    verbs = top.add_subparsers(dest="verb", required=True)
    apply = verbs.add_parser("apply", help="bring the GPUs to what they should be")
    apply.add_argument("--wait", type=float, default=0.0, metavar="SECONDS", help="for the driver to drive all GPUs")
    verbs.add_parser("assert", help="say whether they are so")
    exported = verbs.add_parser("export", help="print what they are, as a profile")
    exported.add_argument("--name", default="exported", help="of that profile")
    verbs.add_parser("show", help="list the devices")
    for verb in verbs.choices.values():  # SUPPRESS, or it would take back what stands before the verb
        verb.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    return top


def main(arguments: t.Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = parser().parse_args(arguments)
    try:
        known = read_known(given.data)
        if given.verb == "show":
            return _show(known, given.json)
        if given.verb == "export":
            return _export(known, given.name)
        return _bring(known, given)
    except OSError as error:
        return _cannot(of_system(error), given.json)
    except FleetError as error:
        return _cannot(error, given.json)


def _bring(known: Known, given: argparse.Namespace) -> int:
    applies = given.verb == "apply"
    request = read_intent(given.intent, known, APPLIED if applies else ASSERTED)
    within = "INVOCATION_ID" in os.environ
    request = dc.replace(
        request, actor=NAME,
        # The units that are started again may wait for the unit that runs this.
        wait_for_units=not within,
        # What waits for a reboot comes with it: at boot nothing uses the driver yet.
        reload_allowed=request.reload_allowed or (applies and within))
    if applies:
        amdgpu.wait(given.wait)
    try:
        outcome = run(request)
    except FleetError as error:
        if not applies:
            raise
        return _failed(error, given.json)
    return _ended(outcome, given.json)


def _ended(outcome: Outcome, as_json: bool) -> int:
    said = outcome.values
    code = AS_WANTED if said["as_wanted"] else NOT_SO
    if as_json:
        answer_json({**said, "actions": list(outcome.actions), "exit_code": code})
    else:
        for text in (*outcome.actions, *said["notes"], *(finding["summary"] for finding in said["findings"])):
            answer(text)
        answer("as wanted" if code == AS_WANTED else "not as wanted")
    if code != AS_WANTED:
        differ = (f"gpu {one['bdf']}: is {one['after'] or 'unknown'}, wanted is {one['wanted']}"
                  for one in said["gpus"] if one["after"] != one["wanted"])
        complain(NAME, *differ, said["reboot_required"])
    return code


def _failed(error: FleetError, as_json: bool) -> int:
    said = getattr(error, "values", {})
    if as_json:
        answer_json({**said, **_of(error), "exit_code": NOT_SO})
    became = (f"gpu {one['bdf']}: {one['result']}: {one['reason']}" for one in said.get("gpus", ()) if one["reason"])
    complain(NAME, error.sentence, *became, *said.get("notes", ()))
    return NOT_SO


def _cannot(error: FleetError, as_json: bool) -> int:
    if as_json:
        answer_json({**_of(error), "exit_code": CANNOT_TELL})
    complain(NAME, error.sentence)
    return CANNOT_TELL


def _show(known: Known, as_json: bool) -> int:
    gpus = eyes.look(eyes.AFTER, known.products).gpus or Gpus()
    refuse_unknown(gpus)
    devices = layout(gpus, known.capabilities)
    if as_json:
        answer_json({"devices": [dc.asdict(device) for device in devices], "gpus": report.shown(gpus)})
    else:
        sys.stdout.write(report.table(devices))
    return AS_WANTED


def _export(known: Known, name: str) -> int:
    """A profile as JSON, which is YAML too."""
    answer(json.dumps(run(exporting(known, name)).values["profile"], indent=2))
    return AS_WANTED


def _of(error: FleetError) -> dict[str, t.Any]:
    return {"error": error.sentence, "failure": error.to_dict()}
