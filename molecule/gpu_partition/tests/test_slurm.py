# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node of Slurm: what it tells of 64 devices, what it refuses under load, what it stops and starts again."""

from __future__ import annotations

import re

import playbook
from partitioned import changed, digests, given_to_containers, given_to_slurm, modes, reboot, result, role, unit

testinfra_hosts = ["ansible://partition-slurm"]
APPLY, WHOLE = "Bring the GPUs to the wanted partitions", {"gpu_partition_profile": "spx-nps1"}


def told_of_64_devices(host) -> None:
    """Slurm and containers are given each device once, and all are there."""
    assert modes(host) == {"CPX/NPS4": 8}
    files = given_to_slurm(host)
    assert len(set(files)) == len(files) == 64
    named = given_to_containers(host)
    assert sorted(named["all"]) == sorted(files)
    assert [named[str(number)] for number in range(64)] == [[path] for path in files]
    line = host.file("/etc/slurm/nodes.d/partition-slurm.conf").content_string.splitlines()[-1]
    assert line == "NodeName=partition-slurm Gres=gpu:mi300x_cpx:64"


def refused_under_load(host, name: str) -> None:
    """Nothing is ended, nothing changes, and check mode says the same."""
    host.check_output("instinct-sim fault busy gpu=2 unit=serving.service")
    before, (pid,) = digests(host), host.check_output("ls /sys/class/kfd/kfd/proc").split()
    said = re.compile(rf".*0000:46:00\.0.*are held by pid {pid} \(sleep, serving\.service\); drain the node first")
    ran = role(name, **WHOLE)
    assert ran.returncode != 0 and said.match(playbook.refusals(ran)[0]), playbook.refusals(ran)
    checked = result(role(name, "--check", **WHOLE), APPLY)
    assert checked["actions"][0].startswith("set ") and any(said.match(note) for note in checked["notes"])
    assert (digests(host), modes(host)) == (before, {"CPX/NPS4": 8})
    host.check_output(f"test -d /proc/{pid}")
    host.check_output("instinct-sim heal")


def a_reservation_that_no_longer_fits_is_refused_first(host, name: str) -> None:
    ran = role(name, **WHOLE, gpu_partition_reservations=[{"tenant": "vision", "count": 9}])
    assert ran.returncode != 0 and "vision" in playbook.refusals(ran)[0] and modes(host) == {"CPX/NPS4": 8}


def stopped_and_started_again(host, name: str) -> None:
    """The unit that may be stopped is; slurmd reads its new file; all else goes on."""
    host.check_output("instinct-sim fault busy gpu=1 unit=gpuagent.service")
    agent, slurmd, serving = (unit(host, f"{name}.service", "MainPID") for name in ("gpuagent", "slurmd", "serving"))
    predicted, ran = role(name, "--check", "--diff", **WHOLE), role(name, "--diff", **WHOLE)
    assert changed(ran), playbook.refusals(ran)
    done = result(ran, APPLY)
    assert done["units"] == {"stopped": ["gpuagent.service"], "started": ["gpuagent.service"], "failed": {}}
    assert result(predicted, APPLY)["diff"] == done["diff"]
    assert all(unit(host, f"{name}.service", "ActiveState") == "active" for name in ("gpuagent", "slurmd", "serving"))
    assert (agent, slurmd) != (unit(host, "gpuagent.service", "MainPID"), unit(host, "slurmd.service", "MainPID"))
    assert serving == unit(host, "serving.service", "MainPID")
    assert (modes(host), len(given_to_slurm(host))) == ({"SPX/NPS1": 8}, 8)
    assert not changed(role(name, **WHOLE))


# One test, for two would run side by side on the one node.
def test_a_node_of_slurm(host) -> None:
    name = host.backend.get_hostname()
    told_of_64_devices(host)
    refused_under_load(host, name)
    a_reservation_that_no_longer_fits_is_refused_first(host, name)
    reboot(name)
    told_of_64_devices(host)
    stopped_and_started_again(host, name)
