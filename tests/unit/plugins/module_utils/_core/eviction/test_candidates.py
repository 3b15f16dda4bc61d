# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From verdicts over a node to those who may be evicted."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.candidates import candidates
from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.life import Life
from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.shape import Holder
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import P0, Tenant
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict import judge
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_holder import Held, Hold
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_holder import Holder as Seen
from ansible_collections.instinct.fleet.tests.unit.support.evictions import DEVICES, RECORD, A, B, C, D, grant

BOB = Seen(7, 1007, user="bob", units=("user.slice", "train.service"), command="python3", holds=(Hold(A, 5), Hold(C, None), Hold(D, 0, 0)))
LIFE = Life(1007, "S", 1, 70, False)


def seen(one: Seen, life: Life | None = LIFE, own: frozenset[int] = frozenset()) -> Holder:
    """What becomes of one process."""
    verdicts = judge(RECORD, DEVICES, Held((one,)))
    (found,) = candidates(verdicts, {one.pid: life}, {one.pid: 42}, own)
    return found


def test_a_process_on_several_devices_is_one_with_what_it_really_holds() -> None:
    assert seen(BOB) == Holder(7, 1007, "python3", "bob", "train.service", "train", "", {A: 5, C: None}, frozenset({A}), 70, 42, tenants=("train",))


@pytest.mark.parametrize(("life", "own", "state", "start"), [
    (LIFE, frozenset(), "", 1007), (None, frozenset(), "ended", None),
    (dc.replace(LIFE, state="Z"), frozenset(), "ended", 1007), (dc.replace(LIFE, start=2000), frozenset(), "ended", None),
    (dc.replace(LIFE, state="Z", threads=2), frozenset(), "", 1007),
    (LIFE, frozenset({7}), "untouchable", 1007), (dc.replace(LIFE, kernel=True), frozenset(), "untouchable", 1007),
], ids=["alive", "gone", "nobody waited for it", "another has its number", "its first thread ended", "above this run", "of the kernel"])
def test_what_can_be_signalled(life: Life | None, own: frozenset[int], state: str, start: int | None) -> None:
    found = seen(BOB, life, own)
    assert (found.state, found.start) == (state, start)


@pytest.mark.parametrize(("changed", "unit", "tenant", "unknown"), [
    ({"container": "0123456789abcdef", "engine": "podman", "label": "train"}, "container:0123456789ab", "train", ""),
    ({"units": (), "user": "eve"}, None, None, ""),
    ({"user": None, "unknown": {"user": "no /proc"}}, "train.service", None, "no /proc"),
], ids=["in a container", "nobody's", "whose is unknown"])
def test_where_it_runs_and_whose_it_is(changed: dict[str, object], unit: str | None, tenant: str | None, unknown: str) -> None:
    found = seen(dc.replace(BOB, holds=(Hold(B, 5),), **changed))
    assert (found.unit, found.tenant, found.unknown) == (unit, tenant, unknown)
    assert found.trespasses == (frozenset() if unknown else {B})


def test_who_is_of_two_tenants_and_at_home_with_one() -> None:
    record = dc.replace(RECORD, tenants=(*RECORD.tenants, Tenant("more", users=("bob",))), grants=(*RECORD.grants, grant("m", "more", P0, DEVICES[3])))
    verdicts = judge(record, DEVICES, Held((dc.replace(BOB, holds=(Hold(A, 5), Hold(D, 5))),)))
    (found,) = candidates(verdicts, {7: LIFE}, {}, ())
    assert (found.tenant, found.tenants, found.trespasses) == ("more", ("train", "more"), {A})
