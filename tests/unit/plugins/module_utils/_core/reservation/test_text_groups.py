# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups as reservations need them."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_groups import (
    Seen,
    added,
    leaving,
    steps,
    users,
)
from ansible_collections.instinct.fleet.tests.unit.support.granted import RECORD

UIDS = {"alice": 1001, "bob": 1002, "carol": 1003}
DONE = {"render": (110, ("carol", "bob", "alice", "operator")), "gpu-vision": (998, ("alice",)), "gpu-research": (997, ("carol", "bob"))}


def done(groups: dict, gid: int | None = None) -> list[str]:
    return [" ".join(step.argv) for step in steps(RECORD, Seen(groups, UIDS), gid)]


def test_a_node_without_any() -> None:
    assert done({}, 110) == [
        "groupadd --system --gid 110 render", "gpasswd --add alice render", "gpasswd --add bob render", "gpasswd --add carol render",
        "groupadd --system gpu-research", "gpasswd --members bob,carol gpu-research",
        "groupadd --system gpu-vision", "gpasswd --members alice gpu-vision"]
    assert done({})[0] == "groupadd --system render"


def test_a_node_that_has_them() -> None:
    assert (done(DONE), done(DONE, 110)) == ([], [])


def test_who_leaves_a_tenant_leaves_its_group_and_not_that_of_others() -> None:
    assert done({**DONE, "gpu-vision": (998, ("alice", "mallory"))}) == ["gpasswd --members alice gpu-vision"]
    nobody = dc.replace(RECORD, tenants=(dc.replace(RECORD.tenants[1], users=()),))
    (step,) = steps(nobody, Seen(DONE, {}), None)
    assert (step.words, step.argv) == ("let nobody be the members of group gpu-vision", ("gpasswd", "--members", "", "gpu-vision"))


def test_the_render_group_gets_its_number() -> None:
    assert done(DONE, 992) == ["groupmod --gid 992 render"]


@pytest.mark.parametrize(("seen", "gid", "sentence"), [
    (Seen({**DONE, "wheel": (992, ())}, UIDS), 992,
     "gpu_reservation_render_gid: 992 is the number of group wheel on this node; choose one that is free on all nodes"),
    (Seen(DONE, {"alice": 1001, "bob": 1002}), None,
     "user carol of tenant research: does not exist on the node; create it first, or take it out of gpu_reservation_tenants"),
])
def test_what_cannot_be_is_refused(seen: Seen, gid: int | None, sentence: str) -> None:
    with pytest.raises(FleetError) as caught:
        steps(RECORD, seen, gid)
    assert caught.value.sentence == sentence


def test_users_of_all_tenants() -> None:
    assert users(RECORD) == ("alice", "bob", "carol")


def test_groups_of_tenants_that_are_gone_are_removed_and_who_was_brought_in_goes() -> None:
    seen = Seen({**DONE, "gpu-old": (996, ()), "render": (110, ("alice", "dave", "operator"))}, {})
    found = leaving(("gpu-vision", "gpu-old", "gpu-gone"), ("alice", "dave", "erin"), RECORD, seen)
    assert [step.argv for step in found] == [("gpasswd", "--delete", "dave", "render"), ("groupdel", "gpu-old")]
    assert leaving((), ("dave",), RECORD, Seen({}, {})) == ()


def test_who_was_in_the_render_group_before_was_not_brought_in() -> None:
    seen = Seen({"render": (110, ("alice", "bob"))}, {})
    assert (added(RECORD, seen, ()), added(RECORD, seen, ("bob",))) == (("carol",), ("bob", "carol"))
