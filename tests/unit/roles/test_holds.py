# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds that are lifted for a change come back, whatever becomes of the change."""

from __future__ import annotations

import typing as t

from ansible_collections.instinct.fleet.tests.unit.support.project import data

HOLD = "instinct.fleet.package_hold"


def holds(tasks: list[dict[str, t.Any]], state: str) -> set[str]:
    """Steps whose packages the tasks bring into a state."""
    return {step for task in tasks if task.get(HOLD, {}).get("state", "held") == state and HOLD in task
            for step in ("unhold", "let_go", "hold") if f".{step}." in task[HOLD]["names"]}


def test_what_is_lifted_is_held_again_where_it_is_still_installed() -> None:
    (change,) = t.cast("list[dict[str, t.Any]]", data("roles/gpu_driver/tasks/packages.yml"))
    assert holds(change["block"], "unheld") == {"unhold", "let_go"}
    assert holds(change["always"], "held") == {"unhold", "hold"}
    assert all(task[HOLD]["missing"] == "skip" for task in change["always"])
