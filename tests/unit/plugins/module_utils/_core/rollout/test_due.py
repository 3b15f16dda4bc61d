# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a plan an upgrade needs to know before it begins."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import due as core
from ansible_collections.instinct.fleet.tests.unit.support.plans_due import BUILD, K1, K2, QUESTION, TRIAL, due, plan


def test_what_a_plan_says() -> None:
    seen = due(QUESTION, TRIAL, BUILD, problems=["p"], reboot="r")
    assert (seen.manager, seen.problems, seen.reboot, seen.kernel, seen.new, seen.product) == (
        "apt", ("p",), "r", K2, True, "MI300X")
    assert (seen.question, seen.builds) == (QUESTION[2], (K1, K2))
    assert not due(there=(K2,)).new
    bare = core.due({**plan(wanted=None), "release": {
        "kernel": {"wanted": None}, "os": {"manager": "dnf"}, "gpus": []}}, ())
    assert (bare.kernel, bare.new, bare.product, bare.question, bare.builds) == ("", False, "", {}, ())
