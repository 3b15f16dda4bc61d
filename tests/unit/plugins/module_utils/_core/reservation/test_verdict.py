# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who holds each device against who may."""

from __future__ import annotations

import dataclasses as dc

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Grant, Record, Tenant, Wish
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict import Verdict, findings, judge
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_holder import Held, Hold
from ansible_collections.instinct.fleet.tests.unit.support.trespass import DEVICES, RECORD, A, B, C, D, holder


def judged(*holders: object, record: Record = RECORD, unknown: dict[str, str] | None = None) -> dict[str, Verdict]:
    held = Held(tuple(holders), unknown or {})  # type: ignore[arg-type]
    return {item.device.id: item for item in judge(record, DEVICES, held)}


def test_devices_that_nobody_holds() -> None:
    assert list(judged().values()) == [
        Verdict(A, "reserved", ("serve",), ("inference",), "P0"), Verdict(B, "reserved", ("serve",), ("inference",), "P0"),
        Verdict(C, "reserved", ("night",), ("training",), "P1"), Verdict(D, "spare")]


def test_the_right_tenant() -> None:
    found = judged(holder(7, A, user="alice"), holder(8, C, slurm_account="train"))
    assert [(item.verdict, item.why) for item in found.values()] == [("ok", "")] * 4
    assert [(use.verdict, use.why, use.whose.tenant) for use in found[A.id].uses] == [("ok", "user alice", "inference")]


def test_the_wrong_tenant_is_named() -> None:
    found = judged(holder(7, A, user="alice"), holder(8, A, user="bob"))[A.id]
    assert (found.verdict, found.why) == ("trespass", "pid 8 is of tenant training (user bob), and the device is reserved for inference")


def test_nobody_s_process_is_none_of_the_tenant() -> None:
    assert judged(holder(8, C, user="mallory"))[C.id].why == "pid 8 is of no tenant, and the device is reserved for training"


def test_nobody_may_hold_a_spare() -> None:
    found = judged(holder(8, D, unknown={"cgroup": "it is gone"}))[D.id]
    assert (found.verdict, found.why) == ("trespass", "pid 8 is of no tenant, and the device is a spare")


def test_who_cannot_be_told_is_unknown() -> None:
    found = judged(holder(8, C, unknown={"cgroup": "it is gone"}))[C.id]
    assert (found.verdict, found.why) == ("unknown", "whose pid 8 is cannot be told: it is gone")


def test_who_only_opened_kfd_holds_nothing() -> None:
    looker = dc.replace(holder(8, user="bob"), holds=(Hold(A.id, 0, 0), Hold(C.id, 5, 0)))
    found = judged(looker)
    assert (found[A.id].uses, found[A.id].verdict, found[C.id].verdict) == ((), "ok", "ok")


def test_a_list_that_cannot_be_read_is_never_fine() -> None:
    found = judged(holder(8, A, user="bob"), unknown={"processes": "no such list"})
    assert [(item.verdict, item.why) for item in (found[B.id], found[D.id])] == [("unknown", "no such list")] * 2
    assert found[A.id].verdict == "trespass"


def test_what_nobody_reserved_is_anybody_s() -> None:
    pool = judged(holder(8, D, user="mallory"), record=dc.replace(RECORD, spares=(), pool=(D,)))[D.id]
    assert (pool.state, pool.verdict, pool.why) == ("pool", "unreserved", "nobody has reserved it")
    unlisted = judged(holder(8, D), record=Record())
    assert (unlisted[D.id].state, unlisted[D.id].verdict, unlisted[A.id].verdict) == ("unlisted", "unreserved", "ok")


def test_a_device_that_is_gone() -> None:
    gone = dc.replace(A, id="0000:99:00.0", gpu="0000:99:00.0")
    found = judged(record=dc.replace(RECORD, spares=(gone,)))[gone.id]
    assert (found.state, found.verdict, found.why) == ("unlisted", "unknown", "the record has it, and the node does not")


def test_a_device_that_two_tenants_share() -> None:
    shared = dc.replace(RECORD, grants=(*RECORD.grants, Grant(Wish("some", "training", "P2", devices=(A.id,), share=50), (A,))))
    found = judged(holder(7, A, user="alice"), holder(8, A, user="bob"), holder(9, A, user="eve"), record=shared)[A.id]
    assert (found.tenants, found.priority, [use.verdict for use in found.uses]) == (("inference", "training"), "P0", ["ok", "ok", "trespass"])


def test_32_training_processes_on_inference_devices() -> None:
    """One finding for each device, with the tenant by name."""
    workers = [holder(1000 + number, (A, B)[number % 2], user="bob") for number in range(32)]
    found = findings(judge(RECORD, DEVICES, Held((*workers, holder(7, A, user="alice")))))
    assert [(one.id, one.subject, one.summary, one.count, len(one.evidence)) for one in found] == [
        ("reservation-trespass", device.id, "16 processes of tenant training hold it, and it is reserved for tenant inference (P0)", 16, 16)
        for device in (A, B)]
    assert found[0].evidence[0] == "pid 1000 (python3), user bob"


def test_findings_of_one_and_of_nobody() -> None:
    found = findings(judge(RECORD, DEVICES, Held((holder(8, D, command="\x1b[1m"), holder(9, A, user="bob", command=None)))))
    assert [(one.summary, one.evidence) for one in found] == [
        ("pid 9 of tenant training holds it, and it is reserved for tenant inference (P0)", ("pid 9 (gone), user bob",)),
        ("pid 8 of no tenant holds it, and it is a spare", ("pid 8 ( [1m), of nobody",))]


def test_a_user_of_two_tenants_is_at_home_on_the_devices_of_both() -> None:
    both = dc.replace(RECORD, tenants=(*RECORD.tenants, Tenant("other", users=("alice", "bob"))),
                      grants=(RECORD.grants[0], Grant(Wish("o", "other", "P1", gpus=1), (C,))))
    found = judged(holder(7, A, C, user="alice"), holder(8, A, user="bob"), record=both)
    assert [(use.holder.pid, use.verdict, use.whose.tenants) for item in (found[A.id], found[C.id]) for use in item.uses] == [
        (7, "ok", ("inference",)), (8, "trespass", ("training", "other")), (7, "ok", ("other",))]
    assert found[A.id].why == "pid 8 is of tenant training, other (user bob), and the device is reserved for inference"
    assert findings(found.values())[0].summary == "pid 8 of tenant other, tenant training holds it, and it is reserved for tenant inference (P0)"
