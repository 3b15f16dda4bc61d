# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The last verdicts, and a line for each that changed."""

from __future__ import annotations

import dataclasses as dc
import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.health import history as hs
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.tests.unit.support.healthy import A, B, health, judged, look

BAD = look(healths=(health(A, blocks={"umc": lk.BlockErrors(0, 1, 0)}), health(B)))
DARK = look(smi=lk.Smi(error="no library"), healths=(health(A, xgmi_links=(), unknown={"xgmi_links": "no library"}),
                                                     health(B, xgmi_links=(), unknown={"xgmi_links": "no library"})))


def told(lines: tuple[str, ...]) -> list[tuple[str, str | None, str, list[str]]]:
    read = [json.loads(line) for line in lines]
    return [(line["subject"], line["from"], line["to"], line["checks"]) for line in read]


def test_add_writes_what_changed() -> None:
    first, lines = hs.add(hs.History(), "admission", judged(look()), "t1")
    assert told(lines) == [("node", None, "pass", []), (A, None, "pass", []), (B, None, "pass", [])]
    second, lines = hs.add(first, "admission", judged(look()), "t2")
    assert (lines, second.profiles["admission"].since, second.profiles["admission"].when) == ((), "t1", "t2")
    third, lines = hs.add(second, "admission", judged(BAD), "t3")
    assert told(lines) == [("node", "pass", "fail", ["ecc-uncorrectable"]), (A, "pass", "fail", ["ecc-uncorrectable"])]
    assert third.profiles["admission"].since == "t3"
    assert third.profiles["admission"].checks == (f"ecc-uncorrectable of {A}: umc: 1 errors",)
    other, lines = hs.add(third, "running", judged(look()), "t4")
    assert len(lines) == 3 and other.latest == ("running", other.profiles["running"])
    assert json.loads(lines[0])["profile"] == "running" and json.loads(lines[0])["when"] == "t4"


def test_evidence_is_one_line_for_gpus_of_which_the_same_was_seen() -> None:
    assert hs.evidence(judged(DARK)) == ("library of node: no library", "xgmi-links of 2 GPUs: no library")


def test_latest_of_nothing() -> None:
    assert hs.History().latest is None


def test_a_history_survives_its_file() -> None:
    history, _lines = hs.add(hs.History(), "admission", judged(BAD), "t1")
    assert hs.read(json.loads(json.dumps(history.to_dict())), "f") == history


@pytest.mark.parametrize(("change", "sentence"), [
    ({"kind": "x"}, "f: kind: is 'x'; choose one of health"),
    ({"profiles": {"a": {"when": "t", "since": "t", "verdict": "good", "gpus": {}, "checks": []}}},
     "f: profiles.a.verdict: is 'good'; choose one of pass, warn, unknown, fail"),
])
def test_read_refuses(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(DataError) as error:
        hs.read({**hs.History().to_dict(), **change}, "f")
    assert error.value.sentence == sentence


def test_history_is_a_value() -> None:
    assert dc.replace(hs.History()) == hs.History()
