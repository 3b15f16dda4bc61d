# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""node_snapshot_info on what node_snapshot left: chosen, read whole if asked for, and refused where it is none."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.modules import node_snapshot, node_snapshot_info
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module
from ansible_collections.instinct.fleet.tests.unit.support.keeping import Node, simulated


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    return simulated(tmp_path, monkeypatch)


def run() -> dict[str, t.Any]:
    return run_module(node_snapshot, {})


def info(**args: t.Any) -> dict[str, t.Any]:
    return run_module(node_snapshot_info, args)


def test_the_newest_is_told_unless_another_is_asked_for(node: Node) -> None:
    first = run()
    node.record("rocm-7.0.3")
    second = run()
    assert [info()["id"], info(release="rocm-7.0.2")["id"], info(id=first["id"])["id"]] == [second["id"], first["id"], first["id"]]
    told = info(id=first["id"], verify=True)
    assert (told["changed"], told["actions"], told["kept"], told["kernel"]) == (False, [], first["kept"], first["kernel"])
    assert [s["id"] for s in told["snapshots"]] == [second["id"], first["id"]]


def test_what_is_not_kept_is_refused_with_what_is(node: Node) -> None:
    assert info()["msg"].startswith("snapshot: there is none on this node")
    name = run()["id"]
    assert info(release="rocm-6.4.2")["msg"] == (
        f"release rocm-6.4.2: is not kept on this node; choose one of {name} (rocm-7.0.2)")


def test_a_file_that_is_no_snapshot_is_left_for_a_person(node: Node) -> None:
    name = run()["id"]
    path = node.root / f"kept/snapshots/{name}.json"
    path.rename(path.with_name("other.json"))
    assert info()["failure"]["what"] == f"is that of {name}"
    path.with_name("other.json").write_text("{")
    assert run()["failure"]["what"] == "is not JSON"
    path.with_name("other.json").unlink()
    path.with_name("link.json").symlink_to("/dev/null")
    assert info()["failure"]["what"] == "is not a file"
