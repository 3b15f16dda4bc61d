# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node that failed and could take no note of it is known by the log of its run, or by what its scheduler was told."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act import drain
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Event, Note
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.unnoted import heard

GOING = Note("t", "r", "s1", "gate", "going", run="run-7")
LOG = "the log of its run run-7"
FAILED = drain.mark("upgrade", "failed: gate: 2 GPUs are gone")


def end(word: str) -> Event:
    return Event(1.0, "n1", "end", word, "gate: fail")


# the log, who has it out of work, why -> state and reason of the note, from where
HEARD: dict[str, tuple[Event | None, str, str, tuple[str, str, str]]] = {
    "nothing": (None, "open", "", ("going", "", "")),
    "the log": (end("failed"), "open", "", ("failed", "gate: fail", LOG)),
    "the log, and it is back": (end("rolled back"), "ours", FAILED, ("rolled back", "gate: fail", LOG)),
    "the log, and it is stranded": (end("stranded"), "ours", "", ("stranded", "gate: fail", LOG)),
    "it was done": (end("done"), "open", "", ("going", "", "")),
    "it did not answer": (end("unreachable"), "open", "", ("going", "", "")),
    "the scheduler": (None, "ours", FAILED, ("failed", "gate: 2 GPUs are gone", "its scheduler")),
    "the scheduler, of one that is back": (None, "ours", drain.mark("upgrade", "rolled back: x"), ("rolled back", "x", "its scheduler")),
    "the scheduler, of one that is stranded": (end("done"), "ours", drain.mark("upgrade", "stranded: x"), ("stranded", "x", "its scheduler")),
    "the scheduler, of one that is under way": (None, "ours", drain.mark("upgrade", "to rocm-7.2.3"), ("going", "", "")),
    "the scheduler, of another hand": (None, "foreign", FAILED, ("going", "", "")),
    "the scheduler, of something else": (None, "ours", drain.mark("partition", "failed: x"), ("going", "", "")),
}


@pytest.mark.parametrize(("logged", "holder", "reason", "said"), HEARD.values(), ids=HEARD)
def test_how_it_ended(logged: Event | None, holder: str, reason: str, said: tuple[str, str, str]) -> None:
    note, where = heard(GOING, logged, holder, reason)
    assert note == dc.replace(GOING, state=said[0], reason=said[1]) and where == said[2]


@pytest.mark.parametrize("step", ["snapshot", "trial", "drain"])
def test_the_reason_of_an_earlier_attempt_tells_nothing_of_this_one(step: str) -> None:
    before = dc.replace(GOING, step=step)
    assert heard(before, None, "ours", FAILED) == (before, "")


def test_what_the_node_says_itself_counts() -> None:
    assert heard(None, end("failed"), "ours", FAILED) == (None, "")
    done = dc.replace(GOING, state="done")
    assert heard(done, end("failed"), "ours", FAILED) == (done, "")
