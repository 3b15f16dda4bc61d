# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The log of a run: processes that share it see all that happened, and none of another run."""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import log as text
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Course, Event, Place
from ansible_collections.instinct.fleet.plugins.plugin_utils import rollout_log
from ansible_collections.instinct.fleet.plugins.plugin_utils.rollout_log import Log

COURSE = Course((Place("a"), Place("b")))
READ = text.read
EVENTS = [Event(float(number), "a", "step", f"step {number}") for number in range(3)]


def made(tmp_path: Path) -> str:
    return rollout_log.begin(str(tmp_path / "logs" / "run.jsonl"), COURSE)


def test_what_one_appends_another_reads(tmp_path: Path) -> None:
    path = made(tmp_path)
    one, other = Log(path), Log(path)
    with one.held() as held:
        held.append(EVENTS[0])
        assert held.events == EVENTS[:1]
    with other.held() as held:
        assert (held.course, held.events) == (COURSE, EVENTS[:1])
        held.append(EVENTS[1])
    assert one.seen() == (COURSE, EVENTS[:2])
    with one.held() as held:
        held.append(EVENTS[2])
    assert other.seen() == (COURSE, EVENTS)
    assert text.read(Path(path).read_text(encoding="utf-8"), path) == (COURSE, EVENTS)


def test_news_are_what_was_not_read(tmp_path: Path) -> None:
    path = made(tmp_path)
    one = Log(path)
    assert one.news()
    one.seen()
    assert not one.news()
    with Log(path).held() as held:
        held.append(EVENTS[0])
    assert one.news() and one.seen()[1] == EVENTS[:1] and not one.news()
    Path(path).unlink()
    assert one.news(), "who reads it next is told why it cannot"


def test_a_line_that_is_half_written_is_read_when_it_is_whole(tmp_path: Path) -> None:
    path = made(tmp_path)
    one = Log(path)
    line = text.line(EVENTS[0])
    with open(path, "a", encoding="utf-8") as stream:
        stream.write(line[:9])
        stream.flush()
        assert one.seen()[1] == []
        stream.write(line[9:])
    assert one.seen()[1] == EVENTS[:1]


def test_a_new_run_has_a_new_log(tmp_path: Path) -> None:
    path = made(tmp_path)
    left = open(path, "a", encoding="utf-8")  # noqa: SIM115 - a process of the earlier run has it open
    assert made(tmp_path) == path
    left.write(text.line(EVENTS[0]))
    left.close()
    assert Log(path).seen() == (COURSE, [])
    assert (Path(path).stat().st_mode & 0o777, Path(path).parent.stat().st_mode & 0o777) == (0o600, 0o700)


def _add(path: str, many: int) -> None:
    """In a process of its own: each event tells how many were there before."""
    log = Log(path)
    for _number in range(many):
        with log.held() as held:
            held.append(Event(float(len(held.events)), "a", "step"))


def test_who_holds_it_has_seen_all_that_others_appended(tmp_path: Path) -> None:
    path = made(tmp_path)
    workers = [multiprocessing.get_context("fork").Process(target=_add, args=(path, 40)) for _worker in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [event.at for event in Log(path).seen()[1]] == [float(number) for number in range(160)]


def test_others_do_not_wait_while_what_is_there_is_read(tmp_path: Path) -> None:
    order: list[str] = []

    def held_at_last(_handle: int, _how: int) -> None:
        order.append("held")
        with open(path, "a", encoding="utf-8") as stream:  # what another did meanwhile
            stream.write(text.line(EVENTS[0]))

    path = made(tmp_path)
    with mock.patch.object(rollout_log.log, "read", side_effect=lambda *given: order.append("read") or READ(*given)), \
            mock.patch.object(rollout_log.fcntl, "flock", held_at_last), Log(path).held() as held:
        assert (order, held.events) == (["read", "held", "read"], EVENTS[:1])


def test_a_log_has_a_name_of_its_own_below_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = Path(rollout_log.place(rollout_log.this_run()))
    assert path.parent == tmp_path / ".ansible" / "instinct"
    assert path.name.startswith(time.strftime("upgrade-%Y", time.gmtime())) and path.suffix == ".jsonl"


def _other(name: str, *events: Event) -> None:
    """The log of another run."""
    path = Path("~/.ansible/instinct").expanduser() / name
    rollout_log.begin(str(path), COURSE)
    with Log(str(path)).held() as held:
        for event in events:
            held.append(event)


def test_nodes_of_a_run_that_goes_on_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(rollout_log.socket, "gethostname", lambda: "hall-1.example")
    rollout_log.refuse_others(["a"])
    with subprocess.Popen([sys.executable, "-c", "input()", "ansible-playbook"], stdin=subprocess.PIPE) as run:
        while b"ansible" not in Path(f"/proc/{run.pid}/cmdline").read_bytes():
            time.sleep(0.01)  # until it is what it will be
        name = f"upgrade-20261130T070000Z-hall_1.example-{run.pid}.jsonl"
        _other(name, Event(1.0, "a", "begin"), Event(2.0, "b", "skip"))
        with pytest.raises(FleetError) as refused:
            rollout_log.refuse_others(["b", "a"])
        assert refused.value.sentence == (
            f"another run: on this machine, process {run.pid}, is not done with a; wait for it to end; no node was touched")
        rollout_log.refuse_others(["b", "c"])
        _other(name, Event(1.0, "a", "begin"), Event(2.0, "b", "begin"), Event(3.0, "a", "end", "done"))
        rollout_log.refuse_others(["a"])
        there = Path("~/.ansible/instinct", name).expanduser()
        there.write_text("no log", encoding="utf-8")
        rollout_log.refuse_others(["a"])
        there.unlink()
        _other(name, Event(1.0, "a", "begin"))
        run.kill()
        while Path(f"/proc/{run.pid}/cmdline").read_bytes():
            time.sleep(0.01)
        rollout_log.refuse_others(["a"])


# Whose log it is, and whether Ansible runs as the process of that number.
NAMES = {"of this run": ("here-7", True), "elsewhere": ("there-1", True), "another program has the number": ("here-1", False)}


@pytest.mark.parametrize(("name", "runs"), NAMES.values(), ids=NAMES)
def test_other_logs_refuse_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, runs: bool) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(rollout_log.socket, "gethostname", lambda: "here")
    monkeypatch.setattr(rollout_log, "_runs", lambda run: runs)
    monkeypatch.setattr(rollout_log.os, "getppid", lambda: 7)
    _other(f"upgrade-20261130T070000Z-{name}.jsonl", Event(1.0, "a", "begin"))
    rollout_log.refuse_others(["a"])


