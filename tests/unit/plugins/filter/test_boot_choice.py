# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter boot_choice takes what fleet_plan returned."""

from __future__ import annotations

import typing as t

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.instinct.fleet.plugins.filter.boot_choice import FilterModule

run = FilterModule().filters()["boot_choice"]
PLAN = {"release": {"kernel": {"wanted": "6.12"}}}


def test_the_kernel_that_runs_comes_back_unless_it_is_the_way_back() -> None:
    assert run(PLAN, "6.1") == run(PLAN, "6.1", "inventory") == {"next": "6.12", "default": "6.1"}
    assert run(PLAN, "6.1", "kept") == run(PLAN, "6.1", "", False) == {"next": "6.12", "default": "6.12"}


@pytest.mark.parametrize("plan", [None, {}, {"release": {}}, {"release": {"kernel": None}}])
def test_what_is_no_plan_is_refused(plan: t.Any) -> None:
    with pytest.raises(AnsibleFilterError, match="is given no plan; give what fleet_plan returned"):
        run(plan, "6.1")
