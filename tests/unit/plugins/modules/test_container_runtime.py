# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""container_runtime on a fabricated node with podman and Docker."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import files
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.runtime import DOCKER, PODMAN, RECORD
from ansible_collections.instinct.fleet.plugins.module_utils._image import runtime
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.plugins.modules import container_runtime
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree
from ansible_collections.instinct.fleet.tests.unit.plugins.owners import Owners
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module

SITE = '{"log-driver": "journald"}\n'


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    tree = Tree(tmp_path)
    tree.fill({"/usr/bin/podman": "", "/usr/bin/dockerd": "", DOCKER: SITE})
    (tmp_path / DOCKER[1:]).chmod(0o644)
    tree.commands["dockerd --version"] = Ran(0, "Docker version 28.3.1, build 5beb93d\n", "")
    Owners(monkeypatch)
    monkeypatch.setattr(runtime, "Machine", lambda _root: tree.machine())
    monkeypatch.setattr(container_runtime, "validate", lambda changes, _run: told.extend(
        change.wanted.validate for change in changes if change.wanted.validate))
    monkeypatch.setattr(container_runtime, "replace_all", lambda changes: files.replace_all(
        [dc.replace(change, wanted=dc.replace(change.wanted, path=f"{tree.root}{change.wanted.path}")) for change in changes]))
    told.clear()
    return tree


told: list[str] = []


def there(tree: Tree) -> dict[str, t.Any]:
    return {path: (tree.root / path[1:]).read_text() for path in (PODMAN, DOCKER, RECORD) if (tree.root / path[1:]).exists()}


def test_engines_are_told_checked_left_alone_and_given_back(node: Tree) -> None:
    asked = run_module(container_runtime, {"state": "verified"})
    assert (asked["changed"], asked["as_wanted"], asked["engines"]) == (False, False, {"podman": True, "docker": 28})
    checked = run_module(container_runtime, {}, check=True)
    assert (checked["changed"], checked["as_wanted"], there(node)) == (True, False, {DOCKER: SITE})
    done = run_module(container_runtime, {})
    assert (done["actions"], done["diff"]) == (checked["actions"], checked["diff"])
    assert (done["as_wanted"], done["restart"], done["notes"]) == (True, ["docker.service"], [])
    assert told == ["dockerd --validate --config-file=%s"] * 2
    assert json.loads(there(node)[DOCKER])["features"] == {"cdi": True} and '"memlock=-1:-1"' in there(node)[PODMAN]
    again = run_module(container_runtime, {})
    assert (again["changed"], again["actions"], again["restart"]) == (False, [], [])
    assert run_module(container_runtime, {"state": "verified"})["as_wanted"] is True
    less = run_module(container_runtime, {"limits": {}})
    assert PODMAN not in there(node) and "default-ulimits" not in there(node)[DOCKER] and less["restart"] == ["docker.service"]
    back = run_module(container_runtime, {"state": "absent"})
    assert (back["changed"], [json.loads(text) for text in there(node).values()]) == (True, [json.loads(SITE)])
    assert run_module(container_runtime, {"state": "absent"})["changed"] is False


def test_a_node_without_engines_is_refused_and_not_as_wanted(node: Tree) -> None:
    for name in ("podman", "dockerd"):
        (node.root / "usr/bin" / name).unlink()
    refused = run_module(container_runtime, {})
    assert refused["failed"] and refused["msg"] == "this node: has neither podman nor Docker; install one of them first"
    asked = run_module(container_runtime, {"state": "verified"})
    assert (asked["failed"], asked["as_wanted"], asked["notes"]) == (False, False, ["there is neither podman nor Docker"])
    assert run_module(container_runtime, {"limits": {"memlock": "much"}})["failed"]
