# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node as its record says: what is done, in which order, and what of it a check tells."""

from __future__ import annotations

import copy
import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import record, text_set
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_access import CLOSED, Access
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_slurm import Slurm
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Window
from ansible_collections.instinct.fleet.plugins.module_utils._reservation import apply
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import KFD, Tree
from ansible_collections.instinct.fleet.tests.unit.plugins.reservation_world import RECORD, RENDER, World
from ansible_collections.instinct.fleet.tests.unit.support.granted import HALF, OTHER_HALF, RESEARCH, VISION

NIGHT = tuple(dc.replace(grant, wish=dc.replace(grant.wish, windows=(Window((0,), 60, 120, 0),))) for grant in RECORD.grants)
WINDOWED = dc.replace(RECORD, grants=(NIGHT[0], RECORD.grants[1]))


@pytest.fixture
def world(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tree, monkeypatch)


def test_groups_then_files_then_members_then_doors_then_those_who_read_them(world: World) -> None:
    outcome = world.run()
    assert world.done[0] == "lock 30"
    places = [world.done.index(words) for words in (
        "create group gpu-vision", "write /etc/udev/rules.d/72-instinct-reservation.rules", "add alice to group render",
        "add alice to group gpu-vision", "/dev/dri/renderD128 root:gpu-vision 0660", "systemctl daemon-reload")]
    assert places == sorted(places)
    assert world.doors == {"/dev/kfd": RENDER, "/dev/dri/renderD128": Access("gpu-vision"), "/dev/dri/renderD152": Access("gpu-research"),
                           "/dev/dri/renderD153": RENDER}
    assert record.read(world.files[record.PATH].decode()) == RECORD
    assert "set /dev/dri/renderD128 to root:gpu-vision 0660" in outcome.actions and outcome.actions[-1] == "systemctl daemon-reload"


def test_a_node_that_is_as_told_is_not_touched(world: World) -> None:
    world.run()
    world.done.clear()
    outcome = world.run()
    assert (outcome.actions, outcome.diff, world.done) == ((), (), ["lock 30"])


def test_a_check_tells_what_a_run_does_and_changes_nothing(world: World) -> None:
    before = copy.deepcopy((world.files, world.groups, world.doors))
    told = world.run(check=True)
    assert (world.files, world.groups, world.doors) == before and world.done == []
    done = world.run()
    assert (told.actions, told.diff, told.values) == (done.actions, done.diff, done.values)


def test_the_result(world: World) -> None:
    values = world.run(site={"slurm": Slurm("/etc/slurm/gres.conf")}).values
    assert (values["holds"], values["restart"], values["pending"], values["missing"]) == (
        ["half", "serve"], ["slurmd.service"], ["vllm.service"], [])
    assert values["slurm"]["definition"] == "gpu:mi300x_research_dpx:1,gpu:mi300x_dpx:1"
    assert values["kubernetes"]["labels"] == {"instinct.fleet/vision": "1"}
    assert {(one["tenant"], one["what"]): one["mark"] for one in values["settings"]}["vision", "slice"] == "intent"  # no cgroups here
    assert values["written"][-1] == text_set.PATH


def test_device_nodes_have_a_diff_of_their_own(world: World) -> None:
    world.doors["/dev/dri/renderD153"] = None  # type: ignore[assignment]
    entry = world.run().diff[-1]
    assert (entry["before"].splitlines()[-1], entry["after"].splitlines()[-1]) == (
        "/dev/dri/renderD153 something else", "/dev/dri/renderD153 root:render 0660")


def test_of_many_device_nodes_their_number_is_told(world: World) -> None:
    world.doors.update({f"/dev/dri/renderD{minor}": RENDER for minor in range(160, 165)})
    assert "set 5 device nodes to root:root 0600" in world.run().actions
    assert world.doors["/dev/dri/renderD164"] == CLOSED


@pytest.mark.parametrize("at", [
    "add alice to group gpu-vision", "/dev/dri/renderD128", "systemctl", "take bob out of group render", "/etc/instinct/reservation.json"])
def test_a_run_that_was_cut_off_anywhere_is_gone_on_with(world: World, at: str) -> None:
    """As if it had not been: users and groups of before are not forgotten, and systemd is told."""
    world.run(dc.replace(RECORD, tenants=(RESEARCH,), grants=RECORD.grants[:1]))
    wanted = dc.replace(RECORD, tenants=(VISION,), grants=NIGHT[1:], pool=(HALF, OTHER_HALF))
    world.failing = {at: FleetError(at, "is cut off", "")}
    with pytest.raises(FleetError, match="is cut off"):
        world.run(wanted)
    world.failing = {}
    world.run(wanted)
    assert (world.groups["render"][1], world.groups["gpu-vision"][1], world.groups["gpu-research"][1]) == (("alice",), ("alice",), ())
    assert world.doors["/dev/dri/renderD128"] == RENDER and (world.timer, world.unread) == (True, False)
    assert {"systemctl daemon-reload", "systemctl restart instinct-reservation.timer"} <= set(world.done)
    assert world.run(wanted).actions == ()
    world.run(None)
    assert (world.groups["render"][1], world.timer, world.files) == ((), False, {})


