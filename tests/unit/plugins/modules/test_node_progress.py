# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""node_progress on real files: written whole, predicted in check mode, refused in one sentence."""

from __future__ import annotations

import json
import os
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import journal, lock, progress
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Note
from ansible_collections.instinct.fleet.plugins.modules import node_progress
from ansible_collections.instinct.fleet.tests.unit.plugins.owners import Owners
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module

OLD = "20261130T064500Z-rocm-7.0.2"
BEGIN = {"event": "begin", "target": "t1", "release": "rocm-7.2.3", "step": "snapshot", "who": "ci"}


def recorded(release: str) -> str:
    driver = {"source": "dkms", "release": "30.30.3", "packages": {}}
    return json.dumps({"version": "v1", "release": release, "kernel": "6.1", "driver": driver, "rocm": "1"})


@pytest.fixture(autouse=True)
def note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    Owners(monkeypatch)
    monkeypatch.setattr(lock, "LOCK", str(tmp_path / "lock"))
    monkeypatch.setattr(journal, "JOURNAL", str(tmp_path / "state" / "journal.jsonl"))
    monkeypatch.setattr(progress, "NOTE", str(tmp_path / "state" / "upgrade.json"))
    monkeypatch.setattr(progress, "RECORD", str(tmp_path / "release.json"))
    return tmp_path / "state" / "upgrade.json"


def run(check: bool = False, **args: t.Any) -> dict[str, t.Any]:
    return run_module(node_progress, args, check)


def results(note: Path) -> list[str]:
    return [json.loads(line)["result"] for line in (note.parent / "journal.jsonl").read_text().splitlines()]


def test_an_upgrade_is_noted_step_by_step(note: Path) -> None:
    planned = run(check=True, **BEGIN)
    assert (planned["changed"], planned["actions"], note.exists()) == (True, ["note the upgrade to rocm-7.2.3: snapshot"], False)
    assert run(**BEGIN)["note"]["state"] == json.loads(note.read_text())["state"] == "going"
    assert run(**BEGIN)["changed"] is run(check=True, **BEGIN)["changed"] is False
    assert run(event="step", step="apply", snapshot="s1")["note"]["snapshot"] == "s1"
    assert run(check=True, event="end", state="done")["note"]["state"] == "done"
    ended = run(event="end", state="done")
    assert (ended["note"]["state"], ended["diff"][0]["after"]) == ("done", note.read_text())
    assert run(event="end", state="done")["changed"] is False
    assert (results(note), oct(note.stat().st_mode & 0o7777)) == (["begun", "done"], "0o644")


def test_the_way_back_is_noted_with_its_reason(note: Path) -> None:
    run(**BEGIN)
    run(event="step", step="restore", reason="no GPU answers")
    assert run(event="end", state="rolled back")["note"]["reason"] == "no GPU answers"
    assert results(note) == ["begun", "on the way back: restore: no GPU answers", "rolled back: no GPU answers"]


@pytest.mark.parametrize(("record", "stays"), [
    ("", True), ("{", True), (recorded("rocm-7.0.2"), True), (recorded("rocm-7.2.3"), True), (recorded("rocm-7.1.1"), False)])
def test_what_an_earlier_try_kept_stays_unless_the_node_was_brought_elsewhere_since(tmp_path: Path, record: str, stays: bool) -> None:
    run(**BEGIN)
    run(event="step", step="apply", snapshot=OLD)
    run(event="end", state="failed", reason="x")
    if record:
        (tmp_path / "release.json").write_text(record)
    assert run(**BEGIN)["note"]["snapshot"] == (OLD if stays else "")


def test_it_is_on_the_disk_before_it_is_in_its_place(note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (order.append("sync"), fsync(handle))[1])
    monkeypatch.setattr(os, "replace", lambda old, new: (order.append(Path(new).name), replace(old, new))[1])
    run(**BEGIN)
    assert order[:3] == ["sync", note.name, "sync"]


def test_each_writing_has_a_time_of_its_own_so_that_another_run_notices(note: Path) -> None:
    found = run(**BEGIN, run="theirs")["note"]
    assert run(event="step", step="drain", run="theirs", noted="")["note"]["updated"] > found["updated"]
    refused = run(**BEGIN, run="mine", noted=found["updated"])
    assert refused["failed"] and refused["failure"]["where"] == "another run" and "theirs, at the step drain since" in refused["msg"]
    last = json.loads(note.read_text())
    assert (last["run"], last["step"]) == ("theirs", "drain")
    assert run(**BEGIN, run="mine", noted=last["updated"])["note"]["run"] == "mine", "nobody wrote it since"


@pytest.mark.parametrize(("text", "said"), [
    ("{", "is not JSON"), ("[]", "not a mapping"), ('{"version": "v9"}', "'v9'"), ("\xff", "is not JSON"),
])
def test_what_is_damaged_is_left_for_a_person(note: Path, text: str, said: str) -> None:
    note.parent.mkdir()
    note.write_bytes(text.encode("latin-1"))
    refused = run(**BEGIN)
    assert refused["failed"] and said in refused["msg"] and note.read_bytes() == text.encode("latin-1")


def test_a_link_is_no_note(note: Path, tmp_path: Path) -> None:
    note.parent.mkdir()
    note.symlink_to(tmp_path / "elsewhere")
    assert run(**BEGIN)["failure"]["what"] == "is not a file"


def test_what_cannot_follow_is_refused_and_nothing_is_written(note: Path) -> None:
    assert run(event="end", state="done")["failure"]["hint"] == "begin it first"
    assert not note.parent.exists()


@pytest.mark.parametrize(("began", "wanted"), [
    ("2026-11-30T10:00:00+00:00", 1230), ("2026-11-30T11:00:00+00:00", 0), ("", None), ("yesterday", None), ("2026-11-30", None),
])
def test_how_long_it_took(began: str, wanted: int | None) -> None:
    note = Note("t1", "rocm-7.2.3", "", "apply", "going", began=began)
    assert progress.seconds(note, "2026-11-30T10:20:30+00:00") == wanted
    assert progress.seconds(None, "2026-11-30T10:20:30+00:00") is None


@pytest.mark.parametrize("missing", ["target", "release", "step"])
def test_what_begins_must_be_named(missing: str) -> None:
    assert run(**{name: value for name, value in BEGIN.items() if name != missing})["failed"] is True
