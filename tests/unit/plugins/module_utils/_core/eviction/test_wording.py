# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evictions in words: a dry run names exactly who would be signalled, how and in which order."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.order import plan
from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.shape import Target
from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.wording import (
    foretold,
    named,
    refusal,
    sending,
)
from ansible_collections.instinct.fleet.tests.unit.support.evictions import RECORD, RULES, C, D, holder, request

THERE = [holder(9, "train", C), holder(10, "train", C), holder(8, "dev", C, D, unit="container:0123456789ab"), holder(7, None, C)]
SAVES = ["send SIGUSR1 to pid 8 of tenant dev to save its state, and wait at most 5 s",
         "run the checkpoint of tenant train for pid 9, 10 (/opt/save, at most 60 s)"]
GO = ["send SIGTERM to pid 7 (python3, bob, of no tenant), class P2, on 0000:46:00.0 (12.0 GiB); grace 15 s",
      "send SIGTERM to pid 8 (python3, bob, container 0123456789ab, tenant dev), class P2, on 0000:46:00.0 (12.0 GiB), "
      "0000:65:00.0 (12.0 GiB); grace 15 s",
      "send SIGTERM to pid 9 (python3, bob, tenant train), class P1, on 0000:46:00.0 (12.0 GiB); grace 30 s",
      "send SIGTERM to pid 10 (python3, bob, tenant train), class P1, on 0000:46:00.0 (12.0 GiB); grace 30 s"]


def test_what_a_dry_run_says() -> None:
    asked = request(C)
    assert foretold(plan(asked, THERE, RECORD, RULES), asked) == (GO[0], SAVES[0], GO[1], SAVES[1], *GO[2:])


def test_who_has_no_way_to_save_its_state_is_told_to_go_at_once() -> None:
    record = dc.replace(RECORD, tenants=())
    asked = request(C)
    assert foretold(plan(asked, [holder(9, "train", C)], record, RULES), asked) == (GO[2],)


def test_what_is_skipped_and_what_is_allowed_is_said() -> None:
    asked = request(C, checkpoint="skipped", kill_allowed=True)
    assert foretold(plan(asked, THERE, RECORD, RULES), asked) == tuple(f"{line}, then SIGKILL" for line in GO)


def test_a_name_does_not_move_the_cursor_and_unknown_memory_is_said() -> None:
    odd = holder(7, None, command="a\x1b[2J\nb", devices={C: None})
    assert named(odd) == "pid 7 (a?[2J?b, bob, of no tenant)"
    assert named(holder(7, None, C, unknown="no /proc")) == "pid 7 (python3, bob, tenant unknown)"
    assert sending("SIGKILL", Target(odd, "P2")) == (
        "send SIGKILL to pid 7 (a?[2J?b, bob, of no tenant), class P2, on 0000:46:00.0 (memory unknown)")


@pytest.mark.parametrize(("allowed", "hint"), [
    ({}, "allow more (kill_allowed, reset_allowed), or wait and run again"),
    ({"kill_allowed": True}, "allow more (reset_allowed), or wait and run again"),
    ({"kill_allowed": True, "reset_allowed": True}, "reboot the node, or wait and run again"),
])
def test_a_refusal_says_what_else_could_be_allowed(allowed: dict[str, bool], hint: str) -> None:
    assert refusal(["a: x", "b: y"], request(C, **allowed)) == ("2 devices not released: a: x; b: y", hint)
