# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who goes, in which order, who stays and why; and what is refused before the first signal."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.order import (
    heirs,
    plan,
    refuse_classes,
    still,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.eviction.shape import Holder, Plan, Target, Wave
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Checkpoint, Record
from ansible_collections.instinct.fleet.tests.unit.support.evictions import (
    DEV,
    DEVICES,
    RECORD,
    RULES,
    TRAIN,
    A,
    B,
    C,
    D,
    grant,
    holder,
    request,
)


def pids(found: Plan) -> list[tuple[str, int, list[int]]]:
    """Class, grace and pids of each wave."""
    return [(wave.priority, wave.grace, [target.holder.pid for target in wave.targets]) for wave in found.waves]


def test_strangers_go_first_then_p2_then_p1_each_with_its_grace_and_its_way_to_save() -> None:
    there = [holder(9, "train", C), holder(8, "dev", C), holder(7, None, C), holder(6, "train", C)]
    found = plan(request(C), there, RECORD, RULES)
    assert pids(found) == [("nobody's", 15, [7]), ("P2", 15, [8]), ("P1", 30, [6, 9])]
    saving = [target.checkpoint for wave in found.waves for target in wave.targets]
    assert saving == [Checkpoint(), DEV.checkpoint, TRAIN.checkpoint, TRAIN.checkpoint]
    assert [target.priority for wave in found.waves for target in wave.targets] == ["P2", "P2", "P1", "P1"]
    assert (found.kept, found.stuck) == ((), ())


def test_who_holds_other_devices_is_left_alone() -> None:
    assert plan(request(C), [holder(7, None, D), holder(8, "serve", A)], RECORD, RULES) == Plan()


def test_trespassers_alone_are_evicted_if_that_is_asked() -> None:
    there = [holder(7, "train", A, trespasses=frozenset({A})), holder(8, "serve", A),
             holder(9, "train", B, trespasses=frozenset({B}))]
    assert pids(plan(request(A, whom="trespassers"), there, RECORD, RULES)) == [("P1", 30, [7])]


def test_grace_may_be_set_also_to_none() -> None:
    there = [holder(7, None, C), holder(8, "dev", C), holder(9, "train", C)]
    assert pids(plan(request(C, grace={"P2": 0, "P1": 600}), there, RECORD, RULES)) == [
        ("nobody's", 0, [7]), ("P2", 0, [8]), ("P1", 600, [9])]


@pytest.mark.parametrize(("one", "fields", "reason"), [
    (holder(7, "train", C), {"classes": ("P2",)}, "class P1 is not among those that may be evicted"),
    (holder(7, None, C), {"classes": ("P1",)}, "class P2 is not among those that may be evicted"),
    (holder(1, None, C, state="untouchable"), {}, "it is of the system, or runs this eviction"),
    (holder(7, None, C, unknown="no /proc"), {}, "whose it is is unknown: no /proc"),
    (holder(7, None, C, unknown="no /proc"), {"whom": "trespassers"}, "whose it is is unknown: no /proc"),
    (holder(7, "train", C, start=None), {}, "whose it is is unknown: when it began cannot be read"),
    (holder(7, "mixed", C), {}, "it is a mixed precision job (its tenant is protected), left alone for 1925 s more"),
    (holder(7, "mixed", C, seconds=None), {},
     "it is a mixed precision job (its tenant is protected), left alone for a time that is unknown"),
], ids=["another class", "a stranger is P2", "init", "whose", "whose, of trespassers", "when", "flagged", "of unknown age"])
def test_who_stays_and_why(one: Holder, fields: dict[str, t.Any], reason: str) -> None:
    found = plan(request(C, **fields), [one], RECORD, RULES)
    assert (found.waves, [(item.holder, item.reason) for item in found.kept]) == ((), [(one, reason)])


def test_protection_ends_with_its_window_and_may_be_off() -> None:
    young, old = holder(7, "mixed", C, seconds=2024), holder(7, "mixed", C, seconds=2025)
    assert plan(request(C), [young], RECORD, RULES).kept[0].reason.endswith("left alone for 1 s more")
    assert pids(plan(request(C), [old], RECORD, RULES)) == [("P1", 30, [7])]
    assert pids(plan(request(C, protection=False), [young], RECORD, RULES)) == [("P1", 30, [7])]


def test_a_job_that_samples_show_is_protected_on_that_device_alone() -> None:
    there = [holder(7, "train", C), holder(8, "dev", D)]
    found = plan(request(C, D), there, RECORD, RULES, {C})
    assert [item.reason for item in found.kept] == [
        "it is a mixed precision job (its samples show it), left alone for 1925 s more"]
    assert pids(found) == [("P2", 15, [8])]


def test_what_ended_cannot_be_signalled_whoever_it_was() -> None:
    dead = holder(7, None, C, state="ended", start=None, unknown="it is gone")
    assert plan(request(C, whom="trespassers"), [dead], RECORD, RULES) == Plan(stuck=(dead,))


SHARED = Record((*RECORD.tenants,), (*RECORD.grants, grant("tests", "serve", "P2", DEVICES[3])))


