# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter upgrade_retreat takes what a task has, and refuses what is no node."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.instinct.fleet.plugins.filter.upgrade_retreat import FilterModule

run = FilterModule().filters()["upgrade_retreat"]


def test_what_becomes_of_a_node() -> None:
    assert run({"halfway": False, "snapshot": "s0"}, {"word": "gate"}, "s1", True) == {"snapshot": "s1", "out": True, "state": "failed"}
    assert run({"halfway": False, "snapshot": "s0"}, {"word": "trial"}, "s1", True) == {"snapshot": "", "out": False, "state": "failed"}


def test_what_is_no_node_is_refused() -> None:
    with pytest.raises(AnsibleFilterError, match="is given no node"):
        run("n1", {}, "s1", True)


@pytest.mark.parametrize(("allowed", "to"), [(True, "s1"), ("true", "s1"), (False, ""), ("false", ""), ("no", "")])
def test_whether_it_may_go_back_is_read_as_a_command_line_says_it(allowed: object, to: str) -> None:
    assert run({"halfway": False}, {"word": "gate"}, "s1", allowed)["snapshot"] == to


def test_what_is_neither_true_nor_false_is_refused() -> None:
    with pytest.raises(AnsibleFilterError, match="fleet_upgrade_rollback: is 'flase'; write true or false"):
        run({"halfway": False}, {"word": "gate"}, "s1", "flase")


def test_what_is_no_step_is_refused() -> None:
    with pytest.raises(AnsibleFilterError, match="is given no step"):
        run({"halfway": False}, "gate", "s1", True)
