# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a partitioned node shows, read from the node and not from the role's own word."""

from __future__ import annotations

import collections
import json
import os
import re
import subprocess
import time
from pathlib import Path

import playbook

HERE = Path(os.environ["MOLECULE_SCENARIO_DIRECTORY"])
SIMFLEET = Path(os.environ["MOLECULE_PROJECT_DIRECTORY"]) / "tests/simulator/fleet/simfleet"
FILES = ("/etc/cdi/amd.json", "/etc/slurm/gres.conf", "/etc/instinct/partition.json")


def role(name: str, *options: str, **variables: object) -> subprocess.CompletedProcess:
    """Run the role on one node."""
    return playbook.run(str(HERE / "converge.yml"), name, variables, *options)


def result(ran: subprocess.CompletedProcess, task: str) -> dict:
    """What a task returned."""
    return next(line["result"] for line in playbook.results(ran) if line["task"].endswith(task))


def changed(ran: subprocess.CompletedProcess) -> bool:
    """Whether any task changed something; the run ended well."""
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return any(line["result"].get("changed") for line in playbook.results(ran))


def modes(host) -> dict[str, int]:
    """Modes as the simulator has them, with the number of GPUs."""
    return dict(collections.Counter(re.findall(r"driven, (\S+) ", host.check_output("instinct-sim show"))))


def digests(host) -> str:
    """Of all that the role writes and that depends on what is wanted."""
    return host.check_output("sha256sum " + " ".join(path for path in FILES if host.file(path).exists))


def given_to_slurm(host) -> list[str]:
    """The device files in gres.conf, ranges written out."""
    files = []
    for text in re.findall(r"File=(\S+)", host.file("/etc/slurm/gres.conf").content_string):
        found = re.fullmatch(r"([^\d\[]+)\[?([\d,-]+)\]?", text)
        assert found, text
        for part in found[2].split(","):
            ends = [int(end) for end in part.split("-")]
            files += [f"{found[1]}{number}" for number in range(ends[0], ends[-1] + 1)]
    return files


def given_to_containers(host) -> dict[str, list[str]]:
    """Name of a device in the CDI specification -> its device nodes. All of them exist."""
    spec = json.loads(host.file("/etc/cdi/amd.json").content_string)
    assert (spec["kind"], spec["containerEdits"]["deviceNodes"][0]["path"]) == ("amd.com/gpu", "/dev/kfd")
    named = {device["name"]: [node["path"] for node in device["containerEdits"]["deviceNodes"]]
             for device in spec["devices"]}
    host.check_output("ls " + " ".join(named["all"]))
    return named


def unit(host, name: str, value: str) -> str:
    """One property of a unit."""
    return host.check_output(f"systemctl show --property={value} --value {name}")


def reboot(name: str) -> None:
    """Restart the node, which may be one that answers nobody, and wait until it has tried to start everything."""
    identity = [SIMFLEET, "exec", name, "--", "cat", "/proc/sys/kernel/random/boot_id"]
    before = subprocess.run(identity, check=True, capture_output=True, text=True).stdout.strip()
    subprocess.run([SIMFLEET, "reboot", name], check=True, capture_output=True)
    ready = f"test $(cat /proc/sys/kernel/random/boot_id) != {before} && systemctl is-active -q multi-user.target && "
    ready += "! systemctl is-active -q instinct-sim-reboot.service && test -z \"$(systemctl list-jobs --no-legend)\""
    asked = [SIMFLEET, "exec", name, "--", "sh", "-c", ready]
    for _attempt in range(60):
        if subprocess.run(asked, check=False, capture_output=True).returncode == 0:
            return
        time.sleep(0.5)
    raise AssertionError(f"{name} did not come back")
