# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many GPUs variables leave visible."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.image.visible import empty, visible

ROCR, HIP, CUDA, ORDINAL = "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"


@pytest.mark.parametrize(("environment", "count", "hiding"), [
    ({}, 8, ()),
    ({"PATH": "/bin"}, 8, ()),
    ({ROCR: "0,1,2,3,4,5,6,7"}, 8, ()),
    ({HIP: "7,6,5,4,3,2,1,0"}, 8, ()),
    ({ROCR: "0"}, 1, (f"{ROCR}=0",)),
    ({HIP: "0, 1"}, 2, (f"{HIP}=0, 1",)),
    ({CUDA: "0,1,2"}, 3, (f"{CUDA}=0,1,2",)),
    ({ORDINAL: "5"}, 1, (f"{ORDINAL}=5",)),
    ({HIP: "0,1,2,3,4,5,6,7", CUDA: "0"}, 8, ()),  # HIP's own counts
    ({HIP: "", CUDA: "0"}, 1, (f"{CUDA}=0",)),
    ({ROCR: "GPU-DEADBEEFDEADBEEF,1"}, 2, (f"{ROCR}=GPU-DEADBEEFDEADBEEF,1",)),
    ({ROCR: "0,1,9,2"}, 2, (f"{ROCR}=0,1,9,2",)),  # the first that names nothing ends the list
    ({ROCR: "8,9"}, 0, (f"{ROCR}=8,9",)),
    ({HIP: "-1"}, 0, (f"{HIP}=-1",)),
    ({ROCR: "0,0,00"}, 1, (f"{ROCR}=0,0,00",)),
    ({ROCR: "2,3", HIP: "2,3"}, 0, (f"{ROCR}=2,3", f"{HIP}=2,3")),  # HIP counts what is left
    ({ROCR: "2,3", HIP: "0,1"}, 2, (f"{ROCR}=2,3",)),
    ({ROCR: "9" * 5000}, 0, (f"{ROCR}={'9' * 5000}",)),
    ({ROCR: "٣"}, 0, (f"{ROCR}=٣",)),
])
def test_of_eight(environment: dict[str, str], count: int, hiding: tuple[str, ...]) -> None:
    assert visible(environment, 8) == (count, hiding)


def test_more_names_than_gpus_hide_none() -> None:
    assert visible({ROCR: "GPU-a1,GPU-b2,0"}, 2) == (2, ())


def test_what_is_empty_is_told_apart() -> None:
    assert empty({ROCR: "", HIP: "0", CUDA: "", "PATH": ""}) == (ROCR, CUDA)
    assert visible({ROCR: ""}, 8) == (8, ())
