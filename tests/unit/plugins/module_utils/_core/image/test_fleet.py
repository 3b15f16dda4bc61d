# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An image on many nodes, as a table and as data."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.image import fleet

PASS: dict[str, t.Any] = {"verdict": "pass", "findings": [], "unknown": {}}
FAIL = {"verdict": "fail", "findings": [{"summary": "ROCm 5.2.3 is outside", "remedy": "take another"}], "unknown": {}}
DARK = {"verdict": "unknown", "findings": [], "unknown": {"rocm": "no window"}}
HERE = {"tag": "localhost/duo/base:1", "digest": f"sha256:{'a' * 64}"}
NODES: dict[str, tuple[tuple[t.Any, ...], tuple[str, str, str]]] = {
    "has": ((PASS, PASS, HERE), ("has", "pass", "")), "bad": ((PASS, FAIL, HERE), ("has", "fail", "")), "dark": ((DARK, DARK, HERE), ("has", "unknown", "")),
    "told": ((FAIL, {"skipped": True}, None), ("left_out", "fail", "")), "foreseen": ((PASS, {"skipped": True}, HERE), ("waits", "pass", "")),
    "away": ((PASS, None, None, "reg: cannot be reached"), ("failed", "failed", "reg: cannot be reached")),
    "unread": ((PASS, {"failed": True, "msg": "no podman"}, HERE), ("failed", "failed", "no podman")),
    "silent": (({"unreachable": True, "msg": "no route"}, None, None), ("unreachable", "unreachable", "no route")),
    "never": ((None, None, None), ("failed", "failed", "it was not looked at")),
    "left": ((PASS, None, HERE), ("failed", "failed", "it was not looked at after its labels were")),
    "gone": ((PASS, {"unreachable": True, "msg": "no route"}, HERE), ("unreachable", "unreachable", "no route")),
}
ALL = [fleet.node(name, *given) for name, (given, _said) in NODES.items()]


@pytest.mark.parametrize("name", NODES)
def test_a_node(name: str) -> None:
    found = fleet.node(name, *NODES[name][0])
    assert (found.status, found.verdict, found.reason) == NODES[name][1]


def test_the_table_says_all() -> None:
    lines = fleet.table(ALL, 200).splitlines()
    assert [line.split()[0] for line in lines[2:13]] == list(NODES)
    assert lines[2].split() == ["has", "localhost/duo/base:1", "sha256:aaaaaaaaaaaa", "pass", "-"]
    assert "left out" in lines[5] and "ROCm 5.2.3 is outside" in lines[5] and "rocm: no window" in lines[4]
    assert any(line.startswith("remedy for bad, told:") for line in lines)
    assert lines[-1].startswith("11 nodes: 2 fail, 4 failed, 2 unreachable, 1 unknown, 2 pass")
    assert fleet.table([], 80) == fleet.summary([])


@pytest.mark.parametrize(("names", "flags"), [
    (["has", "foreseen"], (True, True, True)), (["has", "told"], (True, True, False)), (["dark"], (True, False, False)), (["away"], (False, False, False)),
    (["left"], (False, False, False)), (["gone"], (False, False, False))])
def test_the_data(names: list[str], flags: tuple[bool, ...]) -> None:
    said = fleet.data([node for node in ALL if node.node in names])
    assert (said["complete"], said["answered"], said["good"]) == flags and list(said["nodes"]) == names
    nothing = fleet.data([])
    assert (nothing["complete"], nothing["answered"], nothing["good"]) == (False, False, False)
    assert set(said["nodes"][names[0]]) == {"status", "verdict", "reason", "image", "digest", "findings", "unknown"}
