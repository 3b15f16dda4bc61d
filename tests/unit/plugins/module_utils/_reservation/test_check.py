# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The check: what is seen is judged, and proved where that is asked for."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Grant, Wish
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_holder import Held
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_proof import Account, Who
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Window
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.plugins.module_utils._reservation import check, seen
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree
from ansible_collections.instinct.fleet.tests.unit.support.trespass import DEVICES, RECORD, A, B, C, D, holder

DOORS = ["/dev/kfd", *(str(one.render_node) for one in DEVICES)]


class World:
    """A node: who holds what, who opens what, and what was tried."""

    def __init__(self, tree: Tree, patch: pytest.MonkeyPatch) -> None:
        self.seen = seen.Seen(RECORD, DEVICES, Held((holder(7, A, user="bob"),), {"library": "away"}), 0.0, 0)
        self.opens: dict[str, set[str]] = {"root": {*DOORS}, "user alice of inference": {*DOORS[:3]}, "user bob of training": {DOORS[0], DOORS[3]}}
        self.tried: list[tuple[str, tuple[str, ...]]] = []
        self.tree, self.root = tree, 0
        patch.setattr(check, "machine_of", lambda _seconds: tree.machine(uid=self.root))
        patch.setattr(check, "look", lambda _machine: self.seen)
        patch.setattr(check.opening, "attempt", self.attempt)
        accounts = {name: Account(name, 1, 1, (1,)) for name in ("alice", "bob", "nobody")}
        patch.setattr(check.opening, "account", accounts.get)

    def attempt(self, _machine: t.Any, who: Who, paths: list[str]) -> dict[str, str]:
        self.tried.append((who.name, tuple(paths)))
        if who.problem:
            raise UnreadableError(who.problem)
        return {path: "" if path in self.opens.get(who.name, ()) else "EACCES" for path in paths}


@pytest.fixture
def world(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tree, monkeypatch)


def run(prove: bool = True) -> dict[str, t.Any]:
    outcome = check.check(60, prove)
    assert outcome.actions == ()
    return dict(outcome.values)


def worst(found: dict[str, t.Any]) -> list[tuple[str, str, str]]:
    return [(one["who"], one["path"], one["verdict"]) for one in found["proofs"] if one["verdict"] != "ok"]


def test_without_proof_nothing_is_opened(world: World) -> None:
    found = run(prove=False)
    assert (found["verdict"], found["proofs"], found["proved"], found["recorded"], world.tried) == ("trespass", None, None, True, [])
    assert found["unknown"] == {"library": "away", "users.carol": "the node has no such user"}


def test_everybody_tries_every_door(world: World) -> None:
    found = run()
    assert [name for name, _paths in world.tried] == [
        "root", "stranger", "user alice of inference", "user bob of training"]
    assert {paths for _name, paths in world.tried} == {tuple(DOORS)}
    assert (found["proved"], worst(found)) == ("ok", [])


def test_who_cannot_be_tried_is_unknown(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check.opening, "account", {"alice": Account("alice", 1, 1, (1,))}.get)
    found = run()
    assert worst(found) == [("stranger", path, "unknown") for path in DOORS]
    assert (found["proved"], {one["why"] for one in found["proofs"] if one["who"] == "stranger"}) == ("unknown", {"the node has no user nobody"})


def test_who_can_and_must_not(world: World) -> None:
    world.opens["stranger"] = {str(D.render_node)}
    world.opens["user bob of training"] = {*DOORS[:2]}
    found = run()
    assert found["proved"] == "trespass"
    assert worst(found)[:3] == [("stranger", D.render_node, "trespass"), ("user bob of training", A.render_node, "trespass"),
                                ("user bob of training", C.render_node, "locked_out")]


def test_cards_are_tried_by_those_who_must_not(world: World) -> None:
    world.tree.folder("/sys/class/drm/renderD128/device/drm/card0")
    world.opens["stranger"] = {"/dev/dri/card0"}
    found = run()
    assert [name for name, paths in world.tried if "/dev/dri/card0" in paths] == [name for name, _paths in world.tried if name != "root"]
    assert [(one["who"], one["subject"], one["verdict"]) for one in found["proofs"] if one["path"] == "/dev/dri/card0"] == [
        ("stranger", A.id, "trespass"), ("user bob of training", A.id, "ok")]


def test_slices_that_are_there_are_joined(world: World) -> None:
    world.tree.write("/etc/systemd/system/tenant-training.slice")
    world.opens["a service in tenant-training.slice"] = {DOORS[0], str(C.render_node)}
    world.opens["root in tenant-training.slice"] = set(DOORS)  # a policy that does nothing
    found = run()
    assert [one["verdict"] for one in found["proofs"] if one["who"] == "a service in tenant-training.slice"] == ["ok"] * 5
    assert [one["verdict"] for one in found["proofs"] if one["who"] == "root in tenant-training.slice"] == ["ok", *["trespass"] * 2, "ok", "trespass"]


def test_logins_with_a_policy_are_joined(world: World) -> None:
    world.tree.write("/etc/systemd/system/user-1.slice.d/50-instinct-reservation.conf")
    assert "root in user-1.slice" in {one["who"] for one in run()["proofs"]}


def test_a_node_that_was_told_of_nothing(world: World) -> None:
    world.seen = seen.Seen(None, DEVICES[:2], Held(), 0.0, 0)
    found = run()
    assert (found["recorded"], found["verdict"], found["proved"]) == (False, "ok", "ok")
    every = [(who, subject) for who in ("root", "stranger") for subject in ("/dev/kfd", A.id, B.id)]
    assert [(one["who"], one["subject"]) for one in found["proofs"]] == every


def test_refusals(world: World) -> None:
    world.root = 1000
    with pytest.raises(FleetError, match=r"prove: only root can open devices as somebody else; run as root \(become: true\)"):
        run()
    assert run(prove=False)["verdict"] == "trespass"
    with pytest.raises(FleetError, match="timeout: 0 is too short"):
        check.check(0, False)


def test_this_machine() -> None:
    assert 4 < check.machine_of(5).left() <= 5


@pytest.mark.parametrize(("at", "verdict"), [(0.0, "unreserved"), (4 * 86400.0, "trespass")])
def test_what_holds_now_counts(world: World, at: float, verdict: str) -> None:
    """1970 began on a Thursday."""
    mondays = Wish("serve", "inference", "P0", devices=(A.id,), windows=(Window((0,), 0, 60),))
    told = dc.replace(RECORD, grants=(Grant(mondays, (A,)),), spares=(), pool=(B, C, D))
    world.seen = seen.Seen(told, DEVICES, Held((holder(7, A, user="bob"),)), at, 0)
    assert run(prove=False)["verdict"] == verdict
