# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose a process is, by the nearest name that it has."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Tenant
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.verdict_tenant import Whose, whose
from ansible_collections.instinct.fleet.tests.unit.support.trespass import INFERENCE, RECORD, holder

CASES: dict[str, tuple[dict[str, t.Any], Whose]] = {
    "user": ({"user": "alice"}, Whose(("inference",), "user alice")),
    "second user": ({"user": "carol"}, Whose(("training",), "user carol")),
    "login before user": ({"user": "root", "login": "bob"}, Whose(("training",), "login of bob")),
    "unit before login": ({"user": "bob", "units": ("system.slice", "vllm.service")}, Whose(("inference",), "unit vllm.service")),
    "slice": ({"units": ("tenant.slice", "tenant-training.slice", "run-u1.service")}, Whose(("training",), "unit tenant-training.slice")),
    "the innermost unit": ({"units": ("tenant-inference.slice", "tenant-training.slice")}, Whose(("training",), "unit tenant-training.slice")),
    "job before user": ({"user": "alice", "slurm_account": "train"}, Whose(("training",), "account train of Slurm")),
    "job of nobody's account": ({"user": "alice", "slurm_account": "other"}, Whose(("inference",), "user alice")),
    "namespace": ({"user": "bob", "namespace": "serving"}, Whose(("inference",), "namespace serving")),
    "label before namespace": ({"namespace": "serving", "label": "train-team"}, Whose(("training",), "label train-team of its container")),
    "label that is the name": ({"label": "inference"}, Whose(("inference",), "label inference of its container")),
    "the name is no label where another is told": ({"label": "training"}, Whose()),
    "a user of a container is none of the node": ({"user": "alice", "login": "alice", "container": "c", "engine": "docker", "label": ""}, Whose()),
    "a user of a pod is none of the node": ({"user": "alice", "pod": "p", "container": "c", "namespace": "evil"}, Whose()),
    "a user of what seems to be a container": ({"user": "alice", "boxed": True, "units": ("x.service",)}, Whose()),
    "the slice of a container": ({"container": "c", "units": ("tenant-training.slice", "docker-c.scope")}, Whose(("training",), "unit tenant-training.slice")),
    "a container that was not asked": ({"user": "alice", "container": "c", "unknown": {"label": "no answer"}}, Whose(unsure="no answer")),
    "what may be another process": ({"user": "alice", "unknown": {"open": "it has not opened it"}}, Whose(unsure="it has not opened it")),
    "nobody": ({"user": "mallory", "units": ("user.slice",)}, Whose()),
    "account unknown": ({"user": "mallory", "unknown": {"slurm_account": "no answer"}}, Whose(unsure="no answer")),
    "account unknown, user known": ({"user": "bob", "unknown": {"slurm_account": "no answer"}}, Whose(("training",), "user bob")),
    "gone": ({"unknown": {"cgroup": "it is gone"}}, Whose(unsure="it is gone")),
    "what is unknown names nobody": ({"user": "mallory", "unknown": {"line": "x"}}, Whose()),
}


@pytest.mark.parametrize(("known", "found"), CASES.values(), ids=CASES)
def test_whose(known: dict[str, t.Any], found: Whose) -> None:
    assert whose(holder(**known), RECORD.tenants) == found


@pytest.mark.parametrize("field", ["slurm_account"])
def test_what_no_tenant_is_known_by_is_no_doubt(field: str) -> None:
    assert whose(holder(user="mallory", unknown={field: "no answer"}), (INFERENCE,)) == Whose()


def test_who_is_of_two_tenants() -> None:
    other = Tenant("other", users=("alice",))
    found = whose(holder(user="alice"), (INFERENCE, other))
    assert (found, found.tenant) == (Whose(("inference", "other"), "user alice"), "inference")
