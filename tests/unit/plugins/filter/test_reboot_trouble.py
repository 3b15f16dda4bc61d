# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter reboot_trouble takes what tasks registered."""

from __future__ import annotations

import typing as t

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.instinct.fleet.plugins.filter.reboot_trouble import FilterModule

run = FilterModule().filters()["reboot_trouble"]


def test_a_node_that_is_back_and_one_that_is_not() -> None:
    assert run({"rebooted": True}, {"boot_id": "b"}, "6.12", "6.1", 900) == ""
    late = run({"rebooted": True, "msg": "Timed out"}, {"boot_id": "b", "fallback": {"once": True}}, "6.12", "6.1", "900")
    assert late.startswith("the node did not come back within 900 s") and "kernel 6.1 boots by default" in late


@pytest.mark.parametrize(("restart", "chosen"), [("x", {}), ({}, None)])
def test_what_is_no_result_is_refused(restart: t.Any, chosen: t.Any) -> None:
    with pytest.raises(AnsibleFilterError, match="is given no result of a module"):
        run(restart, chosen, "6.12", "6.1", 900)
