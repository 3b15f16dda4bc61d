# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of daemons, from their control groups and /proc."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Limits
from ansible_collections.instinct.fleet.plugins.module_utils._node import limits
from ansible_collections.instinct.fleet.plugins.module_utils._node.notes import Notes
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

UNLIMITED = "Max locked memory         unlimited            unlimited            bytes     \nMax open files  131072  131072  files\n"


@pytest.mark.parametrize(("cgroup", "place"), [
    ("0::/init.scope\n", "/sys/fs/cgroup/system.slice"), ("12:pids:/x\n1:name=systemd:/init.scope\n0::/\n", "/sys/fs/cgroup/systemd/system.slice"),
    ("0::/pod/a1/init.scope\nodd\n", "/sys/fs/cgroup/pod/a1/system.slice"), ("0::/\n", "/sys/fs/cgroup/system.slice")])
def test_daemons(tree: Tree, cgroup: str, place: str) -> None:
    tree.write("/proc/1/cgroup", cgroup)
    tree.fill({f"{place}/slurmd.service/cgroup.procs": "40\n41\n", f"{place}/docker.service/cgroup.procs": "50\nx\n",
               f"{place}/kubelet.service/cgroup.procs": "", "/proc/1/comm": "init\n",
               "/proc/40/comm": "bash\n", "/proc/41/comm": "slurmd\n", "/proc/41/limits": UNLIMITED,
               "/proc/50/comm": "dockerd\n", "/proc/50/limits": "no table\n"})
    notes = Notes()
    assert limits.read(tree.machine(), notes) == (
        Limits("init", 1), Limits("slurmd", 41, -1, 131072), Limits("dockerd", 50))
    assert notes == {}


def test_what_cannot_be_read(tree: Tree) -> None:
    tree.folder("/proc/1/limits")
    tree.write("/proc/1/cgroup", "0::/init.scope\n")
    tree.folder("/sys/fs/cgroup/system.slice/slurmd.service/cgroup.procs")
    notes = Notes()
    assert limits.read(tree.machine(), notes) == (Limits("systemd", 1),)
    assert notes == {"limits.1": "/proc/1/limits: Is a directory",
                     "limits": "/sys/fs/cgroup/system.slice/slurmd.service/cgroup.procs: Is a directory"}
