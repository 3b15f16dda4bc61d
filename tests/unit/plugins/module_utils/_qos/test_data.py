# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of the command, and what a node remembers."""

from __future__ import annotations

import json
import os
import stat
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.state import State
from ansible_collections.instinct.fleet.plugins.module_utils._qos import data
from ansible_collections.instinct.fleet.tests.unit.support.qos_data import document, profile

DOCUMENTS = [{"path": "p", "data": profile(power_cap="50%"), "layer": 0}]
OPTIONS: dict[str, t.Any] = {
    "profile": "mine", "gpus": ["0000:03:00.0"], "unsupported": "say", "timeout": 60, "lock_timeout": 5,
    "schedule": [{"profile": "mine", "begins": "22:00", "ends": "06:00"}]}


def files(folder: Path, **changes: t.Any) -> tuple[str, str]:
    """Paths of data and intent."""
    known = data.plain_known({"documents": [{"path": "p", "data": document("products.yml"), "layer": 0}], "products": []})
    (folder / "data").write_text(json.dumps(known))
    (folder / "intent").write_text(json.dumps({**data.plain_intent(DOCUMENTS, OPTIONS), **changes}))
    return str(folder / "data"), str(folder / "intent")


def test_what_is_written_is_read(tmp_path: Path) -> None:
    known, intent = files(tmp_path)
    asked = data.read_intent(intent, data.read_known(known), "applied", "me")
    assert (asked.base, len(asked.schedule), asked.gpus, asked.refuse) == ("mine", 1, ("0000:03:00.0",), False)
    assert (asked.timeout, asked.lock_timeout, asked.actor, asked.state) == (60, 5, "me", "applied")
    assert "MI210" in asked.known.products


@pytest.mark.parametrize(("change", "words"), [
    ({"kind": "qos_data"}, "intent: kind: is 'qos_data'; choose one of qos_intent"), ({"timeout": 0}, "intent: timeout: is 0; "),
    ({"profiles": []}, "intent: profile: there is no profile 'mine' in what was given; "), ({"unsupported": "x"}, "intent: unsupported: is 'x'"),
    ({"more": 1}, "intent: more: is not a known key"), ({"schedule": 1}, "intent: schedule: is no list of windows; "),
])
def test_what_is_not_of_its_form_is_refused(tmp_path: Path, change: dict[str, t.Any], words: str) -> None:
    known, intent = files(tmp_path, **change)
    with pytest.raises(FleetError) as error:
        data.read_intent(intent, data.read_known(known), "applied", "me")
    assert words in error.value.sentence


def test_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data.state, "PATH", str(tmp_path / "kept/qos.json"))
    kept = State("one", {"node": {"numa_balancing": "on"}}, {})
    assert data.remembered() is None
    data.remember(kept)
    assert (data.remembered(), stat.S_IMODE(os.stat(data.state.PATH).st_mode)) == (kept, 0o644)
    data.remember(None)
    data.remember(None)
    assert data.remembered() is None
    (tmp_path / "kept/qos.json").write_bytes(b"{\xff")
    with pytest.raises(FleetError, match="is not JSON; restore what it tells by hand, and remove it"):
        data.remembered()
