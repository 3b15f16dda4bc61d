# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Words that partitioning shares."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.partition import shape


def test_a_pair_is_written_as_amd_writes_it() -> None:
    assert shape.GpuWanted("0000:05:00.0", "CPX", "NPS4").text == "CPX/NPS4"


@pytest.mark.parametrize(("mode", "parts"), [("NPS1", 1), ("NPS2", 2), ("NPS4", 4), ("NPS8", 8)])
def test_parts_of_memory(mode: str, parts: int) -> None:
    assert shape.memory_parts(mode) == parts


def test_modes_are_ordered_by_their_devices() -> None:
    assert [shape.DEVICES.get(mode, 8) for mode in shape.COMPUTE] == [1, 2, 3, 4, 8]
    assert sorted(shape.MEMORY, key=shape.memory_parts) == list(shape.MEMORY)
