# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""node_files on real files: all or nothing, truthful in check mode, unchanged when run again."""

from __future__ import annotations

import fcntl
import json
import os
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import files, journal, lock
from ansible_collections.instinct.fleet.plugins.modules import node_files
from ansible_collections.instinct.fleet.tests.unit.plugins.owners import Owners
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module

RECORD = {"who": "ci", "what": "gpu_driver", "from": "rocm-6.4.2", "to": "rocm-7.0.2"}


@pytest.fixture(autouse=True)
def owners(monkeypatch: pytest.MonkeyPatch) -> Owners:
    return Owners(monkeypatch)


@pytest.fixture(autouse=True)
def _node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "LOCK", str(tmp_path / "lock"))
    monkeypatch.setattr(journal, "JOURNAL", str(tmp_path / "state" / "journal.jsonl"))


@pytest.fixture(autouse=True)
def _umask() -> t.Iterator[None]:
    """A mode must not depend on the umask."""
    old = os.umask(0o077)
    yield
    os.umask(old)


def tree(root: Path) -> dict[str, tuple[str, str]]:
    """Every file below: relative path -> (mode, content), so that nothing left behind goes unseen."""
    return {
        str(p.relative_to(root)): (f"{p.stat().st_mode & 0o7777:04o}", p.read_text())
        for p in sorted(root.rglob("*"))
        if p.is_file()
    }


def files_in(root: Path, *entries: dict[str, t.Any]) -> list[dict[str, t.Any]]:
    return [{**entry, "path": str(root / entry["path"])} for entry in entries]


# create, change, remove: each in check mode, for real, and again: nine steps
NINE_STEPS = [
    ("create", {"path": "d/e/a", "content": "one\n"}, {"d/e/a": ("0644", "one\n")}, "write {}/d/e/a"),
    ("change", {"path": "d/e/a", "content": "two\n", "mode": "0600"}, {"d/e/a": ("0600", "two\n")}, "write {}/d/e/a"),
    ("remove", {"path": "d/e/a", "state": "absent"}, {}, "remove {}/d/e/a"),
]


def test_nine_steps(tmp_path: Path) -> None:
    etc = tmp_path / "etc"
    etc.mkdir()
    for name, entry, wanted, words in NINE_STEPS:
        args = {"files": files_in(etc, entry)}
        before = tree(etc)
        predicted = run_module(node_files, args, check=True)
        assert tree(etc) == before, f"{name}: check mode changed something"
        done = run_module(node_files, args)
        assert tree(etc) == wanted, name
        assert predicted == done, f"{name}: check mode did not say what happens"
        assert (done["changed"], done["actions"]) == (True, [words.format(etc)]), name
        again = run_module(node_files, args)
        assert (again["changed"], again["actions"], again["diff"]) == (False, [], []), name
        assert tree(etc) == wanted, name


def test_parents_are_made_with_their_mode(tmp_path: Path) -> None:
    run_module(node_files, {"files": files_in(tmp_path, {"path": "x/y/z", "content": "", "directory_mode": "0750"})})
    assert [(tmp_path / d).stat().st_mode & 0o777 for d in ("x", "x/y")] == [0o750, 0o750]


