# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Slurm itself makes of the lines that are written for it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.gres import gres, slurm_node
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.layout import layout
from ansible_collections.instinct.fleet.tests.unit.support.layouts import CAPABILITIES, devices, gpu, node, wanted
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

SLURM = ROOT / ".cache/foreign/slurm"
HERE = socket.gethostname().split(".", maxsplit=1)[0]
MIXED = layout(node(gpu(0), gpu(1), gpu(2), gpu(4)), CAPABILITIES, (*wanted("CPX/NPS1", 1), *wanted("DPX/NPS1", 2)))

# tests/tools/foreign unpacks it. Where the distribution has it and it is not there, these tests are red.
APT = shutil.which("apt-cache")
OFFERED = APT and not subprocess.run([APT, "show", "slurmd"], check=False, capture_output=True).returncode
pytestmark = pytest.mark.skipif(not OFFERED, reason="this distribution has no slurmd")


def slurmd(place: Path, lines: t.Sequence[str], node_line: str) -> list[tuple[str, int, str]]:
    """What a slurmd says that its node has: type, number and files, line for line. It looks for the devices."""
    for minor in range(128, 192):
        (place / f"renderD{minor}").symlink_to("/dev/null")
    (place / "gres.conf").write_text("\n".join(lines).replace("/dev/dri", str(place)) + "\n", encoding="utf-8")
    (place / "slurm.conf").write_text("\n".join([
        "ClusterName=test", f"SlurmctldHost={HERE}", "AuthType=auth/none", "CredType=cred/none", "SlurmUser=root",
        "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "GresTypes=gpu", f"PluginDir={SLURM / 'plugins'}",
        f"SlurmdSpoolDir={place}", node_line, f"PartitionName=all Nodes={HERE}", ""]), encoding="utf-8")
    libraries = f"{SLURM / 'libraries'}:{SLURM / 'plugins'}"
    answer = subprocess.run([SLURM / "sbin/slurmd", "-G", "-f", place / "slurm.conf"], timeout=60, check=False, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "LD_LIBRARY_PATH": libraries})
    said = [line for line in answer.stdout.splitlines() if "cgroup.conf" not in line]
    found = [re.search(r"Gres Name=gpu Type=(\S+) Count=(\d+) .*File=(\S+)", line) for line in said]
    assert answer.returncode == 0, said
    assert None not in found, said
    return [(match[1], int(match[2]), match[3].replace(str(place), "/dev/dri")) for match in found if match]


@pytest.mark.parametrize("shared", [False, True], ids=["a file of its own", "a file that nodes share"])
@pytest.mark.parametrize(("given", "expected"), [
    pytest.param(devices("CPX/NPS4"), [
        ("mi300x_cpx", 32, "/dev/dri/renderD[128-159]"), ("mi300x_cpx", 32, "/dev/dri/renderD[160-191]")], id="parts"),
    pytest.param(devices(), [
        ("mi300x", 4, "/dev/dri/renderD[128,136,144,152]"), ("mi300x", 4, "/dev/dri/renderD[160,168,176,184]")], id="whole"),
    pytest.param(MIXED, [
        ("mi300x", 1, "/dev/dri/renderD128"), ("mi300x_cpx", 8, "/dev/dri/renderD[136-143]"),
        ("mi300x_dpx", 2, "/dev/dri/renderD[144-145]"), ("mi300x", 1, "/dev/dri/renderD160")], id="both"),
])
def test_slurm_reads_the_devices_that_were_meant(tmp_path, given, expected, shared):
    found = gres(given, node_name=HERE if shared else "")
    lines = [*found.lines, *(gres(given, node_name="another").lines if shared else ())]
    # It orders them by type, as the node's line has them.
    assert sorted(slurmd(tmp_path, lines, slurm_node(HERE, found, {"CPUs": 2}))) == sorted(expected)


def test_slurm_takes_cores_as_they_are_given(tmp_path):
    found = gres(MIXED, cores={0: "0"})
    assert [line for line in found.lines if "Cores=0 " in line]
    assert sum(count for _kind, count, _files in slurmd(tmp_path, found.lines, slurm_node(HERE, found, {"CPUs": 2}))) == 12
