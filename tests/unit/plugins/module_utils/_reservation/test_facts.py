# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a node decides what its settings are worth."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_marks import Facts
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_slurm import Slurm
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.plugins.module_utils._reservation import facts
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

TWO = {"/sys/fs/cgroup/cgroup.controllers": "cpuset cpu memory\n"}
ONE = {"/sys/fs/cgroup/devices/tasks": ""}
SLURM = Slurm("/etc/slurm/gres.conf", "/etc/slurm/cgroup.conf")


@pytest.mark.parametrize(("files", "slurm", "found"), [
    ({}, Slurm(), Facts()),
    (TWO, Slurm(), Facts(policies=True, cpusets=True)),
    ({"/sys/fs/cgroup/cgroup.controllers": "cpu memory\n"}, Slurm(), Facts(policies=True)),
    (ONE, Slurm(), Facts(policies=True)),
    ({**TWO, "/run/systemd/container": "podman"}, Slurm(), Facts()),
    ({"/etc/slurm/slurm.conf": "TaskPlugin=task/affinity,task/cgroup\n"}, SLURM, Facts(constrains=True)),
    ({"/etc/slurm/slurm.conf": "# TaskPlugin=task/cgroup\nTaskPlugin=task/affinity\n"}, SLURM, Facts()),
    ({"/etc/slurm/slurm.conf": "TaskPlugin=task/cgroup\n"}, Slurm(), Facts()),
    ({"/etc/slurm/slurm.conf": "ClusterName=x\n"}, SLURM, Facts()),
])
def test_facts(tree: Tree, files: dict[str, str], slurm: Slurm, found: Facts) -> None:
    assert facts.seen(tree.fill(files).machine(), slurm) == found


def test_what_cannot_be_read_was_not_seen(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = tree.fill(TWO).machine()

    def unreadable(path: str) -> str:
        raise UnreadableError(path)

    monkeypatch.setattr(machine, "text", unreadable)
    assert facts.seen(machine, SLURM) == Facts()
