# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Verdicts as plain data."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict import judge
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_holder import Held
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_plain import plain
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_proof import Proof
from ansible_collections.instinct.fleet.tests.unit.support.trespass import DEVICES, RECORD, A, holder


def said(*verdicts: str) -> dict[str, t.Any]:
    proofs = None if verdicts == ("none",) else [Proof("x", A.id, "p", True, False, verdict, "it opens") for verdict in verdicts]
    return plain(judge(RECORD, DEVICES, Held((holder(8, A, user="bob", since="2026-01-01T00:00:00Z"),))), proofs, {"x": "y"}, True)


def test_a_node() -> None:
    found = said("none")
    assert (found["verdict"], found["recorded"], found["proved"], found["proofs"], found["unknown"]) == ("trespass", True, None, None, {"x": "y"})
    assert [one["subject"] for one in found["findings"]] == [A.id]
    first = found["devices"][0]
    assert {**first, "holders": len(first["holders"])} == {
        "id": A.id, "gpu": A.gpu, "render_node": "/dev/dri/renderD128", "uuid": None, "product": "MI210", "state": "reserved",
        "reservations": ["serve"], "tenants": ["inference"], "priority": "P0", "verdict": "trespass", "holders": 1,
        "why": "pid 8 is of tenant training (user bob), and the device is reserved for inference"}
    one = first["holders"][0]
    assert (one["pid"], one["since"], one["vram_bytes"], one["queues"], one["tenant"], one["by"], one["verdict"]) == (
        8, "2026-01-01T00:00:00Z", 1 << 30, 1, "training", "user bob", "trespass")
    assert "holds" not in one and found["devices"][3]["priority"] is found["devices"][3]["why"] is None


@pytest.mark.parametrize(("verdicts", "proved"), [
    ((), "unknown"), (("ok", "ok"), "ok"), (("ok", "unknown"), "unknown"), (("locked_out", "unknown"), "locked_out"),
    (("trespass", "locked_out"), "trespass")])
def test_the_worst_of_the_proofs(verdicts: tuple[str, ...], proved: str) -> None:
    assert said(*verdicts)["proved"] == proved


def test_nothing_is_known_of_a_node_without_devices() -> None:
    assert plain((), None, {}, False)["verdict"] == "unknown"
