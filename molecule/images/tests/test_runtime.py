# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Containers get exactly their devices, by the filter's words alone: of the node, of GPUs, partitions and tenants."""

from __future__ import annotations

import os
from pathlib import Path

import playbook
import pytest
from layered import built, definition, render_gid
from partitioned import changed, given_to_containers, result, role

testinfra_hosts = ["ansible://img-a"]
NODE, GPUS = "img-a", [f"0000:{bus}:00.0" for bus in ("05", "26", "46", "65", "85", "a6", "c6", "e5")]
HERE = Path(os.environ["MOLECULE_SCENARIO_DIRECTORY"])
LIMIT = 8 * 1024 * 1024  # the most that a node which is a container itself may lock
RUNTIME = {"role": "container_runtime", "container_runtime_limits": {"memlock": LIMIT}}
SAY = """ls -x -w 0 /dev/dri; id -G; ulimit -l; echo $NCCL_DEBUG; df --output=size -B1G /dev/shm | tail -n 1
test -c /dev/kfd && rocminfo 2>&1 || true"""
# Without a driver below it, rocminfo ends here: all of its libraries were found and loaded.
NO_DRIVER = "ROCk module is NOT loaded"
TENANTS = {"vision": {}, "research": {}}
WISHES = [{"name": "serving", "tenant": "vision", "priority": "P0", "devices": GPUS[2:4]},
          {"name": "half", "tenant": "research", "priority": "P1", "devices": [f"{GPUS[0]}-1"]}]


def run(image: str, *runs: dict) -> list[tuple[list[str], str, list[str]]]:
    """For each: the devices in the container, its groups, and what it said besides."""
    given = {"image": image, "runs": list(runs), "program": ["sh", "-c", SAY]}
    ran = playbook.run(str(HERE / "run.yml"), NODE, given)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    said = [one["stdout"].splitlines() for one in result(ran, "Run the program in a container")["results"]]
    return [(lines[0].split(), lines[1], lines[2:]) for lines in said]


def nodes(*minors: int) -> list[str]:
    return [f"renderD{minor}" for minor in minors]


def partitioned(mode: str):
    """Bring the first GPU to a mode."""
    wish = [{"gpus": [0], "compute": mode, "memory": "NPS1"}]
    return role(NODE, role="gpu_partition", gpu_partition_gpus=wish, gpu_partition_boot=False,
                gpu_partition_accept=["documented", "allowed"])


@pytest.fixture(scope="module")
def image(host, tmp_path_factory: pytest.TempPathFactory) -> str:
    """One with a program that looks for GPUs."""
    there = host.check_output("podman images --quiet --no-trunc --filter reference=localhost/trio/application").split()
    return there[0] if there else built(host, tmp_path_factory.mktemp("site"), definition(host))[0]["id"]


@pytest.fixture(scope="module", autouse=True)
def engines(host):
    """Engines know the devices, and in the end know nothing of them any more."""
    assert changed(role(NODE, **RUNTIME))
    yield
    assert changed(role(NODE, entry="remove", role="container_runtime"))
    assert host.run("ls /etc/cdi /etc/containers/containers.conf.d").stdout.split() == [
        "/etc/cdi:", "/etc/containers/containers.conf.d:"]


@pytest.fixture
def shared(host):
    """A GPU has partitions, and tenants have GPUs: what changes them writes the specifications anew."""
    assert changed(partitioned("DPX"))
    given = {"gpu_reservation_tenants": TENANTS, "gpu_reservation_list": WISHES}
    assert changed(playbook.run(str(HERE.parent / "tenants/reserve.yml"), NODE, given))
    yield
    role(NODE, entry="remove", role="gpu_reservation")
    assert changed(partitioned("SPX"))


def test_engines_are_told(host) -> None:
    kept = result(role(NODE, entry="verify", **RUNTIME), "Keep the answer")
    answer = kept["ansible_facts"]["container_runtime_result"]
    assert answer["as_wanted"] and answer["cdi"]["as_wanted"]
    assert answer["engines"] == {"podman": True, "docker": None}
    assert len(given_to_containers(host)) == 25  # eight numbers, GPUs and devices, and all


def test_containers_get_exactly_the_devices_of_the_node_and_of_gpus(host, image) -> None:
    gid = render_gid(host)
    found = run(image, {}, {"devices": [0]}, {"devices": [GPUS[1], "7"]}, {"devices": [2], "cdi": False})
    assert [one[0] for one in found] == [nodes(*range(128, 192, 8)), nodes(128), nodes(136, 184), nodes(144)]
    assert {one[1] for one in found} == {f"0 {gid}"}
    assert [line.strip() for line in found[0][2][:3]] == [str(LIMIT // 1024), "INFO", "16"]
    assert found[1][2][2].strip() == "1"  # of a GiB, rounded up: engines give 64 MiB
    assert all(NO_DRIVER in "".join(one[2]) for one in found)


def test_containers_get_exactly_the_devices_of_partitions_and_of_tenants(host, image, shared) -> None:
    asked = ({"tenant": "vision"}, {"tenant": "research"}, {"devices": [f"{GPUS[0]}-0"]})
    vision, research, half = run(image, *asked)
    assert (vision[0], research[0], half[0]) == (nodes(144, 152), nodes(129), nodes(128))
    render, groups = render_gid(host), {name: host.group(f"gpu-{name}").gid for name in TENANTS}
    assert (vision[1], half[1]) == (f"0 {render} {groups['vision']}", f"0 {render}")
