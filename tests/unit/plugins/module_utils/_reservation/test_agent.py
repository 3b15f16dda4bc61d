# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command instinct-reservation."""

from __future__ import annotations

import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act.outcome import Outcome
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_set import Settings
from ansible_collections.instinct.fleet.plugins.module_utils._reservation import agent
from ansible_collections.instinct.fleet.plugins.module_utils._reservation.apply import Request

VALUES = {"holds": ["serve"], "missing": [], "unknown_users": []}


class Told:
    """What the command asked for, and what it is answered."""

    def __init__(self) -> None:
        self.asked: list[tuple[bool, float]] = []
        self.answer = Outcome(values=VALUES)
        self.refusal: Exception | None = None

    def request(self, check: bool, wait: float) -> Request:
        self.asked.append((check, wait))
        return Request(None, Settings(), check=check)

    def run(self, asked: t.Callable[[], Request]) -> Outcome:
        asked()
        if self.refusal:
            raise self.refusal
        return self.answer


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    found = Told()
    monkeypatch.setattr(agent.request, "of_files", found.request)
    monkeypatch.setattr(agent, "run", found.run)
    monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    return found


@pytest.mark.parametrize(("words", "asked", "actions", "missing", "code"), [
    (["apply"], (False, 0.0), (), [], 0),
    (["apply", "--wait", "30"], (False, 30.0), ("write /etc/a",), [], 0),
    (["apply"], (False, 0.0), (), ["0000:05:00.0"], 1),
    (["status"], (True, 0.0), (), [], 0),
    (["status"], (True, 0.0), ("write /etc/a",), [], 1),
])
def test_codes(told: Told, words: list[str], asked: tuple, actions: tuple, missing: list, code: int, capsys: t.Any) -> None:
    told.answer = Outcome(actions, values={**VALUES, "missing": missing})
    assert (agent.main(words), told.asked) == (code, [asked])
    out, err = capsys.readouterr()
    assert out.splitlines() == [*actions, "holds now: serve", "not as told" if code else "as told"]
    assert err == "".join(f"instinct-reservation: device {name} is not there\n" for name in missing)


def test_json(told: Told, capsys: t.Any) -> None:
    assert agent.main(["--json", "status"]) == 0
    assert json.loads(capsys.readouterr().out) == {**VALUES, "actions": [], "exit_code": 0}
    told.refusal = FleetError("here", "is wrong", "mend it")
    assert agent.main(["--json", "status"]) == 2
    assert json.loads(capsys.readouterr().out)["error"] == "here: is wrong; mend it"


def test_a_user_whom_the_node_does_not_know_is_told(told: Told, monkeypatch: pytest.MonkeyPatch, capsys: t.Any) -> None:
    monkeypatch.setenv("JOURNAL_STREAM", "8:1")
    told.answer = Outcome(values={**VALUES, "unknown_users": ["carol"]})
    assert agent.main(["apply"]) == 1
    assert capsys.readouterr().err == "<3>user carol is not known to the node\n"


@pytest.mark.parametrize(("error", "sentence"), [
    (FleetError("here", "is wrong", "mend it"), "here: is wrong; mend it"),
    (PermissionError(13, "Permission denied", "/etc/a"), "/etc/a: Permission denied; run as root (become: true)"),
])
def test_what_cannot_be_done_is_one_sentence(told: Told, error: Exception, sentence: str, capsys: t.Any) -> None:
    told.refusal = error
    assert agent.main(["apply"]) == 2
    assert capsys.readouterr().err == f"instinct-reservation: {sentence}\n"


def test_wrong_use_ends_with_2() -> None:
    with pytest.raises(SystemExit) as caught:
        agent.main(["forget"])
    assert caught.value.code == 2
