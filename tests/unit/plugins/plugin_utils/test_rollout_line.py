# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The line of a roll-out: its phase and how many nodes are where."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.progress import fold
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Course, Event, Place, Policy
from ansible_collections.instinct.fleet.plugins.plugin_utils import rollout_log
from ansible_collections.instinct.fleet.plugins.plugin_utils.rollout_line import Head, line

COURSE = Course((Place("a", canary=True), Place("b"), Place("c")), Policy(2, failures=1))
STORY = [Event(1, "a", "begin"), Event(2, "a", "end", "done"), Event(3, "b", "begin"), Event(3, "c", "begin"),
         Event(4, "b", "end", "rolled back", "no"), Event(5, "c", "end", "done")]
LINES = {
    0: "canary: 3 left",
    1: "canary: 1 under way, 2 left",
    2: "rolling: 1 done, 2 left",
    4: "rolling: 1 done, 2 under way",
    5: "rolling: 1 done, 1 failed, 1 under way",
    6: "rolling: 2 done, 1 failed",
}


@pytest.mark.parametrize(("many", "said"), LINES.items())
def test_a_run_is_told_as_far_as_it_is(many: int, said: str) -> None:
    assert line(fold(COURSE, STORY[:many])) == said


def test_a_canary_that_failed_stops_the_run() -> None:
    assert line(fold(COURSE, [Event(1, "a", "begin"), Event(2, "a", "end", "failed")])) == "stopped: 1 failed, 2 left"


def test_a_run_without_nodes() -> None:
    assert line(fold(Course(), [])) == "rolling: nothing is due"


def test_a_log_that_went_away_is_told_as_it_was_known(tmp_path: Path) -> None:
    path = rollout_log.begin(str(tmp_path / "log"), Course((Place("a"),)))
    head = Head(path)
    assert head.now() == ("rolling: 1 left", {})
    with rollout_log.Log(path).held() as held:
        held.append(Event(1.0, "a", "begin"))
        held.append(Event(2.0, "a", "step", "gate"))
    assert head.now() == ("rolling: 1 under way", {"a": "gate"})
    Path(path).unlink()
    assert head.now() == ("rolling: 1 under way", {"a": "gate"})
