# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users and groups of the node."""

from __future__ import annotations

import grp
import os
import pwd
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_groups import Step
from ansible_collections.instinct.fleet.plugins.module_utils._reservation import accounts


def test_groups_of_the_node_and_users_that_exist() -> None:
    me = pwd.getpwuid(os.getuid())
    found = accounts.seen([me.pw_name, "no-such-user"])
    assert found.uids == {me.pw_name: me.pw_uid}
    first = grp.getgrall()[0]
    assert found.groups[first.gr_name] == (first.gr_gid, tuple(first.gr_mem))
    assert me.pw_name in found.primary[me.pw_gid]


def test_groups_of_logins_are_those_of_all_their_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "_PROC", str(tmp_path))
    for pid, uid, groups in ((11, 1001, "4"), (12, 1001, "998"), (13, 1002, "997"), (14, 0, "4")):
        (tmp_path / str(pid)).mkdir()
        (tmp_path / str(pid) / "status").write_text(f"Name:\ta\nUid:\t{uid}\t0\t0\t0\nGid:\t{uid}\t0\t0\t0\nGroups:\t{groups} \n")
        (tmp_path / str(pid) / "cgroup").write_text("0::/user.slice/user-1001.slice/session-1.scope\n" if pid < 13 else "0::/init.scope\n")
    (tmp_path / "15").mkdir()  # it has ended
    (tmp_path / "meminfo").write_text("")
    assert accounts.seen(()).logins == {1001: frozenset({0, 4, 998, 1001})}


def test_steps_are_taken_in_order_until_one_fails(tmp_path: object) -> None:
    made = [Step(f"make {name}", ("mkdir", f"{tmp_path}/{name}")) for name in ("a", "a/b", "c/d", "e")]
    with pytest.raises(FleetError, match=r"^make c/d: failed: mkdir: .*No such file or directory; mend that on the node"):
        accounts.carry_out(made)
    assert sorted(name for _path, folders, _files in os.walk(str(tmp_path)) for name in folders) == ["a", "b"]


def test_a_step_that_says_nothing_has_its_code() -> None:
    with pytest.raises(FleetError, match=r"^fail: failed: exit code 1; "):
        accounts.carry_out([Step("fail", ("false",))])
