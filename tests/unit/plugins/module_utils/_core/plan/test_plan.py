# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans as data for roles and as diffs for people."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Plan, Step

PLAN = Plan(
    "gpu_driver",
    (
        Step("hold", "hold a", after="a", data={"packages": ["a"]}),
        Step("refresh", "refresh"),
        Step("hold", "hold b", before="x", after="b"),
    ),
    reboot="kernel 2 must boot",
)


def test_a_plan_without_steps_is_empty_even_if_a_reboot_is_pending():
    assert Plan("r", reboot="because").empty
    assert not PLAN.empty


def test_plain_data_groups_steps_by_action_in_order():
    data = PLAN.to_dict()
    assert list(data["by_action"]) == ["hold", "refresh"]
    assert [s["words"] for s in data["by_action"]["hold"]] == ["hold a", "hold b"]
    assert data["by_action"]["hold"][0]["data"] == {"packages": ["a"]}
    assert (data["reboot"], data["empty"]) == ("kernel 2 must boot", False)


def test_diff_has_one_entry_per_step_that_changes_something_visible():
    assert PLAN.diff() == [
        {"before": "", "after": "a\n", "before_header": "gpu_driver: hold a", "after_header": "gpu_driver: hold a"},
        {"before": "x\n", "after": "b\n", "before_header": "gpu_driver: hold b", "after_header": "gpu_driver: hold b"},
    ]
