# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rocm_userspace's plan on nodes with rpm."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.rocm import RocmPolicy, plan_rocm
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.resolved import Resolved
from ansible_collections.instinct.fleet.tests.unit.support.releases import userspace
from ansible_collections.instinct.fleet.tests.unit.support.rpm_world import el_node, release, sles_node

POLICY = RocmPolicy()


def with_beside(manager: str, active: str, *beside: str) -> Resolved:
    """A release with further ROCm beside it, each from a repository of its own."""
    wanted, others = release(manager, "rocm-7.2.3"), tuple(userspace(name) for name in beside)
    (repository,) = [r for r in wanted.repositories if r.name == "rocm"]
    more = tuple(dc.replace(repository, uri=f"https://repo.radeon.com/rocm/zyp/{r.version}/main") for r in others)
    return dc.replace(wanted, rocm=userspace(active), beside=others, repositories=(*wanted.repositories, *more))


def test_zypper_takes_packages_from_each_of_our_repositories() -> None:
    (step,) = plan_rocm(sles_node(), with_beside("zypper", "rocm-7.2.3", "rocm-7.0.2"), POLICY).of("install")
    assert step.data["from"] == ["--from", "instinct-rocm", "--from", "instinct-rocm-2"]
    assert {"rocm-core7.0.2", "rocm-core7.2.3"} <= set(step.data["packages"])
    assert step.data["repositories"] == ["instinct-rocm", "instinct-rocm-2"]
    (step,) = plan_rocm(sles_node(), release("zypper", "rocm-7.2.3"), POLICY).of("install")
    assert step.data["from"] == ["--from", "instinct-rocm"]


def test_dnf_is_told_versions_and_no_repository() -> None:
    (step,) = plan_rocm(el_node(), with_beside("dnf", "rocm-7.2.3", "rocm-7.0.2"), POLICY).of("install")
    assert "from" not in step.data and "rocm-core7.0.2-*.70002-*" in step.data["packages"]


@pytest.mark.parametrize("names", [("rocm-7.14.0",), ("rocm-7.2.3", "rocm-7.14.0")])
def test_zypper_cannot_be_kept_at_one_version_of_therock(names: tuple[str, ...]) -> None:
    with pytest.raises(FleetError) as refusal:
        plan_rocm(sles_node(), with_beside("zypper", *names), POLICY)
    assert refusal.value.sentence == (
        "ROCm 7.14.0: comes from a repository with other versions of it, and zypper cannot be kept at one yet; "
        "choose a release of the legacy stream for this node")
    assert plan_rocm(el_node(), with_beside("dnf", *names), POLICY).of("install")