@pytest.mark.parametrize(("there", "devices", "record", "said"), [
    ([holder(7, "serve", A)], (A,), RECORD, f"device {A}: is held by pid 7 (python3, bob, tenant serve), and class P0 is "
     "never evicted; choose other devices, or whom=trespassers"),
    ([holder(6, None, C), holder(7, "serve", C, A)], (C,), RECORD, f"device {C}: is held by pid 7 (python3, bob, tenant serve), and "
     "class P0 is never evicted; choose other devices, or whom=trespassers"),
    ([holder(7, "serve", D, A)], (D,), SHARED, f"device {D}: is held by pid 7 (python3, bob, tenant serve), and class P0 is "
     "never evicted; choose other devices, or whom=trespassers"),
], ids=["on its own device", "on that of another", "on a device of a lower class and on one of P0"])
def test_p0_is_never_evicted_and_nobody_else_is_then(there: list[Holder], devices: tuple[str, ...], record: Record, said: str) -> None:
    with pytest.raises(FleetError, match=f"^{re.escape(said)}$"):
        plan(request(*devices), there, record, RULES)


def test_p0_that_trespasses_is_not_evicted_either() -> None:
    with pytest.raises(FleetError, match=r"never evicted; choose other devices$"):
        plan(request(C, whom="trespassers"), [holder(7, "serve", C, trespasses=frozenset({C}))], RECORD, RULES)


def test_the_class_is_that_of_what_is_held() -> None:
    assert pids(plan(request(D), [holder(7, "serve", D)], SHARED, RULES)) == [("P2", 15, [7])]


@pytest.mark.parametrize(("classes", "grace", "said"), [
    (["P2", "P0"], {}, "classes: has P0, which is never evicted; choose of P1, P2"),
    (["P3"], {}, "classes: has 'P3', which is no class; choose of P1, P2"),
    (["P1"], {"P0": 5}, "grace: has P0, which is never evicted; choose of P1, P2"),
])
def test_classes_that_are_none(classes: list[str], grace: dict[str, int], said: str) -> None:
    with pytest.raises(FleetError, match=f"^{re.escape(said)}$"):
        refuse_classes(classes, grace)


def test_classes_that_may_be_evicted() -> None:
    refuse_classes(["P2", "P1"], {"P1": 5})


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGFOO"])
def test_a_signal_that_saves_nothing_is_refused_before_any_is_sent(signal: str) -> None:
    record = dc.replace(RECORD, tenants=(dc.replace(DEV, checkpoint=Checkpoint(signal=signal)),))
    with pytest.raises(FleetError, match=f"^tenant dev: saves its state with {signal}; choose of SIGUSR1, "):
        plan(request(D), [holder(6, None, D), holder(7, "dev", D)], record, RULES)


def test_heirs_are_of_the_group_of_one_that_went_and_began_later() -> None:
    first = holder(7, "dev", D)
    wave = Wave("P2", (Target(first, "P2", DEV.checkpoint),), 15)
    child, other = holder(20, "dev", D, group=7), holder(21, "dev", D, group=21)
    seen = [first, child, other, holder(22, "dev", C, group=7), holder(23, "dev", D, group=7, user="root"),
            holder(24, "dev", D, group=7, state="ended"), holder(25, "dev", D, group=None), holder(26, None, D, group=7),
            holder(27, "dev", D, group=7, unknown="no /proc")]
    assert heirs(wave, seen, {(7, 1007)}, (D,), RECORD) == (Target(child, "P2", DEV.checkpoint),)
    assert heirs(wave, seen, {(7, 1007), (20, 1020)}, (D,), RECORD) == ()


def test_an_heir_of_a_higher_class_is_none() -> None:
    wave = Wave("P2", (Target(holder(7, "serve", D), "P2"),), 15)
    assert heirs(wave, [holder(20, "serve", D, A, group=7)], (), (D,), SHARED) == ()
    assert len(heirs(wave, [holder(20, "serve", D, group=7)], (), (D,), SHARED)) == 1


def test_who_has_let_go_of_the_devices_need_not_end() -> None:
    one, two = holder(7, "dev", D), holder(8, "dev", D)
    wave = Wave("P2", (Target(one, "P2"), Target(two, "P2")), 15)
    now = [holder(7, "dev", C), holder(8, "dev", D, C)]
    assert still(wave, now, (D,)) == (Target(two, "P2"),)
    assert still(wave, [holder(8, "dev", D, start=5)], (D,)) == ()


HOLDERS = st.lists(st.builds(
    lambda pid, tenant, devices, state: holder(pid, tenant, *devices, state=state, trespasses=frozenset(devices)),
    st.integers(2, 9), st.sampled_from([None, "train", "dev", "mixed"]), st.sets(st.sampled_from([A, B, C, D]), min_size=1),
    st.sampled_from(["", "ended", "untouchable"])), max_size=6, unique_by=lambda one: one.pid)


@settings(max_examples=60)
@given(HOLDERS, st.sets(st.sampled_from([A, B, C, D]), min_size=1), st.randoms(use_true_random=False))
def test_everybody_has_one_place_and_the_order_of_a_look_does_not_matter(
        there: list[Holder], devices: set[str], chance: t.Any) -> None:
    found = plan(request(*sorted(devices)), there, RECORD, RULES)
    going = [target.holder.pid for wave in found.waves for target in wave.targets]
    places = [*going, *(item.holder.pid for item in found.kept), *(one.pid for one in found.stuck)]
    assert sorted(places) == sorted(one.pid for one in there if set(one.devices) & devices)
    assert not set(going) & {one.pid for one in there if one.state}
    mixed = chance.sample(there, len(there))
    assert plan(request(*sorted(devices)), mixed, RECORD, RULES).waves == found.waves


def test_a_process_of_two_tenants_is_of_the_higher_class() -> None:
    with pytest.raises(FleetError, match="class P0 is never evicted"):
        plan(request(C), [holder(7, "train", C, tenants=("train", "serve"))], dc.replace(RECORD, grants=(grant("n", "serve", "P0", DEVICES[2]),)), RULES)
