# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""slurm_node: drained and given back, in check mode and again, with a diff; only what is ours."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act import slurm
from ansible_collections.instinct.fleet.plugins.modules import slurm_node
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module
from ansible_collections.instinct.fleet.tests.unit.support.slurm import FakeSlurm

MINE = "instinct.fleet: partition: to CPX/NPS4"
JOB = "7|RUNNING|alice\n"


class Site:
    """A controller, and the module as it is asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, fake: FakeSlurm) -> None:
        self.fake, self._patch = fake, monkeypatch
        monkeypatch.setattr(slurm.Slurm.__init__, "__defaults__", (fake, lambda timeout, pause: iter((0.0, float(timeout)))))

    def __call__(self, state: str = "drained", check: bool = False, **args: t.Any) -> dict[str, t.Any]:
        given = {"name": "n1", "state": state, "purpose": "partition", "reason": "to CPX/NPS4", **args}
        return run_module(slurm_node, given, check)


@pytest.fixture(name="site")
def _site(monkeypatch: pytest.MonkeyPatch) -> t.Callable[..., Site]:
    return lambda *given, **more: Site(monkeypatch, FakeSlurm(*given, **more))


def test_it_is_drained_once_and_given_back_once(site: t.Callable[..., Site]) -> None:
    node = site()
    planned = node(check=True)
    assert (planned["changed"], planned["actions"]) == (True, [f"drain the node in Slurm ({MINE})"])
    assert (planned["standing"], planned["before"], planned["reason"], node.fake.updates) == ("ours", "open", MINE, [])
    first = node()
    assert {key: first[key] for key in ("changed", "standing", "before", "reason", "states", "jobs")} == {
        "changed": True, "standing": "ours", "before": "open", "reason": MINE, "states": ["IDLE", "DRAIN"], "jobs": []}
    assert first["diff"] == planned["diff"] == [{
        "before": "IDLE\n", "after": f"IDLE+DRAIN, {MINE}\n", "before_header": "slurm node n1", "after_header": "slurm node n1"}]
    assert [node(check=check)["changed"] for check in (True, False)] == [False, False]
    back = node("resumed", check=True)
    assert (back["actions"], back["standing"], node.fake.reason) == (["give the node back to Slurm"], "open", MINE)
    assert (node("resumed")["standing"], node.fake.states, node.fake.reason) == ("open", ["IDLE"], "")
    assert [node("resumed", check=check)["changed"] for check in (True, False)] == [False, False]
    assert node.fake.updates == [("State=DRAIN", f"Reason={MINE}"), ("State=RESUME",)]


def test_a_new_reason_replaces_ours_and_none_keeps_it(site: t.Callable[..., Site]) -> None:
    node = site(("IDLE", "DRAIN"), MINE)
    assert node(reason="")["changed"] is False
    assert node(reason="failed: x", wait=False)["reason"] == "instinct.fleet: partition: failed: x" == node.fake.reason


@pytest.mark.parametrize(("states", "reason"), [
    (("IDLE", "DRAIN"), "broken fan"), (("IDLE", "DRAIN"), ""), (("DOWN",), "Not responding"),
    (("IDLE", "DRAIN"), "instinct.fleet: upgrade: x")])
def test_what_others_took_out_of_work_stays_theirs(site: t.Callable[..., Site], states: tuple[str, ...], reason: str) -> None:
    node = site(states, reason)
    for state in ("drained", "resumed"):
        said = node(state)
        assert (said["changed"], said["standing"], said["before"], said["reason"]) == (False, "foreign", "foreign", reason)
    assert node.fake.updates == []


def test_jobs_are_waited_for(site: t.Callable[..., Site]) -> None:
    assert site(jobs=(JOB, JOB, ""))()["jobs"] == []
    node = site(jobs=(JOB,))
    assert node(check=True)["jobs"] == node(wait=False)["jobs"] == [{"id": "7", "state": "RUNNING", "user": "alice"}]
    assert node(timeout=4, beyond="leave")["waiting"] == "1 job (7 of alice)"
    late = node(timeout=4)
    assert late["msg"] == (
        "slurm node n1: 1 job is still on it after 4 s (7 of alice); it stays drained: "
        "wait longer (node_maintenance_drain_timeout), or end them, then run again")
    assert node.fake.states == ["IDLE", "DRAIN"]


@pytest.mark.parametrize("how", ["requeue", "cancel"])
def test_jobs_beyond_the_time_are_moved_if_asked_for(site: t.Callable[..., Site], how: str) -> None:
    node = site(("IDLE", "DRAIN"), MINE, jobs=(JOB, JOB, JOB, JOB, ""))
    node.fake.book = {"7": ["RUNNING", "1", "1", "0"]}
    assert (node(check=True, beyond=how)["actions"], node.fake.moves) == ([], [])
    said = node(timeout=4, beyond=how)
    assert (said["actions"], said["changed"], said["jobs"], said["standing"]) == ([f"{how} job 7 of alice"], True, [], "ours")
    assert (node.fake.moves, node(beyond=how)["changed"]) == ([(how, "7")], False)


def test_a_job_that_may_not_be_requeued_is_named_and_the_node_stays_drained(site: t.Callable[..., Site]) -> None:
    node = site(jobs=(JOB,))
    node.fake.book = {"7": ["RUNNING", "0", "1", "0"]}
    assert node(timeout=4, beyond="requeue")["msg"] == (
        "slurm node n1: 1 job cannot be requeued (7 of alice: submitted not to be requeued), so none was; it stays drained: "
        "wait longer (node_maintenance_drain_timeout), or end them, then run again")
    assert (node.fake.states, node.fake.moves) == (["IDLE", "DRAIN"], [])


def test_a_node_that_somebody_gives_back_meanwhile_is_not_gone_on_with(site: t.Callable[..., Site]) -> None:
    node = site(jobs=(JOB, ""))
    node.fake.resumed = True
    assert node()["msg"] == (
        "slurm node n1: was given back by somebody while its jobs were waited for; ask who did, then run again")


def test_a_controller_that_restarts_is_waited_for_and_nothing_is_changed_without_one(site: t.Callable[..., Site]) -> None:
    node = site()
    node.fake.down = 1
    assert node(check=True)["msg"].startswith("slurm node n1: slurm_load_node error: Unable to contact slurm controller")
    node.fake.down = 1
    assert node()["changed"] is True
    node = site()
    node.fake.down = 99
    assert "Unable to contact slurm controller" in node(patience=0)["msg"] and node.fake.updates == []


def test_a_return_code_is_no_proof(site: t.Callable[..., Site]) -> None:
    node = site()
    node.fake.deaf = True
    assert node()["msg"] == "slurm node n1: is IDLE after the change; look at slurmctld's log"


@pytest.mark.parametrize(("given", "where"), [
    ({"purpose": "two words"}, "purpose"), ({"purpose": ""}, "purpose"), ({"pause": 0}, "pause"), ({"timeout": -1}, "timeout"),
    ({"patience": -1}, "patience")])
def test_what_cannot_be_is_refused(site: t.Callable[..., Site], given: dict[str, t.Any], where: str) -> None:
    node = site()
    assert (node(**given)["failure"]["where"], node.fake.updates) == (where, [])
