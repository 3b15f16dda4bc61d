# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What came of questions, as a whole."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.check import Check, refusal


def test_a_refusal_names_all_that_refuse() -> None:
    checks = [Check("a", "refused", "x"), Check("b", "unknown", "y"), Check("c", "refused", "z"), Check("d", "ok", "k")]
    assert refusal(checks) == "x; z"
    assert checks[0].to_dict() == {"name": "a", "verdict": "refused", "words": "x"}
