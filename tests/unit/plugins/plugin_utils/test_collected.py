# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a report collects of the hosts of a play."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.plugin_utils import collected, endings
from ansible_collections.instinct.fleet.tests.unit.support.hostvars import HostVars


@pytest.mark.parametrize(("chosen", "known", "hosts"), [
    (None, {"ansible_play_hosts_all": ["a", "b"]}, ["a", "b"]),
    (["b"], {"ansible_play_hosts_all": ["a", "b"]}, ["b"]),
    ([], {"ansible_play_hosts_all": ["a", "b"]}, []),
    ([7], {}, ["7"]),
    (None, {}, []),
])  # fmt: skip
def test_hosts_are_those_of_the_play_or_chosen(chosen: list[t.Any] | None, known: dict[str, t.Any], hosts: list[str]) -> None:
    assert collected.hosts(chosen, known) == hosts


@pytest.mark.parametrize(("known", "variables"), [
    ({"hostvars": HostVars(a={"x": 1})}, {"x": 1}), ({"hostvars": {"a": {"x": 1}}}, {"x": 1}), ({"hostvars": HostVars(b={})}, {}), ({}, {})])
def test_variables_are_not_templated(known: dict[str, t.Any], variables: dict[str, t.Any]) -> None:
    assert collected.variables(known, "a") == variables


@pytest.mark.parametrize(("result", "said"), [
    (None, None), (5, None), ({"msg": "Task failed: as it is"}, {"msg": "Task failed: as it is"}),
    ({"failed": True, "msg": "Task failed: x"}, {"failed": True, "msg": "x"}),
    ({"unreachable": True, "msg": "Task failed: no route"}, {"unreachable": True, "msg": "no route"}),
])  # fmt: skip
def test_what_a_task_said(result: t.Any, said: dict[str, t.Any] | None) -> None:
    assert collected.said(result) == said


def test_why_a_host_failed() -> None:
    endings.begin(80)
    endings.tell("a", "failed", "it broke")
    assert (collected.why("a"), collected.why("b")) == ("it broke", "")
    rescued = {"ansible_failed_result": {"failed": True, "msg": "Task failed: x"}}
    assert [collected.why(host, rescued) for host in "ab"] == ["it broke", "x"]
    assert (collected.why("b", {"ansible_failed_result": {}}), collected.why("b", {})) == ("", "")
