# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The user space of a tree against RDMA devices, libraries that it lacks, and the group of GPUs."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.image import user_space
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import UserSpace
from ansible_collections.instinct.fleet.tests.unit.support.containers import IONIC, NIC, RDMA, checks

NAMED = {"ionic": "ionic"}
SECOND = dc.replace(NIC, name="ionic_1", verbs="uverbs1")


@pytest.mark.parametrize(("provider", "ident"), [
    ({}, None), ({"abi_max": 1}, "image-provider-old"), ({"abi_min": 5, "abi_max": 6}, "image-provider-new"),
    ({"missing": ("libionic.so.1",)}, "image-provider-broken"), ({"private": 50}, "image-provider-broken"),
    ({"name": "mlx5"}, "image-provider-absent"), ({"abi_max": None}, None)])
def test_each_gap_has_its_check(provider: dict[str, t.Any], ident: str | None) -> None:
    space = dc.replace(RDMA, providers=(dc.replace(IONIC, **provider),))
    found = user_space.findings([NIC, SECOND], space, NAMED, checks())
    assert [(one.id, one.evidence) for one in found] == ([(ident, ("ionic",))] if ident else [])
    assert not found or found[0].summary.startswith("RDMA device ionic_0, ionic_1: ")


def test_without_libibverbs_there_is_no_rdma() -> None:
    found = user_space.findings([NIC], UserSpace(), NAMED, checks())
    assert [(one.id, one.summary) for one in found] == [
        ("image-rdma-absent", "it has no libibverbs, and there are RDMA devices: ionic_0")]
    assert user_space.unknown([NIC], UserSpace(), NAMED) == ""
    assert user_space.findings([], UserSpace(), NAMED, checks()) == ()


def test_what_is_not_known_is_said() -> None:
    space = dc.replace(RDMA, providers=(dc.replace(IONIC, abi_max=None),))
    assert user_space.unknown([NIC], space, NAMED) == f"{IONIC.path} does not tell which ABIs it speaks"
    assert user_space.unknown([NIC, SECOND], space, NAMED) == user_space.unknown([NIC], space, NAMED)
    assert user_space.unknown([NIC], RDMA, NAMED) == ""


def test_a_long_list_of_libraries_is_cut_in_the_sentence_alone() -> None:
    lacks = {f"/usr/bin/p{number}": ("libx.so",) for number in range(8)}
    found = user_space.incomplete("image-library-missing", lacks, checks())
    assert found.summary.endswith("/usr/bin/p5 lacks libx.so; and 2 more")
    assert len(found.evidence) == 8
