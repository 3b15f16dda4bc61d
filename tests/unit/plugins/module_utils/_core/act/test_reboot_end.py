# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a node is not back from its reboot."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.reboot_end import Told, trouble

TOLD = Told("6.12", "6.1", 900)
CHOSEN = {"boot_id": "b", "fallback": {"once": True}}
LATE = {"rebooted": True, "msg": "Timed out waiting for last boot time check", "failed": False}
SLOW = "the node did not come back within 900 s after it was told to boot kernel 6.12; "

CASES: dict[str, tuple[dict[str, t.Any], dict[str, t.Any], str]] = {
    "it is back": (CHOSEN, {"rebooted": True, "elapsed": 40}, ""),
    "it did not answer before": ({"unreachable": True}, {"skipped": True},
                                 "the node did not answer when it was to reboot, and was not rebooted"),
    "its shutdown failed": (CHOSEN, {"rebooted": False, "msg": "Reboot command failed"}, "the node did not reboot: Reboot command failed"),
    "it did not answer when it was told": (CHOSEN, {"unreachable": True, "msg": "no route"}, "the node did not reboot: no route"),
    "nobody says why": (CHOSEN, {}, "the node did not reboot: no reason was given; run again with -v"),
    "the old kernel is the default": (CHOSEN, LATE, SLOW + "kernel 6.1 boots by default, so a power cycle brings that back; look at its console"),
    "the new one is": ({"boot_id": "b", "fallback": {"once": False}}, LATE, SLOW + "no other kernel comes back by itself; look at its console"),
    "nothing was chosen": ({"boot_id": "b"}, LATE, SLOW + "no other kernel comes back by itself; look at its console"),
}


@pytest.mark.parametrize(("chosen", "restart", "sentence"), CASES.values(), ids=CASES)
def test_why_it_is_not_back(chosen: dict[str, t.Any], restart: dict[str, t.Any], sentence: str) -> None:
    assert trouble(chosen, restart, TOLD) == sentence
