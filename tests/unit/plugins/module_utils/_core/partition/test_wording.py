# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How GPUs are named in sentences."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition import wording
from ansible_collections.instinct.fleet.tests.unit.support.partitions import BDFS, node, virtual

A, B = BDFS[:2]


@pytest.mark.parametrize(("bdfs", "text"), [([A], f"gpu {A}"), ([B, A], f"gpus {A}, {B}"), (BDFS, "all 8 GPUs")])
def test_subject(bdfs: list[str], text: str) -> None:
    assert wording.subject(bdfs, node()) == text


def test_one_gpu_is_not_all_of_them() -> None:
    assert wording.subject([A], virtual()) == f"gpu {A}"


@pytest.mark.parametrize(("number", "text"), [(0, "0 GPUs"), (1, "1 GPU"), (2, "2 GPUs")])
def test_counted(number: int, text: str) -> None:
    assert wording.counted(number) == text
    assert wording.counted(1, "device") == "1 device"


def test_grouped_keeps_the_order() -> None:
    assert list(wording.grouped([(1, "b"), (2, "a"), (3, "b")]).items()) == [("b", [1, 3]), ("a", [2])]


def test_each_is_attempted_and_the_first_refusal_told_for_all_of_its_kind() -> None:
    def refuse(bdf: str) -> str:
        if bdf in (A, BDFS[3]):
            raise DataError(bdf, "is bad", "mend it", "a page")
        if bdf == B:
            raise FleetError(bdf, "is worse")
        return bdf.upper()

    with pytest.raises(DataError) as caught:
        wording.attempt_each(BDFS, str, refuse, node())
    assert caught.value.sentence == f"gpus {A}, {BDFS[3]}: is bad; mend it (source: a page)"
    assert wording.attempt_each(BDFS[4:6], str, refuse, node()) == ["0000:85:00.0".upper(), "0000:A6:00.0"]
