# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of the gate: strict, whole, bounded, and nobody's by accident."""

from __future__ import annotations

import json
import os
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.health import baseline, history, quarantine
from ansible_collections.instinct.fleet.plugins.module_utils._gate import state as subject
from ansible_collections.instinct.fleet.plugins.module_utils._gate.state import State
from ansible_collections.instinct.fleet.tests.unit.support.healthy import NOW, judged, look

PERSON = quarantine.Quarantine("person", "alice", "case", "now")


@pytest.fixture
def state(tmp_path: Path) -> State:
    return State(str(tmp_path / "instinct"))


def test_nothing_is_there_at_first(state: State) -> None:
    assert (state.read_history(), state.read_baseline(), state.read_quarantine()) == (history.History(), None, None)
    state.write_quarantine(None)  # what is not there need not be lifted


def test_what_is_written_is_read(state: State) -> None:
    base = baseline.take(look(), judged(look()).counts, NOW)
    told, lines = history.add(history.History(), "running", judged(look()), "t1")
    state.write_quarantine(PERSON)
    state.write_baseline(base)
    state.write_history(told, lines)
    assert (state.read_history(), state.read_baseline(), state.read_quarantine()) == (told, base, PERSON)
    assert len(Path(state.transitions).read_text(encoding="utf-8").splitlines()) == 3
    assert os.stat(state.health).st_mode & 0o777 == 0o644
    state.write_quarantine(None)
    assert state.read_quarantine() is None
    assert sorted(os.listdir(os.path.dirname(state.health))) == ["baseline.json", "health.json", "health.jsonl"]


def test_a_baseline_may_lie_elsewhere(tmp_path: Path) -> None:
    state = State(str(tmp_path), str(tmp_path / "other/base.json"))
    state.write_baseline(baseline.take(look(), {}, NOW))
    assert (tmp_path / "other/base.json").exists() and state.read_baseline() is not None


TORN = "is not JSON: it was torn or written by another hand"
BROKEN = {
    "torn": ('{"version": "v1", ', TORN), "empty": ("", TORN), "not a number": ('{"version": NaN}', TORN), "deep": ("[" * 100000, TORN),
    "another kind": ('{"version": "v1", "kind": "x"}', "kind"), "a list": ("[]", "is a list, not a mapping"),
    "large": (" " * (8 * 1024 * 1024 + 1), "is larger than 8388608 bytes"),
}


@pytest.mark.parametrize(("text", "what"), BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize(("name", "hint"), [
    ("health", "remove it, then run the gate again"), ("baseline", "remove it, then take a new baseline"),
    ("quarantine", "find out whether the node was set aside, then remove the file")])
def test_a_file_that_is_not_right_is_one_sentence(state: State, name: str, hint: str, text: str, what: str) -> None:
    path = getattr(state, name)
    os.makedirs(os.path.dirname(path))
    Path(path).write_text(text, encoding="utf-8")
    with pytest.raises(FleetError) as error:
        {"health": state.read_history, "baseline": state.read_baseline, "quarantine": state.read_quarantine}[name]()
    assert error.value.sentence.startswith(path) and what in error.value.sentence and error.value.hint == hint
    assert "\n" not in error.value.sentence


def test_bytes_that_are_no_text(state: State) -> None:
    os.makedirs(os.path.dirname(state.health))
    Path(state.health).write_bytes(b"\xff\xfe{}")
    with pytest.raises(FleetError, match=TORN):
        state.read_history()


def test_no_link_is_followed(state: State, tmp_path: Path) -> None:
    os.makedirs(os.path.dirname(state.health))
    (tmp_path / "secret").write_text("{}", encoding="utf-8")
    os.symlink(tmp_path / "secret", state.health)
    with pytest.raises(FleetError, match="cannot be read"):
        state.read_history()


def test_a_long_history_begins_a_new_file(state: State) -> None:
    os.makedirs(os.path.dirname(state.health))
    Path(state.transitions).write_text("x" * (1024 * 1024 + 1), encoding="utf-8")
    state.write_history(history.History(), ["{}\n"])
    assert Path(state.transitions).read_text(encoding="utf-8") == "{}\n"
    assert os.stat(f"{state.transitions}.1").st_size == 1024 * 1024 + 1


def test_a_write_that_fails_leaves_the_old_file(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    state.write_quarantine(PERSON)

    def full(*_args: t.Any) -> t.NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(subject.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        state.write_quarantine(quarantine.Quarantine("person", "bob", "other", "now"))
    assert state.read_quarantine() == PERSON
    assert sorted(os.listdir(os.path.dirname(state.health))) == ["quarantine.json"]


def test_one_gate_at_a_time(state: State) -> None:
    with state.locked(1), pytest.raises(FleetError, match="another gate runs on this node"), state.locked(0):
        pass
    with state.locked(0):
        assert json.loads("1") == 1


def test_a_lock_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(FleetError, match="cannot be opened"), State(str(tmp_path / "file")).locked(0):
        pass
