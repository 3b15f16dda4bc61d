# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""fleet_plan: what it makes of a host's variables and its look."""

from __future__ import annotations

import dataclasses as dc
import typing as t
from unittest import mock

import pytest
from ansible.errors import AnsibleActionFail

from ansible_collections.instinct.fleet.plugins.action import fleet_plan
from ansible_collections.instinct.fleet.tests.unit.support.way_back import kept, settled
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node

VARIABLES = {"gpu_release_name": "rocm-7.2.3", "ansible_run_tags": ["all"], "ansible_skip_tags": []}


class Templar:
    """Templates by a table; everything else stands for itself."""

    def template(self, value: t.Any) -> t.Any:
        return {"{{ wanted }}": "rocm-7.2.4"}.get(value, value) if isinstance(value, str) else value


def run(
    check: bool = False,
    diff: bool = False,
    look: dict[str, t.Any] | None = None,
    roles: list[str] | None = None,
    previous: dict[str, t.Any] | None = None,
    args: dict[str, t.Any] | None = None,
    **variables: t.Any,
) -> dict[str, t.Any]:
    given = {"look": look or dc.asdict(bare_node()), "roles": roles, "previous": previous, **(args or {})}
    args = {name: value for name, value in given.items() if value is not None}
    task = mock.Mock(async_val=0, args=args, check_mode=check, diff=diff)
    action = fleet_plan.ActionModule(task, mock.Mock(), mock.Mock(), mock.Mock(), Templar(), mock.Mock())
    return action.run(task_vars=VARIABLES | variables)


def test_in_check_mode_a_plan_with_steps_is_a_change_and_otherwise_not():
    assert (run(check=True)["changed"], run()["changed"], run()["todo"]) == (True, False, True)
    assert (run(check=True)["check_mode"], run()["check_mode"]) == (True, False)


def test_the_result_has_plans_words_release_and_facts():
    result = run()
    assert list(result["plans"]) == ["gpu_firmware", "gpu_driver", "rocm_userspace", "node_maintenance", "gpu_release"]
    assert result["release"]["name"] == "rocm-7.2.3"
    assert result["ansible_facts"] == {"gpu_driver_reboot_required": False}
    assert (result["report"]["wanted"], result["report"]["found"]) == ("rocm-7.2.3", "nothing")
    assert len(result["actions"]) == sum(len(plan["steps"]) for plan in result["plans"].values())
    assert "diff" not in result


def test_what_is_left_are_all_steps_but_those_of_the_record():
    result = run()
    steps = {role: [step["words"] for step in plan["steps"]] for role, plan in result["plans"].items()}
    assert result["left"] == [words for role, of in steps.items() if role != "gpu_release" for words in of] != []
    assert result["actions"] == [*result["left"], *steps["gpu_release"]] != result["left"]


def test_what_was_found_first_is_kept_from_the_previous_report():
    assert run(previous={"planned": [], "found": "rocm-6.4.1"})["report"]["found"] == "rocm-6.4.1"


def test_a_diff_is_given_when_it_is_asked_for():
    assert any(entry["after_header"].startswith("gpu_driver: hold ") for entry in run(diff=True)["diff"])


def test_variables_are_templated():
    assert run(gpu_release_name="{{ wanted }}")["release"]["name"] == "rocm-7.2.4"


def test_tags_choose_the_roles():
    assert list(run(ansible_run_tags=["rocm_userspace"])["plans"]) == ["rocm_userspace"]


def test_only_the_roles_asked_for_are_planned():
    assert list(run(roles=["gpu_release", "gpu_driver"])["plans"]) == ["gpu_driver", "gpu_release"]


def test_a_role_that_there_is_not_is_refused():
    with pytest.raises(AnsibleActionFail, match="gpu_drvier"):
        run(roles=["gpu_drvier"])


@pytest.mark.parametrize(
    ("variables", "where"),
    [
        ({"gpu_release_name": "rocm-0.0.1"}, "gpu_release_name"),
        ({"gpu_driver_sorce": "dkms"}, "variable gpu_driver_sorce"),
        ({"gpu_driver_source": "kernel"}, "gpu_driver_source"),
        ({"look": {"os": []}}, "look.os"),
    ],
)
def test_a_refusal_is_a_failure_with_its_parts(variables, where):
    result = run(**variables)
    assert result["failed"] is True
    assert result["failure"]["where"] == where
    assert result["msg"].startswith(where)


def test_what_was_kept_is_planned_for():
    before = settled("rocm-7.0.2")
    node = dc.asdict(settled("rocm-7.2.3", before))
    result = run(look=node, args={"against": "kept", "kept": kept(before), "offline": True})
    assert (result["release"]["name"], result["fetches"]) == ("rocm-7.0.2", True)
    refused = run(look=node, args={"against": "kept", "kept": {"id": "s1"}})
    assert (refused["failed"], refused["msg"]) == (True, "kept: release: is missing; add it")
