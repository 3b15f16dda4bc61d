# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is left of a device for a wish."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import room
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Device, Wish
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import Window
from ansible_collections.instinct.fleet.tests.unit.support.reservations import BDFS, MI300X, node, wish

A = MI300X[0]
DAY, NIGHT = Window((0, 1, 2, 3, 4, 5, 6), 480, 1320), Window((0, 1, 2, 3, 4, 5, 6), 1320, 480)


@pytest.mark.parametrize(("device", "asked", "suits"), [
    (A, wish("a"), True), (dc.replace(A, render_node=None), wish("a"), False),
    # A GPU of 192 GiB tells a little less; what is not known is not enough.
    (A, wish("a", memory_gib=192), True), (A, wish("a", memory_gib=193), False),
    (dc.replace(A, memory_bytes=None), wish("a", memory_gib=1), False), (dc.replace(A, memory_bytes=None), wish("a"), True),
    # A share is a whole number of compute units.
    (A, wish("a", share=25), True), (A, wish("a", share=30), False), (dc.replace(A, compute_units=None), wish("a", share=25), False),
])
def test_kinds_of_devices(device: Device, asked: Wish, suits: bool) -> None:
    assert room.suits(device, asked) is suits


@pytest.mark.parametrize(("has", "asks", "left"), [
    ((), wish("b"), 100), ((wish("a"),), wish("b"), 0), ((wish("a", share=50), wish("c", share=25)), wish("b", share=25), 25),
    ((wish("a", windows=(DAY,)),), wish("b", windows=(NIGHT,)), 100), ((wish("a", windows=(DAY,)),), wish("b"), 0),
    ((wish("a", windows=(DAY,), share=75), wish("c", windows=(NIGHT,))), wish("b", windows=(DAY,), share=25), 25),
])
def test_what_is_left(has: tuple[Wish, ...], asks: Wish, left: int) -> None:
    taken = {A.id: has} if has else {}
    assert room.left(A, asks, taken) == left
    assert room.fits(A, asks, taken) is (left >= asks.share)


def test_what_is_given_is_taken() -> None:
    one, other = wish("a"), wish("b")
    taken = room.given(room.given({}, one, MI300X[:2]), other, MI300X[1:3])
    assert taken == {BDFS[0]: (one,), BDFS[1]: (one, other), BDFS[2]: (other,)}


def test_untouched_gpus() -> None:
    """One with a part that is taken, or that no program can open, is none."""
    devices = list(node(4, of=2))
    devices[7] = dc.replace(devices[7], render_node=None)
    assert room.untouched(devices, {devices[2].id: (wish("a"),)}) == [BDFS[0], BDFS[2]]
