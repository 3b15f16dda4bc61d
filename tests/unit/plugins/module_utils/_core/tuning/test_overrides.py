# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What files set after ours."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.overrides import (
    Line,
    limit_lines,
    overriding,
    spaced,
    sysctl_lines,
)
from ansible_collections.instinct.fleet.tests.unit.support.tuning import SYSCTL, USERS

NAME = "vm.compaction_proactiveness"


def test_lines_of_sysctl_files() -> None:
    text = f"# {NAME} = 9\n; x.y=1\n\n{NAME} = 5\n-net/core/wmem_max=1\nnet.ipv4.tcp_rmem=4096\t87380  6291456\nno line\n"
    assert [(line.name, line.value) for line in sysctl_lines("p", text)] == [
        (NAME, "5"), ("net.core.wmem_max", "1"), ("net.ipv4.tcp_rmem", "4096 87380 6291456")]


def test_lines_of_limit_files_are_those_for_everybody() -> None:
    text = "* soft memlock 64 # why\n@gpu hard memlock 1\n* - nofile -1\nroot - memlock 2\n* maybe memlock 3\n* hard\n"
    assert [(line.name, line.value) for line in limit_lines("p", text, "user_limit")] == [("memlock", "64"), ("nofile", "unlimited")]


@pytest.mark.parametrize(("line", "sentence"), [
    (Line("/etc/sysctl.conf", "sysctl", NAME, "20"), ""),
    (Line("/etc/sysctl.conf", "sysctl", "vm.swappiness", "0"), ""),
    (Line("/etc/x.conf", "user_limit", NAME, "0"), ""),
    (Line("/etc/sysctl.conf", "sysctl", NAME, "0"),
     f"/etc/sysctl.conf: sets {NAME} to 0 after setting compaction, which wants 20; take it out there, or name compaction in host_tuning_skip"),
])
def test_a_later_value_is_refused_where_it_is_another(line: Line, sentence: str) -> None:
    found = overriding(SYSCTL, [line])
    assert (found.sentence if found else "") == sentence


def test_a_later_limit_is_refused() -> None:
    assert overriding(USERS, limit_lines("p", "* hard memlock 64", "user_limit"))
    assert not overriding(USERS, limit_lines("p", "* hard memlock infinity", "user_limit"))


def test_the_kernel_answers_with_tabs() -> None:
    assert spaced("4096\t87380\t6291456\n") == "4096 87380 6291456"
