# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""As whom devices are opened, and what is said of each attempt."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Device, Grant, Tenant, Wish
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_proof import (
    Account,
    Proof,
    Who,
    judge,
    people,
)
from ansible_collections.instinct.fleet.tests.unit.support.trespass import INFERENCE, RECORD, A, B, C, D

ALICE, BOB = Account("alice", 1000, 1000, (1000, 110)), Account("bob", 1001, 1001, (1001, 110))
NOBODY = Account("nobody", 65534, 65534, (65534,))
ROOT, STRANGER = Who("root", "root", account=Account("root", 0, 0, (0,))), Who("stranger", "stranger", account=NOBODY)
USER = Who("user", "user alice of inference", ("inference",), ALICE)
IN_SLICE = Who("slice", "a service in tenant-training.slice", ("training",), BOB, "tenant-training.slice")


POLICED = Who("policy", "root in tenant-training.slice", ("training",), ROOT.account, "tenant-training.slice")


def test_people() -> None:
    found = people(RECORD, {"alice": ALICE, "bob": BOB}, NOBODY, ["tenant-training.slice", "user-1000.slice"], {})
    assert found == (
        ROOT, STRANGER, USER, Who("user", "user bob of training", ("training",), BOB), IN_SLICE, POLICED,
        Who("policy", "root in user-1000.slice", ("inference",), ROOT.account, "user-1000.slice"))


def test_a_user_of_two_tenants_is_tried_once() -> None:
    both = dc.replace(RECORD, tenants=(INFERENCE, Tenant("other", users=("alice",))))
    assert people(both, {"alice": ALICE}, None, (), {})[1:] == (
        Who("stranger", "stranger", problem="the node has no user nobody"),
        Who("user", "user alice of inference, other", ("inference", "other"), ALICE))


def test_a_tenant_of_units_alone_is_nobody_in_its_groups() -> None:
    units = dc.replace(RECORD, tenants=(Tenant("serving", units=("vllm.service",)),))
    groups = {"gpu-serving": 900, "render": 110, "video": 44}
    found = people(units, {}, NOBODY, ["tenant-serving.slice"], groups)[2]
    assert found == Who("slice", "a service in tenant-serving.slice", ("serving",), dc.replace(NOBODY, groups=(65534, 900, 110)),
                        "tenant-serving.slice")
    found = people(units, {}, None, ["tenant-serving.slice"], groups)[2]
    assert found.problem == "there is nobody to be"


MUST = {
    "root, anything": (ROOT, D, True), "root, kfd": (ROOT, None, True), "a stranger, the door": (STRANGER, None, False),
    "a stranger, a device": (STRANGER, A, False), "a tenant, its own": (USER, B, True), "a tenant, another's": (USER, C, False),
    "a tenant, a spare": (USER, D, False), "a tenant, the door": (USER, None, True), "a service, its own": (IN_SLICE, C, True),
    "a service, another's": (IN_SLICE, A, False), "what nobody reserved": (USER, Device("x", "x"), None),
    "the door, for who has nothing now": (Who("user", "u", ("x",), ALICE), None, None),
}


@pytest.mark.parametrize(("who", "device", "must"), MUST.values(), ids=MUST)
def test_who_must(who: Who, device: Device | None, must: bool | None) -> None:
    assert judge(who, device, "p", "", RECORD).must is must


def test_a_shared_device_is_for_both() -> None:
    shared = dc.replace(RECORD, grants=(*RECORD.grants, Grant(Wish("some", "training", "P2", devices=(A.id,), share=50), (A,))))
    assert [judge(who, A, "p", "", shared).must for who in (USER, IN_SLICE)] == [True, True]


MODE, POLICY = "the permissions of the file", "the device policy of its control group"
SAID: dict[str, tuple[Who, Device | None, str | None, tuple[bool | None, str, str]]] = {
    "its own": (USER, A, "", (True, "ok", "it opens")),
    "its own, by permissions": (USER, A, "EACCES", (False, "locked_out", MODE)),
    "another's": (USER, C, "", (True, "trespass", "it opens")),
    "another's, by permissions": (USER, C, "EACCES", (False, "ok", MODE)),
    "another's, by policy": (IN_SLICE, A, "EPERM", (False, "ok", POLICY)),
    "slice, root, opens another's": (POLICED, A, "", (True, "trespass", "it opens")),
    "slice, root, is kept from another's": (POLICED, A, "EPERM", (False, "ok", POLICY)),
    "of the pool": (USER, Device("x", "x"), "EPERM", (False, "ok", POLICY)),
    "a device that is ill": (ROOT, A, "ENODEV", (None, "unknown", "the device says ENODEV")),
    "not tried": (USER, A, None, (None, "unknown", "it was not tried")),
    "cannot be tried": (dc.replace(USER, problem="no such user"), A, None, (None, "unknown", "no such user")),
}


@pytest.mark.parametrize(("who", "device", "said", "found"), SAID.values(), ids=SAID)
def test_what_came_of_it(who: Who, device: Device | None, said: str | None, found: tuple[bool | None, str, str]) -> None:
    proof = judge(who, device, "/dev/dri/renderD128", said, RECORD)
    assert (proof.could, proof.verdict, proof.why) == found


def test_proof_names_the_door() -> None:
    assert judge(STRANGER, None, "/dev/kfd", "EACCES", RECORD) == Proof("stranger", "/dev/kfd", "/dev/kfd", False, False, "ok", MODE)
