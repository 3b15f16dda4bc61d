# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evictions of real processes: what is said of them, what is proved, and who is never touched."""

from __future__ import annotations

import fcntl
import os
import re
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Checkpoint
from ansible_collections.instinct.fleet.plugins.module_utils._evict import work
from ansible_collections.instinct.fleet.tests.unit.plugins.eviction_world import World, results
from ansible_collections.instinct.fleet.tests.unit.support.evictions import GIB, A, B, C, D


def test_what_holds_the_device_ends_and_gives_its_memory_back(world: World) -> None:
    pid, other = world.start("eve", D, "end"), world.start("carol", C, "end")
    outcome = world.evict(D)
    (one,) = outcome.values["processes"]
    assert (one["pid"], one["result"], one["user"], one["tenant"]) == (pid, "SIGTERM", "eve", None)
    assert 0 < one["seconds"] <= outcome.values["seconds"] < 5
    assert outcome.values["devices"] == [{
        "device": D, "released": True, "reason": "", "vram_bytes_before": 12 * GIB, "vram_bytes_after": 0, "driver_bytes_after": None,
        "pids_before": [pid], "pids_after": []}]
    assert (outcome.values["freed_bytes"], outcome.values["survivors"]) == (12 * GIB, [])
    assert re.fullmatch(rf"send SIGTERM to pid {pid} \(python3?[\d.]*, eve, of no tenant\), class P2, on {D} \(12\.0 GiB\)", outcome.actions[0])
    assert f'"to": "{outcome.actions[0]}", ' in world.journal()[0] and '"who": "ann"' in world.journal()[0]
    assert (outcome.diff[0]["after"], world.lives(other)) == ("", True)


def test_a_dry_run_says_what_a_run_does_and_touches_nobody(world: World) -> None:
    pids = [world.start("eve", C, "end"), world.start("carol", C, "end"), world.start("bob", C, "end")]
    world.saving(Checkpoint())
    foretold = world.evict(C, check=True, checkpoint="skipped")
    assert all(map(world.lives, pids)) and not (world.root / "journal.jsonl").exists()
    assert results(foretold.values) == dict.fromkeys(pids, "would_go")
    done = world.evict(C, checkpoint="skipped")
    assert [line.partition("; grace ")[0] for line in foretold.actions] == list(done.actions)
    assert results(done.values) == dict.fromkeys(pids, "SIGTERM")
    assert (foretold.diff, foretold.values["freed_bytes"]) == (done.diff, done.values["freed_bytes"])


def test_nothing_is_done_where_nobody_holds_the_device(world: World) -> None:
    outcome = world.evict(D)
    assert (outcome.actions, outcome.values["devices"][0]["released"]) == ((), True)
    assert outcome.diff[0]["before"] == outcome.diff[0]["after"] == ""


def test_who_ignores_it_stays_and_is_named(world: World) -> None:
    pid = world.start("eve", D, "ignore")
    error = world.failure(D, grace={"P2": 0})
    assert re.fullmatch(rf"gpu_evict: 1 device not released: {D}: pid {pid} \(.*, eve, of no tenant\) stays; allow more "
                        r"\(kill_allowed, reset_allowed\), or wait and run again", error.sentence)
    assert (world.lives(pid), error.values["survivors"], error.values["freed_bytes"]) == (True, [pid], 0)
    assert error.values["changed"] is True and len(error.values["actions"]) == 1


def test_a_class_that_is_kept_is_no_failure_and_said(world: World) -> None:
    train, dev = world.start("bob", D, "end"), world.start("eve", D, "end")
    outcome = world.evict(D, classes=["P2"])
    assert (results(outcome.values), world.lives(train)) == ({dev: "SIGTERM"}, True)
    assert outcome.values["devices"][0]["reason"].endswith("stays: class P1 is not among those that may be evicted")


def test_trespassers_go_and_who_belongs_there_stays(world: World) -> None:
    mine, theirs = world.start("alice", A, "end"), world.start("bob", A, "end")
    outcome = world.evict(reservation="inference", whom="trespassers", checkpoint="skipped")
    assert (results(outcome.values), world.lives(mine)) == ({theirs: "SIGTERM"}, True)
    assert [(one["device"], one["released"]) for one in outcome.values["devices"]] == [(A, True), (B, True)]


def test_p0_is_refused_before_anybody_is_told(world: World) -> None:
    stranger, served = world.start("eve", A, "end"), world.start("alice", A, "end")
    with pytest.raises(FleetError, match=rf"^device {A}: is held by pid {served} .* class P0 is never evicted"):
        world.evict(A)
    assert world.lives(stranger) and world.lives(served) and not (world.root / "journal.jsonl").exists()


def test_this_run_and_all_above_it_are_left_alone(world: World) -> None:
    for pid in (os.getpid(), os.getppid()):
        world.write(f"/sys/class/kfd/kfd/proc/{pid}/vram_54", "5")
        world.owners[pid] = "eve"
    outcome = world.evict(D)
    assert {one["reason"] for one in outcome.values["kept"]} == {"it is of the system, or runs this eviction"}
    assert outcome.actions == ()


def test_one_run_at_a_time_acts_on_a_node(world: World) -> None:
    pid = world.start("eve", D, "end")
    with open(world.root / "lock", "w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(FleetError, match=r"another run acts on this node"):
            world.evict(D, lock_timeout=0)
        assert len(world.evict(D, lock_timeout=0, check=True).actions) == 1
    assert world.lives(pid)


def test_who_holds_the_devices_must_be_known(world: World) -> None:
    world.unknown = {"processes": "no /sys"}
    with pytest.raises(FleetError, match=r"^this node: who holds its devices is unknown: no /sys; mend that on the node$"):
        world.evict(D)


def test_without_a_record_nobody_trespasses(world: World) -> None:
    world.record = None
    with pytest.raises(FleetError, match=r"^this node: was never told of reservations, so nobody trespasses; reserve first"):
        world.evict(D, whom="trespassers")
    pid = world.start("alice", D, "end")
    assert results(world.evict(D).values) == {pid: "SIGTERM"}


def test_a_failure_under_way_comes_with_what_was_done(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    pid = world.start("eve", D, "end")
    told = work.Work._tell

    def blind(self: work.Work, *given: t.Any) -> t.Any:
        world.unknown = {"processes": "no /sys"}
        return told(self, *given)

    monkeypatch.setattr(work.Work, "_tell", blind)
    error = world.failure(D)
    assert error.what == "who holds its devices is unknown: no /sys"
    assert (results(error.values), len(error.values["actions"])) == ({pid: "SIGTERM"}, 1)
    assert (error.values["devices"][0]["released"], error.values["devices"][0]["reason"]) == (
        False, "whether it is released is unknown")
