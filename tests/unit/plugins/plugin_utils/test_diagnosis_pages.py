# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a diagnosis."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ansible.errors import AnsibleActionFail

from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.fleet import node
from ansible_collections.instinct.fleet.plugins.plugin_utils import diagnosis_pages
from ansible_collections.instinct.fleet.tests.unit.support.diagnoses import diagnosis, finding

SICK = node("a", {"diagnosis": diagnosis("fail", finding("ecc", "GPU 0000:05:00.0 has 2 errors"))})
GONE = node("b", {"unreachable": True, "msg": "no route"})

STEMS = [
    ("gpu-r1-n01", "gpu-r1-n01"), ("n1.example.org", "n1.example.org"), ("summary", "summary-761b7ad8"),
    ("../../etc/passwd", "_.._etc_passwd-3754d6cb"), ("a/b", "a_b-c14cddc0"), ("a_b", "a_b"), ("..", "_-5ec1f7e7"),
    ("\u00e9\n", "__-edd3a863"), ("x" * 300, "x" * 200 + "-0d4e2ca9"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "stem"), STEMS)
def test_names_of_files(name: str, stem: str) -> None:
    made = diagnosis_pages.stem(name)
    assert made == stem
    assert not made.startswith(".")


def test_files_of_a_node(tmp_path: Path) -> None:
    diagnosis_pages.write_node(str(tmp_path / "new"), SICK)
    data = json.loads((tmp_path / "new" / "a.json").read_text())
    assert data.pop("when").endswith("+00:00")
    assert data == {**json.loads(json.dumps(SICK.diagnosis)), "node": "a", "status": "diagnosed", "reason": None}
    assert (tmp_path / "new" / "a.md").read_text().startswith("# a: fail\n")


def test_files_of_the_fleet(tmp_path: Path) -> None:
    diagnosis_pages.write_fleet(str(tmp_path), [SICK, GONE])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.json", "b.md", "summary.json", "summary.md"]
    gone = json.loads((tmp_path / "b.json").read_text())
    assert {key: gone[key] for key in gone if key != "when"} == {
        "version": "v1", "kind": "diagnosis", "node": "b", "status": "unreachable", "verdict": "unreachable", "reason": "no route",
        "root": None, "summary": "no route", "next_action": "", "findings": [], "unknown": []}
    data = json.loads((tmp_path / "summary.json").read_text())
    assert (data["version"], data["kind"], data["counts"]) == ("v1", "diagnosis_summary", {"fail": 1, "unreachable": 1})
    assert [(group["id"], group["nodes"]) for group in data["groups"]] == [("ecc", ["a"]), ("unreachable", ["b"])]
    assert {name: (item["verdict"], item["file"]) for name, item in data["nodes"].items()} == {
        "a": ("fail", "a.json"), "b": ("unreachable", "b.json")}
    assert "[a](a.md) | fail" in (tmp_path / "summary.md").read_text()


def test_a_directory_that_cannot_be_written_to_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(AnsibleActionFail, match="the summary cannot be written"):
        diagnosis_pages.write_fleet(str(tmp_path / "file"), [SICK])
