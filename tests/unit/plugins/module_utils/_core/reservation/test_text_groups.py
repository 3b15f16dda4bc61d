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
    joining,
    leaving,
    left,
    login,
    making,
    refuse,
    unknown,
    users,
)
from ansible_collections.instinct.fleet.tests.unit.support.granted import RECORD, VISION

UIDS = {"alice": 1001, "bob": 1002, "carol": 1003}
DONE = {"render": (110, ("carol", "bob", "alice", "operator")), "gpu-vision": (998, ("alice",)), "gpu-research": (997, ("carol", "bob"))}
OURS = ("gpu-vision", "gpu-research")


def done(groups: dict, gid: int | None = None, uids: dict[str, int] | None = None) -> list[str]:
    seen = Seen(groups, UIDS if uids is None else uids)
    return [" ".join(step.argv) for step in (*leaving(OURS, (), RECORD, seen), *making(RECORD, seen, gid), *joining(RECORD, seen))]


def test_a_node_without_any() -> None:
    assert done({}, 110) == [
        "groupadd --system --gid 110 render", "groupadd --system gpu-research", "groupadd --system gpu-vision",
        "gpasswd --add alice render", "gpasswd --add bob render", "gpasswd --add carol render",
        "gpasswd --add bob gpu-research", "gpasswd --add carol gpu-research", "gpasswd --add alice gpu-vision"]
    assert done({})[0] == "groupadd --system render"


def test_a_node_that_has_them() -> None:
    assert (done(DONE), done(DONE, 110)) == ([], [])


def test_who_leaves_a_tenant_leaves_its_group_and_not_that_of_others() -> None:
    assert done({**DONE, "gpu-vision": (998, ("alice", "mallory"))}) == ["gpasswd --delete mallory gpu-vision"]
    nobody = dc.replace(RECORD, tenants=(dc.replace(VISION, users=()),))
    (step,) = leaving(("gpu-vision",), (), nobody, Seen(DONE, {}))
    assert (step.words, step.argv) == ("take alice out of group gpu-vision", ("gpasswd", "--delete", "alice", "gpu-vision"))


def test_a_user_whom_the_node_does_not_know_now_is_left_as_he_is_and_others_are_brought_in() -> None:
    known = {"bob": 1002, "carol": 1003}
    assert done(DONE, uids=known) == []
    assert [step for step in done({}, uids=known) if "alice" in step] == [] and "gpasswd --add bob gpu-research" in done({}, uids=known)
    assert (unknown(RECORD, Seen({}, known)), unknown(RECORD, Seen({}, UIDS))) == (("alice",), ())


def test_the_render_group_gets_its_number() -> None:
    assert done(DONE, 992) == ["groupmod --gid 992 render"]
    with pytest.raises(FleetError, match=(
            r"^gpu_reservation_render_gid: 992 is the number of group wheel on this node; choose one that is free on all nodes$")):
        done({**DONE, "wheel": (992, ())}, 992)


OTHERS = "take them out of it, or give the tenant another name"


@pytest.mark.parametrize(("seen", "sentence"), [
    (Seen(DONE, {"alice": 1001, "bob": 1002}),
     "user carol of tenant research: does not exist on the node; create it first, or take it out of gpu_reservation_tenants"),
    (Seen({"gpu-users": (100, ("dave",))}, UIDS), ""),
    (Seen({**DONE, "gpu-vision": (998, ("alice", "dave"))}, UIDS),
     f"group gpu-vision: is that of dave too, who is no user of the tenant; {OTHERS}"),
    (Seen(DONE, UIDS, {998: ("alice", "erin"), 110: ("dave",)}), f"group gpu-vision: is that of erin too, who is no user of the tenant; {OTHERS}"),
    (Seen(DONE, UIDS, {998: ("alice",)}), ""),
])
def test_tenants_that_cannot_be_had_are_refused(seen: Seen, sentence: str) -> None:
    if not sentence:
        refuse(RECORD, seen, ())
        return
    with pytest.raises(FleetError) as caught:
        refuse(RECORD, seen, ())
    assert caught.value.sentence == sentence


def test_of_a_group_that_the_last_set_brought_members_may_go() -> None:
    refuse(RECORD, Seen({**DONE, "gpu-vision": (998, ("alice", "dave"))}, UIDS), OURS)
    with pytest.raises(FleetError, match=r"^group gpu-vision: is that of erin too"):
        refuse(RECORD, Seen(DONE, UIDS, {998: ("erin",)}), OURS)


def test_users_of_all_tenants() -> None:
    assert users(RECORD) == ("alice", "bob", "carol")


def test_groups_of_tenants_that_are_gone_are_emptied_and_who_was_brought_in_goes() -> None:
    seen = Seen({**DONE, "gpu-old": (996, ("dave",)), "render": (110, ("alice", "dave", "operator"))}, {})
    found = leaving(("gpu-vision", "gpu-old", "gpu-gone"), ("alice", "dave", "erin"), RECORD, seen)
    assert [step.argv for step in found] == [("gpasswd", "--delete", "dave", "render"), ("gpasswd", "--delete", "dave", "gpu-old")]
    assert leaving((), ("dave",), RECORD, Seen({}, {})) == ()


def test_who_was_in_the_render_group_before_was_not_brought_in() -> None:
    seen = Seen({"render": (110, ("alice", "bob"))}, {})
    assert (added(RECORD, seen, ()), added(RECORD, seen, ("bob",))) == (("carol",), ("bob", "carol"))


def test_logins_that_had_a_group_before_their_user_left() -> None:
    logins = {0: frozenset({998}), 1001: frozenset({998}), 1002: frozenset({998}), 1004: frozenset({4, 997}), 1005: frozenset({110, 996})}
    assert left(RECORD, Seen(DONE, {}, logins=logins), UIDS) == (1004,)
    assert left(RECORD, Seen({}, {}, logins=logins), UIDS) == ()


STATUS = "Name:\tbash\nUid:\t1001\t1001\t1001\t1001\nGid:\t1001\t998\t998\t998\nGroups:\t4 110 \nNoNewPrivs:\t0\n"


@pytest.mark.parametrize(("cgroup", "found"), [
    ("0::/user.slice/user-1001.slice/session-1.scope\n", (1001, frozenset({1001, 998, 4, 110}))),
    ("5:devices:/\n1:name=systemd:/user.slice/user-1001.slice/user@1001.service/app.slice\n", (1001, frozenset({1001, 998, 4, 110}))),
    ("0::/user.slice/user-0.slice/session-2.scope\n", None),
    ("0::/system.slice/vllm.service\n", None),
])
def test_groups_of_a_process_of_a_login(cgroup: str, found: tuple | None) -> None:
    assert login(STATUS, cgroup) == found
