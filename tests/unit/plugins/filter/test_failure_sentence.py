# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentence of a failure is the one that the callback shows."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.filter.failure_sentence import FilterModule

CASES: dict[str, tuple[dict[str, t.Any], str]] = {
    "a message": ({"msg": "Task failed: Module failed: x: no\x1b[31m"}, "x: no [31m"),
    "a file that is not there": ({"reason": "Could not find specified file in role: tasks/x"},
                                 "Could not find specified file in role: tasks/x"),
    "a command": ({"msg": "non-zero return code", "rc": 3, "stderr": "a\nno room\n"}, "non-zero return code: no room"),
    "nothing": ({}, "no reason was given; run again with -v"),
}


@pytest.mark.parametrize(("result", "said"), CASES.values(), ids=CASES)
def test_failure_sentence(result: dict[str, t.Any], said: str) -> None:
    assert FilterModule().filters()["failure_sentence"](result) == said
