# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs of a real Slurm: waited for, left where they run, requeued; somebody else's drain; a controller that is away."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

from evidence import Fleet, works
from rollouts import Rollout, nodes

CONTROL, ONE, TWO = "sched-control", "sched-a", "sched-b"
OLDER, NEWER = "6.1.0-56-amd64", "6.1.0-57-amd64"
END = "/tmp/the-job-may-end"
OURS = "instinct.fleet: upgrade: "


class Site:
    """The nodes, their scheduler, and the playbook as it is run on them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.fleet = folder, Fleet(CONTROL)

    def begin(self, name: str, kernel: str, *options: str, **more: t.Any) -> Rollout:
        """A run that goes on. Both nodes go first, so that neither waits for the other."""
        policy = {"fleet_upgrade_max_unavailable": 2, "fleet_upgrade_canary": [ONE, TWO]}
        return Rollout(self.folder / name, {"gpu_release_kernel": kernel, **policy, **more}, *options)

    def submit(self) -> str:
        """A batch job that runs on the first node until it is told to end; its number."""
        ends = f"until rm {END}; do sleep 0.2; done"
        command = f"cd /tmp && sbatch --parsable --requeue --nodelist={ONE} --output=/dev/null --wrap '{ends}'"
        job = self.fleet.ssh(CONTROL, command).strip()
        runs = f"squeue --noheader --states=RUNNING --jobs={job} | grep -q ."
        self.fleet.ssh(CONTROL, f"for try in $(seq 300); do {runs} && exit; sleep 0.1; done; exit 1")
        return job

    def job(self, job: str) -> tuple[str, int]:
        """State of a job, and how often it was requeued."""
        line = self.fleet.ssh(CONTROL, f"scontrol --oneliner show job {job}")
        return re.search(r" JobState=(\S+)", line)[1], int(re.search(r" Restarts=(\d+)", line)[1])

    def slurm(self, name: str) -> tuple[bool, str]:
        """Whether a node takes jobs, and why not."""
        state = self.fleet.slurm()[name]
        return works(state), state["Reason"]

    def kernels(self) -> list[str]:
        """What runs."""
        return [self.fleet.ssh(name, "uname -r").strip() for name in (ONE, TWO)]


def without_a_controller_no_node_is_touched(site: Site) -> None:
    site.fleet.ssh(CONTROL, "systemctl stop slurmctld")
    code, report = site.begin("away", NEWER).end()
    site.fleet.ssh(CONTROL, "systemctl start slurmctld")
    assert (code, report["refusal"].startswith("no node was touched: ")) == (2, True), report["refusal"]
    assert "Unable to contact slurm controller" in report["refusal"]
    assert (site.kernels(), [site.fleet.seen([ONE])[ONE]["note"]]) == ([OLDER, OLDER], [None])
    assert [site.slurm(name) for name in (ONE, TWO)] == [(True, ""), (True, "")]


def a_job_ends_before_its_node_is_touched_and_somebody_elses_drain_stays(site: Site) -> None:
    site.fleet.ssh(CONTROL, f"scontrol update NodeName={TWO} State=DRAIN Reason='broken fan'")
    job = site.submit()
    run = site.begin("go", NEWER)
    assert run.until(lambda events: ONE in nodes(events, "step", "drain")), run.said()
    # A controller that is away while a job is waited for; a command that asks it takes its time to notice.
    site.fleet.ssh(CONTROL, "systemctl stop slurmctld; squeue; systemctl start slurmctld")
    assert (ONE in nodes(run.events(), "step", "apply"), site.job(job)) == (False, ("RUNNING", 0))
    site.fleet.ssh(ONE, f"touch {END}")
    code, report = run.end()
    told = report["nodes"]
    assert (code, [told[name]["status"] for name in (ONE, TWO)]) == (0, ["done", "done"]), run.said()
    assert told[TWO]["notes"] == ["somebody else took it out of work, and it stays so"]
    assert (site.kernels(), site.job(job)) == ([NEWER, NEWER], ("COMPLETED", 0))
    assert (site.slurm(ONE), site.slurm(TWO)) == ((True, ""), (False, "broken fan"))


def a_job_beyond_the_time_keeps_its_node(site: Site) -> str:
    job = site.submit()
    code, report = site.begin("beyond", OLDER, "--limit", ONE, node_maintenance_drain_timeout=1).end()
    why = f"slurm node {ONE}: 1 job is still on it ({job} of root); it stays drained: "
    told = report["nodes"][ONE]
    assert (code, told["status"], told["reason"].startswith(why)) == (2, "failed", True), told
    assert (site.kernels()[0], site.job(job)) == (NEWER, ("RUNNING", 0))
    at_work, reason = site.slurm(ONE)
    assert (at_work, reason.startswith(f"{OURS}failed: {why}")) == (False, True), reason
    return job


def it_is_requeued_if_asked_for(site: Site, job: str) -> None:
    asked = {"node_maintenance_drain_timeout": 1, "node_maintenance_slurm_beyond": "requeue"}
    code, report = site.begin("requeue", OLDER, "--limit", ONE, **asked, fleet_upgrade_retry=True).end()
    assert (code, report["nodes"][ONE]["status"]) == (0, "done"), report
    state, restarts = site.job(job)
    assert (site.kernels()[0], state in ("PENDING", "RUNNING"), restarts) == (OLDER, True, 1), state
    assert site.slurm(ONE) == (True, "")


# One test, for several would run side by side on the one fleet.
def test_an_upgrade_and_the_jobs_of_others(tmp_path: Path) -> None:
    site = Site(tmp_path)
    without_a_controller_no_node_is_touched(site)
    a_job_ends_before_its_node_is_touched_and_somebody_elses_drain_stays(site)
    it_is_requeued_if_asked_for(site, a_job_beyond_the_time_keeps_its_node(site))
