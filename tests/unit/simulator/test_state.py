# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from instinct_sim import state as state_module
from instinct_sim.errors import SimError
from instinct_sim.state import Store, drop, parse, under


def test_text_becomes_keys() -> None:
    assert parse("# a=1\nb=2\nc=x=y\nnothing\nd=\n") == {"b": "2", "c": "x=y", "d": ""}


def test_state_reads_back_as_written(tmp_path: Path) -> None:
    store = Store(tmp_path / "deep" / "state")
    store.create({"b": "2", "a": "1 = one"})
    assert store.read() == {"a": "1 = one", "b": "2"}
    assert store.path.read_text(encoding="utf-8") == "a=1 = one\nb=2\n"


def test_missing_state_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SimError, match=r"there is no simulated node at .*; make one: instinct-sim create"):
        Store(tmp_path / "state").read()


def test_failed_change_changes_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "state")
    store.create({"a": "1"})
    with pytest.raises(ZeroDivisionError), store.change() as state:
        state["a"] = str(1 // 0)
    assert store.read() == {"a": "1"}


def test_path_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("INSTINCT_SIM_STATE", str(tmp_path / "elsewhere"))
    assert (Store().path, Store(tmp_path / "told").path) == (tmp_path / "elsewhere", tmp_path / "told")


def test_prefixes() -> None:
    state = {"a.b": "1", "a.c": "2", "ab": "3"}
    assert under(state, "a.") == {"b": "1", "c": "2"}
    drop(state, "a.")
    assert state == {"ab": "3"}


COUNT = """
import sys
from instinct_sim.state import Store
for _ in range(50):
    with Store().change() as state:
        state["count"] = str(int(state["count"]) + 1)
"""


def test_writers_lose_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "state")
    store.create({"count": "0"})
    environment = {"INSTINCT_SIM_STATE": str(store.path), "PYTHONPATH": str(Path(state_module.__file__).parents[1])}
    writers = [subprocess.Popen([sys.executable, "-c", COUNT], env=environment) for _ in range(2)]
    assert [writer.wait(30) for writer in writers] == [0, 0]
    assert store.read()["count"] == "100"
