# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the pre-flight makes of one node."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import note, shape
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.candidate import candidate
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Candidate, Event, Note

RELEASE = {"name": "r2", "kernel": {"wanted": "6.1"}, "driver": {"source": "in_tree", "packages": {}}, "rocm": {"version": "7.2.3"}}
TARGET = "r2, kernel 6.1, driver in_tree, ROCm 7.2.3"
OPEN = {"standing": "open", "reason": ""}
OURS = {"standing": "ours", "reason": "instinct.fleet: upgrade: x"}
ASKED = {"standing": "ours", "before": "open", "reason": "instinct.fleet: upgrade: x"}  # as a dry drain answers
FOREIGN = {"standing": "foreign", "before": "foreign", "reason": "broken fan\x1b"}
OTHER = Note("r9", "r9", "s9", "apply", shape.GOING, seconds=700)
REFUSED = [{"name": "room", "verdict": "refused", "words": "/boot has 3 MiB"}, {"name": "boot", "verdict": "refused", "words": "no GRUB"}]
UNKNOWN = [{"name": "Secure Boot", "verdict": "unknown", "words": "no\x07 efivars"}, {"name": "packages", "verdict": "ok", "words": "all there"}]


def plan(due: bool = True, reboot: str = "", *problems: str) -> dict[str, t.Any]:
    return {"todo": due, "actions": ["install a\x1b"] if due else [], "release": RELEASE, "report": {"found": "r1"},
            "plans": {"gpu_driver": {"reboot": reboot, "problems": list(problems)}, "gpu_release": {"reboot": "", "problems": []}}}


def seen(kept: Note | None = None, **changed: t.Any) -> dict[str, t.Any]:
    return {"plan": plan(), "note": note.text(kept) if kept else "", "standing": OPEN, "checks": [], "seconds": 600, "unreachable": False,
            **changed}


def was(state: str, **changed: t.Any) -> Note:
    return dc.replace(Note(TARGET, "r2", "s1", "gate", state, "" if state in ("done", "going") else "gate: fail"), **changed)


LATER = note.text(was("done")).replace('"v1"', '"v2"')
NOTHING = {"plan": plan(False), "seconds": 0}
# what was seen, whether it is tried again -> status, reason
STATES: dict[str, tuple[dict[str, t.Any] | None, bool, tuple[str, str]]] = {
    "nobody looked": (None, False, ("refused", "it was not looked at")),
    "it has no plan": ({"failed": True, "msg": "gpu_release_name: is missing"}, False, ("refused", "gpu_release_name: is missing")),
    "its plan failed": ({"plan": {"failed": True}, "msg": "x"}, False, ("refused", "x")),
    "not reached": ({"unreachable": True, "msg": "no route\n"}, True, ("unreachable", "no route")),
    "not reached, and nobody says why": ({"unreachable": True}, False, ("unreachable", "it did not answer")),
    "it has a plan, and did not answer after that": (seen(unreachable=True), False, ("unreachable", "it did not answer")),
    "due": (seen(), False, ("due", "")),
    "due, and asked what a drain would do": (seen(standing=ASKED), False, ("due", "")),
    "due, and out of work by others": (seen(standing=FOREIGN), False, ("due", "")),
    "due, a reboot alone": (seen(plan=plan(False, "kernel")), False, ("due", "")),
    "as wanted": (seen(**NOTHING), False, ("as wanted", "")),
    "as wanted, since an upgrade": (seen(was("done"), **NOTHING), False, ("as wanted", "")),
    "as wanted, and asked what a drain would do": (seen(standing=ASKED, **NOTHING), False, ("as wanted", "")),
    "as wanted, whatever a check says": (seen(checks=REFUSED, **NOTHING), False, ("as wanted", "")),
    "as wanted, though another upgrade was cut off": (seen(OTHER, **NOTHING), False, ("as wanted", "")),
    "as wanted, but out of work by us": (seen(standing=OURS, **NOTHING), False, ("due", "")),
    "as wanted, but the last step was cut off": (seen(was("going"), **NOTHING), False, ("due", "")),
    "as wanted, but its gate failed": (seen(was("failed"), **NOTHING), False, ("failed before", "failed: gate: fail")),
    "as wanted, its gate failed, and it is tried again": (seen(was("failed"), **NOTHING), True, ("due", "")),
    "upgraded, and changed since": (seen(was("done")), False, ("due", "")),
    "cut off": (seen(was("going")), False, ("due", "")),
    "went back": (seen(was("rolled back")), False, ("failed before", "rolled back: gate: fail")),
    "went back, and is tried again": (seen(was("rolled back")), True, ("due", "")),
    "stranded": (seen(was("stranded", reason="")), False, ("failed before", "stranded")),
    "stranded, with checks that nobody asked for": (seen(was("stranded"), checks=REFUSED), False, ("failed before", "stranded: gate: fail")),
    "failed for another release": (seen(dc.replace(OTHER, state="failed", reason="x")), False, ("due", "")),
    "partitions are part of the target": (seen(was("rolled back"), partitions="cpx"), False, ("due", "")),
    "checks refuse": (seen(checks=REFUSED), False, ("refused", "/boot has 3 MiB; no GRUB")),
    "checks do not know": (seen(checks=UNKNOWN), False, ("due", "")),
    "its scheduler does not answer": (seen(standing={"failed": True, "msg": "no slurmctld"}), False, ("refused", "no slurmctld")),
    "its scheduler does not answer, and more": (
        seen(standing={"failed": True, "msg": "no GRUB"}, checks=REFUSED), False, ("refused", "/boot has 3 MiB; no GRUB")),
    "the host of its scheduler is not reached": (seen(standing={"unreachable": True}), False, ("refused", "its scheduler did not answer")),
    "a later version of the collection wrote its note": (seen(note=LATER, **NOTHING), True, (
        "refused", "/var/lib/instinct/upgrade.json: version: is 'v2', which this version of the collection does not know; "
                   "go on with the later one that wrote the note")),
    "its note is broken": (seen(note="{"), True, (
        "refused", "/var/lib/instinct/upgrade.json: is not JSON; remove it, and the upgrade of the node begins anew")),
}