def test_how_a_run_ended_with_a_node_is_known_from_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    ended = Event(2.0, "a", "end", "failed", "gate")
    _other("upgrade-run.7.jsonl", Event(1.0, "a", "begin"), ended, Event(3.0, "b", "begin"))
    (tmp_path / ".ansible" / "instinct" / "upgrade-bad.jsonl").write_text("no log", encoding="utf-8")
    ends = rollout_log.Ends()
    assert (ends("run.7", "a"), ends("run.7", "b"), ends("bad", "a"), ends("gone", "a"), ends("", "a")) == (ended, None, None, None, None)
    with mock.patch.object(rollout_log.Log, "seen", side_effect=AssertionError):
        assert ends("run.7", "a") == ended, "a log is read once"


def test_a_node_names_no_other_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    rollout_log.begin(str(tmp_path / "x.jsonl"), COURSE)
    with Log(str(tmp_path / "x.jsonl")).held() as held:
        held.append(Event(1.0, "a", "begin"))
        held.append(Event(2.0, "a", "end", "failed"))
    (tmp_path / ".ansible" / "instinct" / "upgrade-").mkdir(parents=True)
    assert rollout_log.Ends()("/../../../x", "a") is None


WRONG = {
    "nothing there": (None, r"the log of the run: No such file or directory; set fleet_upgrade_log to another file$"),
    "empty": ("", r"is empty"),
    "no JSON": ("hello\n", r"not JSON"),
    "a line of another hand": (text.head(COURSE) + "{}\n", r"line 2"),
}


@pytest.mark.parametrize(("content", "why"), WRONG.values(), ids=WRONG)
def test_what_is_no_log_is_one_sentence(tmp_path: Path, content: str | None, why: str) -> None:
    path = tmp_path / "run.jsonl"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(FleetError, match=why) as error, Log(str(path)).held():
        pass
    assert error.value.sentence.startswith(str(path))
    with pytest.raises(FleetError):
        Log(str(path)).seen()


def test_a_log_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FleetError, match=r"/file/x: the log of the run: (Not a directory|File exists); set fleet_upgrade_log"):
        rollout_log.begin(str(tmp_path / "file" / "x"), COURSE)


def test_what_is_no_log_is_not_written_over(tmp_path: Path) -> None:
    other = tmp_path / "inventory.yml"
    other.write_text("all: {}\n", encoding="utf-8")
    with pytest.raises(FleetError, match=r"/inventory.yml: is there, and is no log of an earlier run; set fleet_upgrade_log to another path"):
        rollout_log.begin(str(other), COURSE)
    assert other.read_text(encoding="utf-8") == "all: {}\n"


def test_the_first_line_is_json_that_names_its_form(tmp_path: Path) -> None:
    head = json.loads(Path(made(tmp_path)).read_text(encoding="utf-8"))
    assert (head["version"], head["kind"]) == ("v1", "upgrade_log")
