# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever happened to a node, one run brings it to its release, and a second plan is empty."""

from __future__ import annotations

import collections

from hypothesis import given, settings

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.tests.unit.properties import histories as hs
from ansible_collections.instinct.fleet.tests.unit.support import world


def lived(history: list[hs.Event]) -> lk.Look:
    """A node with a past. A run that was refused on the way left it as it was."""
    node = world.bare_node()
    for event in history:
        try:
            node = event(node)
        except FleetError:
            continue
    return node


def steps(node: lk.Look, wish: hs.Wish) -> dict[str, list[str]]:
    """What is left to do, by role."""
    return {role: [s.words for s in plan.steps] for role, plan in wish.plans(node).items() if plan.steps}


def story(node: lk.Look, wish: hs.Wish) -> str:
    """Hold one run against its plan; how it went, in a word."""
    try:
        planned = steps(node, wish)
    except FleetError:
        return "refused"
    after = hs.run(node, wish)
    assert steps(after, wish) == {}
    reboot = wish.plans(after)["gpu_driver"].reboot
    if not reboot:
        return "changed" if planned else "nothing to do"
    assert not wish.reboot_allowed
    after = hs.rebooted(after)
    assert steps(after, wish) == {}
    assert wish.plans(after)["gpu_driver"].reboot == ""
    return "waited for a reboot"


def test_one_run_is_enough_whatever_was_before() -> None:
    went: collections.Counter[str] = collections.Counter()

    @settings(max_examples=400, deadline=None, derandomize=True, database=None)
    @given(hs.histories, hs.wishes)
    def check(history: list[hs.Event], wish: hs.Wish) -> None:
        went[story(lived(history), wish)] += 1

    check()
    # The examples are worth something only if they are of every kind.
    assert {"refused", "changed", "waited for a reboot"} <= set(went)
    assert went["changed"] + went["waited for a reboot"] > went["refused"]
