# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The story of a roll-out: planned, refused, stopped by a node that fails, gone on with; a drain of somebody else."""

from __future__ import annotations

import json
import os
import re
import typing as t
from pathlib import Path

import playbook
import testinfra
from partitioned import modes

testinfra_hosts = ["ansible://pfleet-a"]
ONE, TWO, THREE = NAMES = ("pfleet-a", "pfleet-b", "pfleet-c")
BEFORE, AFTER = {"SPX/NPS1": 2}, {"CPX/NPS1": 2}
MARK = "instinct.fleet: partition: "


class Fleet:
    """The nodes, and the playbook as it is run on them."""

    def __init__(self, folder: Path) -> None:
        inventory = os.environ["MOLECULE_INVENTORY_FILE"]
        self.nodes = {n: testinfra.get_host(f"ansible://{n}", ansible_inventory=inventory) for n in NAMES}
        self.path = folder / "report.json"

    def run(self, *options: str, limit: str = "instinct", **variables: object) -> tuple[int, dict[str, t.Any], str]:
        """Exit code, report, and all that was said."""
        self.path.unlink(missing_ok=True)
        ran = playbook.run("partition", limit, {**variables, "fleet_partition_path": str(self.path)}, *options)
        print(ran.stdout[-3000:] + ran.stderr[-2000:])
        return ran.returncode, json.loads(self.path.read_text(encoding="utf-8")), ran.stdout

    def modes(self) -> list[dict[str, int]]:
        """Of each node, as the simulator has them."""
        return [modes(node) for node in self.nodes.values()]

    def slurm(self, name: str) -> tuple[str, str]:
        """State of a node, and its reason."""
        line = self.nodes[ONE].check_output(f"scontrol --oneliner show node {name}")
        reason = re.search(r" Reason=(.*?)(?: \[.*\])?$", line)
        return re.search(r" State=(\S+)", line)[1], reason[1] if reason else ""


def verdicts(report: dict[str, t.Any]) -> list[str]:
    """Status of each node."""
    return [report["nodes"][name]["status"] for name in NAMES]


def a_dry_run_says_what_would_be(fleet: Fleet) -> None:
    given = {"fleet_partition_detailed_exitcode": True, "fleet_partition_wave": "50%"}
    code, report, _said = fleet.run("--check", "--diff", **given)
    assert (code, report["due"], [report["nodes"][name]["wave"] for name in NAMES]) == (2, list(NAMES), [1, 2, 3])
    assert report["nodes"][ONE]["changes"] == ["set compute partition CPX on 2 GPUs (was SPX)"]
    assert (fleet.modes(), fleet.slurm(ONE)) == ([BEFORE] * 3, ("IDLE", ""))


def one_that_refuses_stops_all_before_the_first_change(fleet: Fleet) -> None:
    fleet.nodes[THREE].check_output("instinct-sim fault busy gpu=0 pid=4711 name=python3")
    code, report, _said = fleet.run()
    assert (code, verdicts(report)) == (2, ["due", "due", "refused"])
    assert report["refusal"].startswith(f"no node was touched: {THREE} refused: ") and "pid 4711" in report["refusal"]
    assert (fleet.modes(), fleet.slurm(ONE), fleet.slurm(TWO)) == ([BEFORE] * 3, ("IDLE", ""), ("IDLE", ""))
    fleet.nodes[THREE].check_output("instinct-sim heal")


def one_that_fails_stops_the_rest_and_stays_drained(fleet: Fleet) -> None:
    fleet.nodes[TWO].check_output("instinct-sim fault ecc_uncorrectable gpu=0")
    job = fleet.nodes[ONE].check_output(f"cd /tmp && sbatch --parsable --nodelist={ONE} --wrap 'sleep 20'")
    code, report, _said = fleet.run()
    assert (code, verdicts(report), fleet.modes()) == (2, ["partitioned", "failed", "due"], [AFTER, AFTER, BEFORE])
    assert report["stopped"] == f"stopped after 1 node failed ({TWO}); 0 may"
    assert "JobState=COMPLETED" in fleet.nodes[ONE].check_output(f"scontrol --oneliner show job {job}")
    assert fleet.slurm(ONE) == ("IDLE", "")
    state, reason = fleet.slurm(TWO)
    assert state == "IDLE+DRAIN" and reason.startswith(f"{MARK}failed: admission: fail: ecc-uncorrectable of ")


def it_goes_on_where_it_stopped(fleet: Fleet) -> None:
    fleet.nodes[TWO].check_output("instinct-sim heal && : > /var/lib/instinct-sim/state.kernel.log && : > /dev/kmsg")
    code, report, _said = fleet.run()
    assert (code, verdicts(report), fleet.modes()) == (0, ["as wanted", "partitioned", "partitioned"], [AFTER] * 3)
    assert fleet.slurm(TWO) == ("IDLE", "")


def what_is_done_costs_a_look(fleet: Fleet) -> None:
    ran = playbook.run("partition", "instinct", {})
    tasks = [line for line in playbook.results(ran) if line["host"] == ONE and "actions" in line["result"]]
    assert [line["task"].split(" : ")[-1] for line in tasks] == [
        "Assert | Are the GPUs partitioned as wanted?", "Undrain | Give the node back to Slurm"]
    assert not any(line["result"].get("changed") for line in playbook.results(ran))


def somebody_elses_drain_stays(fleet: Fleet) -> None:
    fleet.nodes[ONE].check_output(f"scontrol update NodeName={ONE} State=DRAIN Reason='broken fan'")
    code, report, _said = fleet.run(limit=ONE, gpu_partition_profile="spx-nps1")
    assert (code, report["nodes"][ONE]["status"], report["nodes"][ONE]["standing"]) == (0, "partitioned", "foreign")
    assert (fleet.slurm(ONE), modes(fleet.nodes[ONE])) == (("IDLE+DRAIN", "broken fan"), BEFORE)


# One test, for several would run side by side on the one fleet.
def test_a_fleet_is_partitioned_in_waves(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path)
    a_dry_run_says_what_would_be(fleet)
    one_that_refuses_stops_all_before_the_first_change(fleet)
    one_that_fails_stops_the_rest_and_stays_drained(fleet)
    it_goes_on_where_it_stopped(fleet)
    what_is_done_costs_a_look(fleet)
    somebody_elses_drain_stays(fleet)
