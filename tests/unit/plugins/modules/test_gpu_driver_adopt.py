# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_driver_adopt on files below a folder: what is taken away can be found, and the journal says what it was."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import adopt, dkms, journal, lock
from ansible_collections.instinct.fleet.plugins.module_utils._act.process import Done
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import DkmsModule
from ansible_collections.instinct.fleet.plugins.modules import gpu_driver_adopt
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module

KERNEL, VERSION = "6.8.0-85-generic", "6.8.5-1"
UPDATES, KEPT = f"/lib/modules/{KERNEL}/updates", f"/var/lib/instinct/adopted/{KERNEL}/updates"
ASKED = {"versions": [VERSION, "6.0.0-1"], "modules": [f"{UPDATES}/amdgpu.ko"], "who": "me"}
WORDS = [f"remove amdgpu {VERSION} from DKMS", f"move {UPDATES}/amdgpu.ko to {KEPT}/amdgpu.ko",
         f"move {UPDATES}/amdttm.ko to {KEPT}/amdttm.ko"]


class Node:
    """A version in DKMS, and two modules of the driver beside one of somebody else."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.modules = [DkmsModule("amdgpu", VERSION, KERNEL, "x86_64", "installed")]
        self.told: list[str] = []
        self.code = 0
        for name in ("amdgpu.ko", "amdttm.ko", "nvme.ko"):
            file = root / f"{UPDATES}/{name}".lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(name)

    def run(self, argv: t.Sequence[str], timeout: float) -> Done:
        self.told.append(" ".join(argv))
        return Done(self.code, "", "depmod: ERROR: no room\n", 0)

    def forget(self, version: str, timeout: float) -> None:
        self.told.append(f"forget {version}")
        self.modules.clear()

    def names(self, path: str) -> list[str]:
        folder = self.root / path.lstrip("/")
        return sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []

    def journal(self) -> list[dict[str, str]]:
        file = self.root / "journal"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    made = Node(tmp_path)
    monkeypatch.setattr(adopt, "ROOT", str(tmp_path))
    monkeypatch.setattr(adopt, "run", made.run)
    monkeypatch.setattr(dkms, "modules", lambda: tuple(made.modules))
    monkeypatch.setattr(dkms, "forget", made.forget)
    monkeypatch.setattr(journal, "JOURNAL", str(tmp_path / "journal"))
    monkeypatch.setattr(lock, "LOCK", str(tmp_path / "lock"))
    return made


def test_check_mode_says_all_of_it_and_does_nothing(node: Node) -> None:
    assert run_module(gpu_driver_adopt, ASKED, check=True)["actions"] == WORDS
    assert (node.told, node.journal(), len(node.names(UPDATES))) == ([], [], 3)


def test_what_is_taken_away_can_be_found_and_is_written_down(node: Node) -> None:
    result = run_module(gpu_driver_adopt, ASKED)
    assert (result["failed"], result["actions"]) == (False, WORDS)
    assert (node.names(UPDATES), node.names(KEPT)) == (["nvme.ko"], ["amdgpu.ko", "amdttm.ko"])
    assert node.told == [f"forget {VERSION}", f"depmod {KERNEL}", f"depmod {KERNEL}"]
    started, done = node.journal()
    assert started["from"] == f"amdgpu/{VERSION}: installed, {UPDATES}/amdgpu.ko, {UPDATES}/amdttm.ko"
    assert (started["result"], done["result"], done["to"], done["who"]) == ("started", "done", "; ".join(WORDS), "me")
    assert run_module(gpu_driver_adopt, ASKED)["changed"] is False


def test_a_module_whose_folder_is_gone_is_taken_away_already(node: Node) -> None:
    assert run_module(gpu_driver_adopt, {"modules": ["/lib/modules/6.1/extra/amdgpu.ko"]})["changed"] is False


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"modules": [f"/lib/modules/{KERNEL}/kernel/amdgpu.ko"]}, "is not a module of another hand"),
        ({"versions": ["../x"]}, "version: '../x' is not one that DKMS knows"),
    ],
)
def test_what_is_not_of_another_hand_is_refused(node: Node, options: dict[str, t.Any], sentence: str) -> None:
    (node.root / f"lib/modules/{KERNEL}/kernel").mkdir()
    (node.root / f"lib/modules/{KERNEL}/kernel/amdgpu.ko").touch()
    assert sentence in run_module(gpu_driver_adopt, options)["msg"]
    assert node.told == []


def test_what_fails_is_one_sentence(node: Node) -> None:
    node.code = 1
    assert run_module(gpu_driver_adopt, ASKED)["msg"] == (
        f"depmod {KERNEL}: ended with 1: depmod: ERROR: no room; run it by hand")


def test_a_place_that_cannot_be_made_is_one_sentence(node: Node) -> None:
    (node.root / "var").mkdir()
    (node.root / "var/lib").touch()
    result = run_module(gpu_driver_adopt, ASKED)
    assert f"{UPDATES}/amdgpu.ko: cannot be moved to" in result["msg"]
    assert "amdgpu.ko" in node.names(UPDATES)
