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
from ansible_collections.instinct.fleet.tests.unit.support.granted import HALF, OTHER_HALF, VISION


@pytest.fixture
def world(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tree, monkeypatch)


def test_groups_then_files_then_doors_then_those_who_read_them(world: World) -> None:
    outcome = world.run()
    assert world.done[0] == "lock 30"
    assert world.done[1] == "add alice to group render" and "create group gpu-vision" in world.done
    places = [world.done.index(words) for words in (
        "let alice be the members of group gpu-vision", "write /etc/udev/rules.d/72-instinct-reservation.rules",
        "/dev/dri/renderD128 root:gpu-vision 0660", "systemctl daemon-reload")]
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
    assert {"tenant": "vision", "what": "slice", "mark": "enforcing", "how": "its device policy, for what runs in it"} in values["settings"]
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


def test_a_run_that_was_cut_off_before_systemd_was_told(world: World) -> None:
    world.run()
    world.stale = True
    assert world.run().actions == ("systemctl daemon-reload",)


def test_at_boot_systemd_reads_its_files_whatever_they_are(world: World) -> None:
    world.run()
    assert world.run(wait=0.0, reload=True).actions == ("systemctl daemon-reload",)


def test_a_tenant_that_is_gone(world: World) -> None:
    world.run()
    outcome = world.run(dc.replace(RECORD, tenants=(VISION,), grants=RECORD.grants[1:], pool=(HALF, OTHER_HALF)))
    assert outcome.actions[-1] == "remove group gpu-research" and "gpu-research" not in world.groups
    assert world.doors["/dev/dri/renderD152"] == RENDER
    assert "/etc/systemd/system/tenant-research.slice" not in world.files


def test_absent_takes_all_of_it_back(world: World) -> None:
    world.run()
    outcome = world.run(None)
    assert (world.files, set(world.groups), set(world.doors.values())) == ({}, {"render"}, {RENDER})
    assert (outcome.values["settings"], outcome.values["kubernetes"]) == ([], {})
    assert world.run(None).actions == ()


def test_a_window_decides_by_the_clock_of_the_node(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    night = dc.replace(RECORD.grants[0], wish=dc.replace(RECORD.grants[0].wish, windows=(Window((0,), 60, 120, 0),)))
    windowed = dc.replace(RECORD, grants=(night, RECORD.grants[1]))
    for hour, holds, access in ((0, ["serve"], RENDER), (1, ["half", "serve"], Access("gpu-research"))):
        monkeypatch.setattr(apply.time, "time", lambda hour=hour: 4 * 86400 + hour * 3600.0)
        assert world.run(windowed).values["holds"] == holds
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
    assert b'KERNEL=="renderD153", OWNER:="root", GROUP:="gpu-research"' in world.files["/etc/udev/rules.d/72-instinct-reservation.rules"]


def test_device_nodes_that_cannot_be_told_are_a_refusal(world: World) -> None:
    world.unreadable = True
    with pytest.raises(FleetError, match=r"^device nodes: are unknown: /sys/class/drm: permission denied; "):
        world.run()


def test_a_node_of_which_nothing_is_reserved_is_open_to_the_render_group(world: World) -> None:
    world.run(Record(pool=RECORD.pool))
    assert world.doors["/dev/dri/renderD153"] == RENDER and world.doors["/dev/dri/renderD128"] == CLOSED
