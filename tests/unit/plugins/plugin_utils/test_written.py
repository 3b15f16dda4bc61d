# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that a run was asked to write are whole or not there."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pytest
from ansible.errors import AnsibleActionFail

from ansible_collections.instinct.fleet.plugins.plugin_utils import written


def test_folders_are_made_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "plan.json"
    written.replace_json(str(path), {"x": [1]}, "the plan")
    data = json.loads(path.read_text())
    assert datetime.datetime.fromisoformat(data.pop("when")).utcoffset() == datetime.timedelta(0)
    assert data == {"x": [1]}
    assert ([p.name for p in path.parent.iterdir()], path.stat().st_mode & 0o777) == (["plan.json"], 0o644)


def test_a_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("old and long")
    written.replace(str(tmp_path / "x"), "new", "it")
    assert (tmp_path / "x").read_text() == "new"


def test_what_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(AnsibleActionFail, match=r"/x: the plan cannot be written: (Not a directory|File exists)"):
        written.replace(str(tmp_path / "file" / "x"), "", "the plan")