@pytest.mark.parametrize(("given", "retry", "said"), STATES.values(), ids=STATES)
def test_state_of_a_node(given: dict[str, t.Any] | None, retry: bool, said: tuple[str, str]) -> None:
    found = candidate("n1", given, retry=retry, canary=True, domain="r1\x1b")
    assert (found.status, found.reason) == said
    assert (found.node, found.canary, found.domain) == ("n1", True, "r1")


def test_what_templates_of_the_oldest_ansible_make_of_texts_and_numbers() -> None:
    kept = was("done", seconds=800)
    for seconds, wanted in (("600", 600), ("0", 800), (600, 600)):
        found = candidate("n1", seen(note=json.loads(note.text(kept)), seconds=seconds))
        assert found == candidate("n1", seen(kept, seconds=wanted))
        assert (found.proven, found.seconds) == (True, wanted)


def test_the_reason_from_elsewhere_is_told() -> None:
    assert candidate("n1", None, error="no such variable").reason == "no such variable"


def test_a_check_of_elsewhere_counts() -> None:
    trial = {"name": "trial", "verdict": "refused", "words": "it does not build"}
    assert candidate("n1", seen(checks=REFUSED[:1]), checks=[trial]).reason == "/boot has 3 MiB; it does not build"


def test_one_that_took_no_note_of_its_end_is_not_tried_again_unasked() -> None:
    going = was("going", run="run-7")
    told = candidate("n1", seen(going, standing={**OURS, "reason": "instinct.fleet: upgrade: rolled back: gate: fail"}))
    logged = candidate("n1", seen(going), ends=lambda run, node: Event(1, node, "end", "failed", f"{run}\x1b"))
    assert (told.status, told.reason, told.halfway) == ("failed before", "rolled back: gate: fail", False)
    assert (logged.status, logged.reason, logged.halfway) == ("failed before", "failed: run-7", False)
    assert told.notes[0] == "it took no note of its end; how it ended is known from its scheduler"
    assert logged.notes[0] == "it took no note of its end; how it ended is known from the log of its run run-7"
    assert candidate("n1", seen(going), retry=True, ends=lambda _run, node: Event(1, node, "end", "failed", "x")).status == "due"


def test_nobody_asked_to_try_it_again() -> None:
    assert candidate("n1", seen(was("failed"))).status == "failed before"


def test_what_it_runs_may_be_unknown() -> None:
    assert candidate("n1", seen(plan={**plan(), "report": {}})).found == ""


