# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who sets a node aside, and who takes it back."""

from __future__ import annotations

import dataclasses as dc
import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.health import quarantine as q
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.tests.unit.support.healthy import A, B, health, judged, look, profile

WHEN = "2026-01-02T03:04:05+00:00"
GATE = q.Quarantine(q.GATE, "timer", "failed running: ecc-uncorrectable", WHEN, ("ecc-uncorrectable",))
PERSON = q.Quarantine(q.PERSON, "alice", "case 4711", WHEN)
BAD = look(healths=(health(A, blocks={"umc": lk.BlockErrors(0, 1, 0)}, xgmi_links=("down", "up")), health(B)))
WARM = look(healths=(health(A, power_cap_w=700), health(B)))
DARK = dc.replace(look(), health=None)
SETS = dc.replace(profile("running"), quarantine=True)

CASES = {
    # quarantine before, profile, look, allowed, by whom it is after (None: there is none)
    "a healthy node": (None, profile(), look(), True, None),
    "it fails, and the profile does not say so": (None, profile(), BAD, None, None),
    "it fails, and the profile says so": (None, SETS, BAD, None, q.GATE),
    "it fails, and the site says so": (None, profile(), BAD, True, q.GATE),
    "it fails, and the site forbids it": (None, SETS, BAD, False, None),
    "no data sets none": (None, profile(), DARK, True, None),
    "a gate's is lifted by admission": (GATE, profile(), look(), None, None),
    "a warning may work": (GATE, profile(), WARM, None, None),
    "a gate's stays while it fails": (GATE, profile(), BAD, None, q.GATE),
    "a gate's stays without data": (GATE, profile(), DARK, None, q.GATE),
    "a gate's is not lifted by a node that works": (GATE, profile("running"), look(), None, q.GATE),
    "a person's is no gate's to lift": (PERSON, profile(), look(), None, q.PERSON),
}


@pytest.mark.parametrize(("before", "by", "seen", "allowed", "expected"), CASES.values(), ids=CASES)
def test_after(before: q.Quarantine | None, by: q.Profile, seen: lk.Look, allowed: bool | None, expected: str | None) -> None:
    found = q.after(before, by, judged(seen, by.id), "timer", WHEN, allowed)
    assert (found and found.by) == expected
    assert before is None or found in (None, before)


def test_a_gate_says_why() -> None:
    found = q.after(None, profile(), judged(BAD), "bob", WHEN, True)
    assert found == q.Quarantine(q.GATE, "bob", f"failed admission: ecc-uncorrectable of {A}, umc: 1 errors and 1 more", WHEN,
                                 ("ecc-uncorrectable", "xgmi-links"))
    one = look(healths=(health(A, xgmi_links=("down", "up")), health(B)))
    assert q.after(None, profile(), judged(one), "bob", WHEN, True).reason == f"failed admission: xgmi-links of {A}, 1 of 2 up, down: link 0"


def test_a_node_that_is_set_aside_fails() -> None:
    assert q.check(None) is None
    found = q.check(PERSON).check
    assert (found.id, found.subject, found.verdict, found.seen) == ("quarantine", "node", "fail", f"set by alice at {WHEN}: case 4711")
    assert "quarantine lift" in found.why.remedy and "admission" in q.check(GATE).check.why.remedy


@pytest.mark.parametrize("quarantine", [GATE, PERSON])
def test_a_quarantine_survives_its_file(quarantine: q.Quarantine) -> None:
    assert q.read(json.loads(json.dumps(quarantine.to_dict())), "f") == quarantine


@pytest.mark.parametrize(("change", "sentence"), [
    ({"by": "nobody"}, "f: by: is 'nobody'; choose one of gate, person"),
    ({"reason": ""}, "f: reason: is empty; fill it in"),
    ({"until": "now"}, "f: until: is not a known key; remove it"),
])
def test_read_refuses(change: dict[str, str], sentence: str) -> None:
    with pytest.raises(DataError) as error:
        q.read({**PERSON.to_dict(), **change}, "f")
    assert error.value.sentence == sentence
