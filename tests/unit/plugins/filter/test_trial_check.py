# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter trial_check takes what the task registered."""

from __future__ import annotations

import typing as t

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.instinct.fleet.plugins.filter.trial_check import FilterModule

run = FilterModule().filters()["trial_check"]


def test_a_trial_that_failed_is_a_refusal() -> None:
    assert run({"trial": []}, {"failed": True, "msg": "x"}) == {"name": "trial", "verdict": "refused", "words": "x"}


@pytest.mark.parametrize(("steps", "built"), [("x", {}), ({}, None)])
def test_what_is_no_result_is_refused(steps: t.Any, built: t.Any) -> None:
    with pytest.raises(AnsibleFilterError, match="is given no steps of a plan, or no result of a module"):
        run(steps, built)
