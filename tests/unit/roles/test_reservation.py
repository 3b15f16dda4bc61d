# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_reservation: options reach their modules."""

from __future__ import annotations

import typing as t

import jinja2
import pytest

from ansible_collections.instinct.fleet.plugins.action import gpu_reservation_files
from ansible_collections.instinct.fleet.plugins.modules import gpu_reservation
from ansible_collections.instinct.fleet.tests.unit.support.project import data

Task = dict[str, t.Any]


def tasks(name: str) -> list[Task]:
    return t.cast("list[Task]", data(f"roles/gpu_reservation/tasks/{name}.yml"))


def test_the_command_is_there_before_rules_and_units_call_it() -> None:
    assert [task["ansible.builtin.include_tasks"] for task in tasks("main")] == ["agree.yml", "keep.yml", "apply.yml", "refresh.yml"]


@pytest.mark.parametrize(("name", "module", "spec"), [
    ("apply", "gpu_reservation", gpu_reservation.SPEC), ("keep", "gpu_reservation_files", gpu_reservation_files.SPEC)])
def test_every_option_of_a_module_is_given(name: str, module: str, spec: Task) -> None:
    assert set(tasks(name)[0][f"instinct.fleet.{module}"]) == set(spec)


@pytest.mark.parametrize(("variables", "gid", "agrees"), [
    ({}, None, True),
    ({"rocm_userspace_render_gid": 1200}, 1200, True),
    ({"gpu_reservation_render_gid": 992}, 992, True),
    ({"gpu_reservation_render_gid": "1200", "rocm_userspace_render_gid": 1200}, 1200, True),
    ({"gpu_reservation_render_gid": 992, "rocm_userspace_render_gid": 1200}, None, False),
])
def test_the_render_group_has_one_number_for_all_roles(variables: Task, gid: int | None, agrees: bool) -> None:
    (agree,), (apply,) = tasks("agree"), tasks("apply")
    evaluate = jinja2.Environment().compile_expression
    assert evaluate(agree["ansible.builtin.assert"]["that"])(**variables) is agrees
    if agrees:
        found = evaluate(apply["instinct.fleet.gpu_reservation"]["render_gid"].strip("{} "))(omit="omitted", **variables)
        assert found == ("omitted" if gid is None else next(iter(variables.values())))