def test_what_was_not_told_before_a_run_was_cut_off_is_told_by_removal_too(world: World) -> None:
    world.run()
    world.failing = {"systemctl": FleetError("systemctl", "is cut off", "")}
    with pytest.raises(FleetError, match="is cut off"):
        world.run(None)
    world.failing = {}
    assert world.run(None).actions == ("systemctl daemon-reload",)
    assert world.run(None).actions == ()


def test_at_boot_systemd_reads_its_files_whatever_they_are(world: World) -> None:
    world.run()
    assert world.run(wait=0.0, reload=True).actions == ("systemctl daemon-reload",)


def test_a_tenant_that_is_gone(world: World) -> None:
    world.run()
    outcome = world.run(dc.replace(RECORD, tenants=(VISION,), grants=RECORD.grants[1:], pool=(HALF, OTHER_HALF)))
    assert outcome.actions[:2] == ("take bob out of group render", "take carol out of group render")
    # A group stays, for its number would be given to another tenant.
    assert world.groups["gpu-research"][1] == () and world.groups["render"][1] == ("alice",)
    assert world.doors["/dev/dri/renderD152"] == RENDER
    assert "/etc/systemd/system/tenant-research.slice" not in world.files


def test_absent_takes_all_of_it_back(world: World) -> None:
    world.run()
    outcome = world.run(None)
    assert (world.files, set(world.doors.values())) == ({}, {RENDER})
    assert {members for _gid, members in world.groups.values()} == {()}
    assert (outcome.values["settings"], outcome.values["kubernetes"]) == ([], {})
    assert world.run(None).actions == ()


