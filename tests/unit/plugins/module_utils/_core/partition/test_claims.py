# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reservations against a layout."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.claims import (
    Claim,
    read_claims,
    refuse_unfit,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.shape import LogicalDevice
from ansible_collections.instinct.fleet.tests.unit.support.partitions import BDFS

CHANGE = "change the reservation first, or choose another profile"


def layout(*devices: int) -> tuple[LogicalDevice, ...]:
    """GPUs with so many devices each."""
    places = [(gpu, part) for gpu, count in enumerate(devices) for part in range(count)]
    return tuple(LogicalDevice(BDFS[gpu], gpu, part, index, "CPX", "NPS4", uuid=f"UUID-{index}", gpu_uuid=f"GPU-{gpu}",
                               render_node=f"/dev/dri/renderD{128 + index}") for index, (gpu, part) in enumerate(places))


@pytest.mark.parametrize("claims", [
    (), (Claim("a", ("0",), of="gpu"), Claim("b", ("8", "0000:26:00.0/1", "uuid-10", "/dev/dri/renderD139"))),
    (Claim("a", count=1, of="gpu"), Claim("b", count=8)), (Claim("a", (BDFS[1],), of="gpu"), Claim("b", count=1, of="gpu")),
    # A GPU by its UUID, and all devices of one by its name.
    (Claim("a", ("gpu-0",), of="gpu"), Claim("b", ("GPU-1",))), (Claim("a", (BDFS[0],)), Claim("b", (BDFS[1],))),
    # What is named is taken first, and whole GPUs before devices.
    (Claim("a", count=8), Claim("b", ("0",), of="gpu")), (Claim("a", count=8), Claim("b", count=1, of="gpu")),
])
def test_what_fits(claims: tuple[Claim, ...]) -> None:
    refuse_unfit(claims, layout(8, 8))


@pytest.mark.parametrize(("claims", "devices", "sentence"), [
    ((Claim("a", ("17",)),), (8, 8), f"reservation of a: device 17 would not exist: the layout has 2 GPUs with 16 devices; {CHANGE}"),
    ((Claim("a", ("0000:05:00.0/4",)),), (1,),
     f"reservation of a: device 0000:05:00.0/4 would not exist: the layout has 1 GPU with 1 device; {CHANGE}"),
    ((Claim("a", ("2",), of="gpu"),), (8, 8),
     f"reservation of a: GPU 2 would not exist: the layout has 2 GPUs with 16 devices; {CHANGE}"),
    ((Claim("a", (BDFS[0],)), Claim("b", count=9)), (8, 8), f"reservation of b: wants 9 devices, and the layout leaves 8; {CHANGE}"),
    ((Claim("a", ("gpu-2",)),), (8, 8),
     f"reservation of a: device gpu-2 would not exist: the layout has 2 GPUs with 16 devices; {CHANGE}"),
    ((Claim("a", count=17),), (8, 8), f"reservation of a: wants 17 devices, and the layout leaves 16; {CHANGE}"),
    ((Claim("a", ("0",)), Claim("b", count=2, of="gpu")), (8, 8),
     f"reservation of b: wants 2 GPUs, and the layout leaves 1; {CHANGE}"),
    ((Claim("b", count=8), Claim("a", count=1, of="gpu")), (8, 1),
     f"reservation of b: wants 8 devices, and the layout leaves 1; {CHANGE}"),
    ((Claim("a", ("0",), of="gpu"), Claim("b", ("3",))), (8, 8),
     f"reservation of b: gpu {BDFS[0]} partition 3 is also reserved for a; correct one of them"),
])
def test_what_does_not(claims: tuple[Claim, ...], devices: tuple[int, ...], sentence: str) -> None:
    with pytest.raises(FleetError) as caught:
        refuse_unfit(claims, layout(*devices))
    assert caught.value.sentence == sentence


@pytest.mark.parametrize(("data", "claim"), [
    ({"tenant": "a", "devices": ["0"], "of": "gpu"}, Claim("a", ("0",), None, "gpu")),
    ({"tenant": "a", "count": 4}, Claim("a", (), 4, "device")),
])
def test_a_claim_is_read(data: dict[str, t.Any], claim: Claim) -> None:
    assert Claim.read(data, "r[0]") == claim


@pytest.mark.parametrize(("data", "sentence"), [
    ({"tenant": "a"}, "r[0]: has both or neither of devices and count; say which, or how many"),
    ({"tenant": "a", "count": 1, "devices": ["0"]}, "r[0]: has both or neither of devices and count; say which, or how many"),
    ({"tenant": "a", "count": 1, "of": "node"}, "r[0].of: is 'node'; choose one of gpu, device"),
    ({"count": 1}, "r[0].tenant: is missing; add it"),
    ("a", "r[0]: is text, not a mapping; write it as a mapping"),
])
def test_a_claim_that_is_not_of_the_form(data: object, sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        Claim.read(data, "r[0]")
    assert caught.value.sentence == sentence


def test_what_ansible_fills_in_is_not_given() -> None:
    filled = [{"tenant": "a", "devices": None, "count": 2, "of": "gpu"}, {"tenant": "b", "devices": ["17"], "count": None, "of": "device"}]
    assert read_claims(filled, "reservations") == (Claim("a", (), 2, "gpu"), Claim("b", ("17",)))
    with pytest.raises(DataError, match=r"^reservations\[1\]: has both or neither of devices and count"):
        read_claims([*filled[:1], {"tenant": "b", "devices": [], "count": None}], "reservations")
