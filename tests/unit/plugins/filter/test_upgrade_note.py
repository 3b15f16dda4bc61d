# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter upgrade_note: what the pre-flight has to know of an earlier run."""

from __future__ import annotations

import typing as t

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.instinct.fleet.plugins.filter.upgrade_note import FilterModule
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import note, shape
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Note

run = FilterModule().filters()["upgrade_note"]


def look(text: str | None, recorded: str | None = None) -> dict[str, t.Any]:
    other = {"path": "/var/lib/instinct/release.json", "text": "{}"}
    files = [other, {"path": "/var/lib/instinct/upgrade.json", "text": text}]
    return {"look": {"files": {"files": files, "recorded_release": recorded}}}


# state, snapshot of the note -> whether its scheduler is asked, and which snapshot stays
NOTED: dict[str, tuple[str, str, bool, str]] = {
    "done": (shape.DONE, "s1", False, ""),
    "went back": (shape.ROLLED_BACK, "s1", True, ""),
    "cut off after its snapshot": (shape.GOING, "s1", True, "s1"),
    "cut off before its snapshot": (shape.GOING, "", True, ""),
    "failed, and was left as it is": (shape.FAILED, "s1", True, "s1"),
    "stranded": (shape.STRANDED, "s1", True, "s1"),
}


@pytest.mark.parametrize(("state", "snapshot", "asks", "stays"), NOTED.values(), ids=NOTED)
def test_what_stays_of_an_earlier_run(state: str, snapshot: str, asks: bool, stays: str) -> None:
    text = note.text(Note("t", "r", snapshot, "apply", state, 'as "done" as it is "going"'))
    assert run(look(text)) == {"text": text, "asks": asks, "snapshot": stays}


@pytest.mark.parametrize(("recorded", "stays"), [(None, True), ("r", True), ("rocm-7.0.2", True), ("rocm-7.1.1", False)])
def test_a_snapshot_stays_unless_the_node_was_brought_elsewhere_since(recorded: str | None, stays: bool) -> None:
    text = note.text(Note("t", "r", "20261130T064500Z-rocm-7.0.2", "apply", shape.FAILED, "x"))
    assert run(look(text, recorded))["snapshot"] == ("20261130T064500Z-rocm-7.0.2" if stays else "")


@pytest.mark.parametrize(("result", "text"), [
    (look("{"), "{"), (look(None), ""), (look(""), ""), ({"look": {"files": None}}, ""), ({"look": {"files": {"files": []}}}, ""),
    ({"look": None}, ""), ({"unreachable": True, "msg": "no route"}, ""),
], ids=["broken", "absent", "empty", "files not looked at", "no files", "no look", "no answer"])
def test_a_note_that_tells_nothing(result: dict[str, t.Any], text: str) -> None:
    assert run(result) == {"text": text, "asks": False, "snapshot": ""}


@pytest.mark.parametrize(("retry", "asks"), [
    (["n10", "n1"], True), ("n10, n1", True), (["n10"], False), ("n10", False), (True, False), (False, False), ("true", False), (None, False),
    ({"n1": 1}, False), ("", False),
])
def test_a_node_that_is_done_is_asked_about_if_it_is_named(retry: t.Any, asks: bool) -> None:
    assert run(look(note.text(Note("t", "r", "s1", "undrain", shape.DONE))), "n1", retry)["asks"] == asks


def test_what_is_no_result_is_refused() -> None:
    with pytest.raises(AnsibleFilterError, match="is given no result of a module"):
        run("text")