def test_diff_names_each_file_with_its_mode(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n")
    (tmp_path / "a").chmod(0o600)
    result = run_module(
        node_files,
        {
            "files": files_in(
                tmp_path, {"path": "a", "content": "two\n", "owner": "root"}, {"path": "b", "content": "new\n"}
            )
        },
        check=True,
    )
    a, b = result["diff"]
    assert (a["before"], a["after"]) == ("one\n", "two\n")
    assert a["before_header"].endswith("/a (root:root 0600)")
    assert a["after_header"].endswith("/a (root:root 0644)")
    assert (b["before"], b["after"], b["before_header"][-9:]) == ("", "new\n", " (absent)")


def test_a_link_is_replaced_and_its_target_untouched(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("keep\n")
    (tmp_path / "a").symlink_to("target")
    result = run_module(node_files, {"files": files_in(tmp_path, {"path": "a", "content": "new\n"})})
    assert result["actions"] == [f"write {tmp_path}/a (was a link to target)"]
    assert not (tmp_path / "a").is_symlink()
    assert (tmp_path / "target").read_text() == "keep\n"


def test_validator_refuses_and_nothing_is_replaced(tmp_path: Path) -> None:
    etc = tmp_path / "etc"
    etc.mkdir()
    (etc / "good").write_text("old\n")
    for check in (True, False):
        result = run_module(
            node_files,
            {
                "files": files_in(
                    etc,
                    {"path": "good", "content": "new\n", "validate": "test -s %s"},
                    {"path": "bad", "content": "new\n", "validate": "grep -q old %s"},
                )
            },
            check=check,
        )
        assert result["failed"] is True
        assert result["msg"] == f"{etc}/bad: refused by grep: exit code 1; no file of the set was replaced"
        assert result["failure"]["where"] == f"{etc}/bad"
        assert tree(etc) == {"good": ("0600", "old\n")}


@pytest.mark.parametrize("broken", ["second", "third"])
def test_a_failing_swap_restores_every_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    etc = tmp_path / "etc"
    etc.mkdir()
    for name in ("first", "second", "gone"):
        (etc / name).write_text(f"old {name}\n")
    (etc / "third").symlink_to("first")
    inodes = {p.name: p.lstat().st_ino for p in etc.iterdir()}
    before = tree(etc)
    real = os.replace

    def replace(source: str, target: str) -> None:
        if target == str(etc / broken) and not Path(source).is_symlink() and Path(source).read_text() == "new\n":
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    result = run_module(
        node_files,
        {
            "files": files_in(
                etc,
                {"path": "new/made", "content": "new\n"},
                {"path": "first", "content": "new\n"},
                {"path": "gone", "state": "absent"},
                {"path": "second", "content": "new\n"},
                {"path": "third", "content": "new\n"},
            ),
            "record": RECORD,
        },
    )
    assert (
        result["msg"]
        == f"{etc}/{broken}: cannot be replaced: No space left on device; all files of the set are as they were"
    )
    assert tree(etc) == before
    assert {p.name: p.lstat().st_ino for p in etc.iterdir()} == inodes
    assert not Path(journal.JOURNAL).exists()


def test_an_unknown_owner_is_refused_before_any_change(tmp_path: Path) -> None:
    result = run_module(
        node_files,
        {
            "files": files_in(
                tmp_path, {"path": "a", "content": "x"}, {"path": "b", "content": "x", "owner": "nobody-such"}
            )
        },
    )
    assert result["msg"] == f"{tmp_path}/b: there is no user or group nobody-such; create it first"
    assert [p for p in tmp_path.iterdir() if p.name != "lock"] == []


def test_another_run_holds_the_lock(tmp_path: Path) -> None:
    args = {"files": files_in(tmp_path, {"path": "a", "content": "x"}), "lock_timeout": 0}
    with open(lock.LOCK, "w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        result = run_module(node_files, args)
        assert result["msg"].endswith("another run acts on this node (waited 0 s); wait for it to end and run again")
        assert not (tmp_path / "a").exists()
        assert run_module(node_files, args, check=True)["changed"] is True, "check mode needs no lock"
    assert run_module(node_files, args)["changed"] is True


def test_record_follows_changes(tmp_path: Path) -> None:
    args = {"files": files_in(tmp_path, {"path": "a", "content": "x"}), "record": RECORD}
    assert run_module(node_files, args, check=True)["actions"][-1] == "record gpu_driver"
    assert not Path(journal.JOURNAL).exists()
    run_module(node_files, args)
    run_module(node_files, args)
    lines = [json.loads(line) for line in Path(journal.JOURNAL).read_text().splitlines()]
    assert [{k: v for k, v in line.items() if k != "when"} for line in lines] == [RECORD]
    assert lines[0]["when"].endswith("+00:00")


def test_record_alone_is_written_once_until_it_says_something_else() -> None:
    for result, changed in (("ok", True), ("ok", False), ("failed", True), ("ok", True)):
        assert run_module(node_files, {"record": {**RECORD, "result": result}})["changed"] is changed
    assert len(Path(journal.JOURNAL).read_text().splitlines()) == 3


def test_a_torn_line_of_the_journal_stays_alone() -> None:
    Path(journal.JOURNAL).parent.mkdir()
    Path(journal.JOURNAL).write_text('{"who": "ci", "wh')
    run_module(node_files, {"record": RECORD})
    torn, line = Path(journal.JOURNAL).read_text().splitlines()
    assert torn == '{"who": "ci", "wh'
    assert json.loads(line)["to"] == "rocm-7.0.2"


def test_seeing_a_file_that_cannot_be_read_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> t.NoReturn:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "lstat", refuse)
    with pytest.raises(files.FleetError, match=r"^/etc/x: cannot be read: Permission denied; run as root"):
        files.see("/etc/x")


def test_a_lock_or_journal_that_cannot_be_opened_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "JOURNAL", str(tmp_path / "link"))
    (tmp_path / "link").symlink_to("nowhere")
    refused = run_module(node_files, {"record": RECORD})["msg"]
    assert (
        refused == f"{tmp_path}/link: cannot be written: Too many levels of symbolic links; run as root (become: true)"
    )
    monkeypatch.setattr(lock, "LOCK", str(tmp_path / "nowhere" / "lock"))
    result = run_module(node_files, {"files": []})
    assert (
        result["msg"]
        == f"{tmp_path}/nowhere/lock: cannot open the lock: No such file or directory; run as root (become: true)"
    )


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    Path(lock.LOCK).symlink_to(tmp_path / "elsewhere")
    assert "cannot open the lock" in run_module(node_files, {"files": []})["msg"]
    assert not (tmp_path / "elsewhere").exists()


def test_owners_without_a_name_are_shown_by_number(tmp_path: Path, owners: Owners) -> None:
    (tmp_path / "a").write_text("x")
    owners.change(tmp_path / "a", 54321, 54322)
    entry = {"path": "a", "content": "x", "owner": "0", "group": "root"}
    result = run_module(node_files, {"files": files_in(tmp_path, entry)})
    assert result["actions"] == [f"set {tmp_path}/a to 0:root 0644 (was 54321:54322 0600)"]
    assert owners.of(tmp_path / "a") == (0, 0)


def test_an_owner_that_is_not_asked_for_is_kept(tmp_path: Path, owners: Owners) -> None:
    (tmp_path / "a").write_text("old")
    owners.change(tmp_path / "a", 54321, 54322)
    run_module(node_files, {"files": files_in(tmp_path, {"path": "a", "content": "new"})})
    assert owners.of(tmp_path / "a") == (54321, 54322)
