# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rocm_container_check as Ansible runs it on a node."""

from __future__ import annotations

import dataclasses as dc
import pathlib
import typing as t

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._image import check as checking
from ansible_collections.instinct.fleet.plugins.modules import rocm_container_check as module
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module
from ansible_collections.instinct.fleet.tests.unit.support.containers import NIC, documents, host
from ansible_collections.instinct.fleet.tests.unit.support.image_trees import IONIC, image_tree
from ansible_collections.instinct.fleet.tests.unit.support.providers import provider


@pytest.fixture(autouse=True)
def _node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking.verbs, "devices", lambda _machine: (NIC,))


def run(**args: t.Any) -> dict[str, t.Any]:
    return run_module(module, {"node": dc.asdict(host(verbs=())), "checks": list(documents()), **args})


@pytest.mark.parametrize("check", [True, False])
def test_a_verdict_is_no_failure(tmp_path: pathlib.Path, check: bool) -> None:
    root = image_tree(tmp_path)
    good = run(rootfs=str(root))
    node = {"machine": "x86_64", "rocm": ["6.4.x", "7.0.x"], "gfx": ["gfx942"], "render_gid": 109, "verbs": {"ionic": 4}, "unknown": {}}
    assert {**good, "diff": []} == {"verdict": "pass", "findings": [], "unknown": {}, "node": node, "changed": False, "failed": False, "actions": [],
                                    "diff": []}
    assert set(node) == set(yaml.safe_load(module.RETURN)["node"]["contains"])
    (root / IONIC[1:]).write_bytes(provider("ionic", 1, 1))
    bad = run_module(module, {"node": dc.asdict(host(verbs=())), "checks": list(documents()), "rootfs": str(root)}, check=check)
    assert (bad["verdict"], bad["failed"], bad["changed"]) == ("fail", False, False)
    assert [(one["id"], one["kind"], one["severity"]) for one in bad["findings"]] == [("image-provider-old", "image", "error")]
    assert set(bad["findings"][0]) == set(yaml.safe_load(module.RETURN)["findings"]["contains"])
    assert run(rootfs=str(root), rdma=False)["verdict"] == "pass"


def test_one_thing_is_checked_at_a_time(tmp_path: pathlib.Path) -> None:
    assert "mutually exclusive" in run(rootfs=str(tmp_path), image="x")["msg"]
    assert "one of the following is required" in run()["msg"]


def test_what_is_not_there_is_one_sentence(tmp_path: pathlib.Path) -> None:
    assert run(rootfs=str(tmp_path / "none"))["msg"] == f"{tmp_path}/none: is not a directory; name the root of an image's tree"
    assert run(rootfs=str(tmp_path), node={"colour": "red"})["failed"]