def test_a_window_decides_by_the_clock_of_the_node(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for hour, holds, access in ((0, ["serve"], RENDER), (1, ["half", "serve"], Access("gpu-research"))):
        monkeypatch.setattr(apply.time, "time", lambda hour=hour: 4 * 86400 + hour * 3600.0)
        assert world.run(WINDOWED).values["holds"] == holds
        assert world.doors["/dev/dri/renderD152"] == access
    assert "/etc/systemd/system/instinct-reservation.timer" in world.files


def test_a_device_that_is_not_there_is_refused_before_the_first_change(world: World) -> None:
    world.tree.write(f"{KFD}/topology/nodes/4/gpu_id", "0\n")
    with pytest.raises(FleetError, match=r"^device 0000:65:00\.0-0: is not there now; look at the node, then plan anew"):
        world.run()
    assert (world.files, world.done) == ({}, ["lock 30"])


def test_at_boot_it_is_done_for_those_that_are_there(world: World) -> None:
    world.tree.write(f"{KFD}/topology/nodes/4/gpu_id", "0\n")
    outcome = world.run(wait=0.0)
    assert outcome.values["missing"] == ["0000:65:00.0-0", "0000:65:00.0-1"]
    assert world.doors["/dev/dri/renderD128"] == Access("gpu-vision") and world.doors["/dev/dri/renderD153"] == CLOSED


def test_at_boot_the_lock_is_left_to_others_until_all_devices_are_there(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.tree.write(f"{KFD}/topology/nodes/4/gpu_id", "0\n")

    def ticks(seconds: float, _pause: float) -> t.Iterator[float]:
        assert (seconds, world.done) == (60.0, [])
        yield 0.0
        world.tree.kfd_node(4, 0x6501, 153)
        yield 1.0
        raise AssertionError("it waits for what is there")

    monkeypatch.setattr(apply, "ticks", ticks)
    assert (world.run(wait=60.0).values["missing"], world.done[0]) == ([], "lock 30")


def test_a_part_that_has_another_render_node_since_a_boot(world: World) -> None:
    world.run()
    world.tree.kfd_node(3, 0x6500, 153)
    world.tree.kfd_node(4, 0x6501, 152)
    world.run(wait=0.0)
    assert (world.doors["/dev/dri/renderD153"], world.doors["/dev/dri/renderD152"]) == (Access("gpu-research"), RENDER)


def test_what_cannot_be_looked_at_is_waited_for_and_then_nothing_is_touched(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not the same as no GPUs: that would close all of them."""
    world.run()
    before = copy.deepcopy((world.files, world.groups, world.doors))
    world.tree.write(f"{KFD}/topology/nodes/3/properties", "none\n")
    waited: list[float] = []
    monkeypatch.setattr(apply, "ticks", lambda seconds, pause: (waited.append(gone) or gone for gone in (0.0, 1.0)))
    with pytest.raises(FleetError, match=r"^node: which partitions it has is unknown: "):
        world.run(wait=60.0)
    assert (world.files, world.groups, world.doors) == before and waited == [0.0, 1.0]


def test_a_user_whom_the_node_does_not_know_is_refused_and_at_boot_passed_over(world: World) -> None:
    world.strangers = {"alice"}
    with pytest.raises(FleetError, match=r"^user alice of tenant vision: does not exist on the node; "):
        world.run()
    assert world.files == {}
    outcome = world.run(wait=0.0)
    assert outcome.values["unknown_users"] == ["alice"] and world.doors["/dev/dri/renderD128"] == Access("gpu-vision")
    assert world.groups["gpu-vision"][1] == () and world.groups["gpu-research"][1] == ("bob", "carol")


def test_a_user_whom_the_node_does_not_know_for_a_while_keeps_groups_and_policy(world: World) -> None:
    world.run()
    world.strangers = {"alice"}
    assert world.run(wait=0.0).actions == ()


def test_a_login_of_who_has_left_keeps_a_policy_until_it_ends(world: World) -> None:
    world.run()
    policy = "/etc/systemd/system/user-1001.slice.d/50-instinct-reservation.conf"
    world.logins = {1001: frozenset({world.groups["gpu-vision"][0]})}
    fewer = dc.replace(RECORD, tenants=(RESEARCH, dc.replace(VISION, users=("erin",))))
    world.run(fewer)
    assert b"renderD128" not in world.files[policy] and world.run(fewer).actions == ()
    world.logins = {}
    assert f"remove {policy}" in world.run(fewer).actions


def test_a_group_that_others_have_is_refused(world: World) -> None:
    world.groups["gpu-vision"] = (990, ("mallory",))
    with pytest.raises(FleetError, match=r"^group gpu-vision: is that of mallory too, who is no user of the tenant; "):
        world.run()
    assert world.files == {}


FULL = OSError(28, "No space left on device")


def test_a_full_disk_is_told_before_devices_are_given(world: World) -> None:
    world.failing = {text_set.PATH: FULL}
    with pytest.raises(OSError, match="No space left"):
        world.run()
    assert set(world.doors.values()) == {RENDER}


def test_a_window_turns_on_a_full_disk_too(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apply.time, "time", lambda: 4 * 86400 + 3600.0)
    world.run(WINDOWED)
    assert world.doors["/dev/dri/renderD152"] == Access("gpu-research")
    monkeypatch.setattr(apply.time, "time", lambda: 4 * 86400 + 7200.0)
    world.failing = {"/etc/systemd/system/tenant-research.slice": FULL}
    with pytest.raises(OSError, match="No space left"):
        world.run(WINDOWED, wait=0.0)
    assert (world.doors["/dev/dri/renderD152"], world.unread) == (RENDER, True)


def test_a_device_node_that_cannot_be_set_stops_no_other(world: World) -> None:
    world.failing = {"/dev/dri/renderD128": FULL}
    with pytest.raises(OSError, match="No space left"):
        world.run()
    assert world.doors["/dev/dri/renderD152"] == Access("gpu-research")


def test_what_udev_set_by_its_old_rules_meanwhile_is_set_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apply.managers, "told", lambda *_: (("udevadm", "control", "--reload"),))
    monkeypatch.setattr(apply.managers, "settle", lambda: world.doors.update({"/dev/dri/renderD128": RENDER}))
    world.run()
    assert world.doors["/dev/dri/renderD128"] == Access("gpu-vision")


def test_what_is_asked_is_read_again_once_no_other_acts(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run may have brought another record meanwhile."""
    told = [apply.Request(RECORD, text_set.Settings()), apply.Request(Record(pool=RECORD.pool), text_set.Settings())]
    apply.run(lambda: told.pop(0))
    assert record.read(world.files[record.PATH].decode()) == Record(pool=RECORD.pool)


def test_device_nodes_that_cannot_be_told_are_a_refusal(world: World) -> None:
    world.unreadable = True
    with pytest.raises(FleetError, match=r"^device nodes: are unknown: /sys/class/drm: permission denied; "):
        world.run()


def test_a_node_of_which_nothing_is_reserved_is_open_to_the_render_group(world: World) -> None:
    world.run(Record(pool=RECORD.pool))
    assert world.doors["/dev/dri/renderD153"] == RENDER and world.doors["/dev/dri/renderD128"] == CLOSED


def test_a_file_of_the_site_is_refused_and_the_command_leaves_it(world: World) -> None:
    world.files["/etc/slurm/gres.conf"] = b"Name=gpu Count=8\n"
    site = {"slurm": Slurm("/etc/slurm/gres.conf")}
    with pytest.raises(FleetError, match=r"^/etc/slurm/gres\.conf: is there, and the role gpu_reservation did not write it; "):
        world.run(site=site)
    assert list(world.files) == ["/etc/slurm/gres.conf"] and world.done == ["lock 30"]
    world.run(site=site, wait=0.0)
    assert world.files["/etc/slurm/gres.conf"] == b"Name=gpu Count=8\n" and text_set.PATH in world.files
    world.run(None)
    assert list(world.files) == ["/etc/slurm/gres.conf"]