def test_a_node_that_is_due() -> None:
    assert candidate("n1", seen(plan=plan(True, "kernel", "a GPU is gone"), checks=UNKNOWN)) == Candidate(
        "n1", "due", "", "r2", TARGET, "r1", ("install a",), True, seconds=600,
        notes=("Secure Boot is not known: no  efivars", "a GPU is gone"))


# the note, what else was seen -> halfway, proven, snapshot, standing, seconds
KNOWN: dict[str, tuple[Note | None, dict[str, t.Any], tuple[bool, bool, str, str, int]]] = {
    "nothing": (None, {}, (False, False, "", "open", 600)),
    "cut off": (was("going"), {"standing": OURS}, (True, False, "s1", "ours", 600)),
    "cut off, and brought elsewhere since": (was("going"), {"stays": ""}, (True, False, "", "open", 600)),
    "cut off on its way elsewhere": (OTHER, {"standing": OURS, "seconds": 0}, (False, False, "s9", "ours", 700)),
    "upgraded": (was("done", seconds=800), {}, (False, True, "s1", "open", 600)),
    "upgraded to another": (dc.replace(OTHER, state="done"), {}, (False, False, "s9", "open", 600)),
    "nobody knows how long it takes": (None, {"seconds": 0}, (False, False, "", "open", 0)),
    "nobody asked who has it": (None, {"standing": None}, (False, False, "", "open", 600)),
    "asked what a drain would do": (None, {"standing": ASKED}, (False, False, "", "open", 600)),
}


@pytest.mark.parametrize(("kept", "changed", "said"), KNOWN.values(), ids=KNOWN)
def test_what_is_known_of_it(kept: Note | None, changed: dict[str, t.Any], said: tuple[bool, bool, str, str, int]) -> None:
    found = candidate("n1", seen(kept, **changed))
    assert (found.halfway, found.proven, found.snapshot, found.standing, found.seconds) == said


def test_when_its_note_was_written_is_known_to_the_run() -> None:
    assert candidate("n1", seen(was("going", updated="t7"))).noted == "t7"
    assert candidate("n1", seen(dc.replace(OTHER, updated="t8"))).noted == "t8"
    assert candidate("n1", seen()).noted == ""


BACK: dict[str, tuple[Note, bool, str]] = {
    "on its way back": (was("going", step="restore", reason="gate: fail"), False, "gate: fail"),
    "gated on its way back": (was("going", step="regate", reason="gate:\x1b fail"), False, "gate:  fail"),
    "on its way forth, after it was tried before": (was("going", reason="gate: fail"), False, ""),
    "on its way back, and tried again": (was("going", step="restore", reason="gate: fail"), True, ""),
    "it was back": (was("rolled back", step="regate"), True, ""),
    "on its way back from elsewhere": (Note("r9", "r9", "s9", "restore", "going", "x"), False, ""),
}


@pytest.mark.parametrize(("kept", "retry", "why"), BACK.values(), ids=BACK)
def test_who_was_on_its_way_back_goes_back(kept: Note, retry: bool, why: str) -> None:
    found = candidate("n1", seen(kept), retry=retry)
    assert (found.status, found.back) == ("due", why)


NOTES: dict[str, tuple[dict[str, t.Any], tuple[str, ...]]] = {
    "foreign": (seen(standing=FOREIGN), ("somebody else took it out of work, and it stays so: broken fan",)),
    "foreign without a reason": (
        seen(standing={"standing": "foreign"}), ("somebody else took it out of work, and it stays so: no reason is known",)),
    "ours": (seen(standing=OURS), ("it is out of work: instinct.fleet: upgrade: x",)),
    "cut off": (seen(was("going")), ("an earlier run was cut off on it at the step gate",)),
    "cut off, by a run with a name": (seen(was("going", run="run-7\x1b")), ("an earlier run (run-7 ) was cut off on it at the step gate",)),
    "cut off elsewhere": (seen(OTHER), ("an earlier run was cut off on it at the step apply, on its way to r9",)),
    "tried before": (seen(was("rolled back", attempt=2)), ("it was tried before (2): rolled back: gate: fail",)),
    "tried before for another": (seen(dc.replace(OTHER, state="failed")), ()),
    "upgraded": (seen(was("done")), ()),
}


@pytest.mark.parametrize(("given", "notes"), NOTES.values(), ids=NOTES)
def test_what_a_person_should_know(given: dict[str, t.Any], notes: tuple[str, ...]) -> None:
    assert candidate("n1", given).notes == notes
