# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which images go."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.prune import Stored, plan, unknown

OLD, MID, NEW = (Stored(name, (f"localhost/{name}",), f"k-{name}", used=when) for name, when in (("old", 1.0), ("mid", 2.0), ("new", 3.0)))
BASE = Stored("base", (), "k-base", used=9.0)
TOP = Stored("top", (), "k-top", ("k-base",), used=5.0)
LAST = "it is among the last {} by use"


def fates(*stored: Stored, keep: int = 1, pinned: t.Collection[str] = ()) -> dict[str, str]:
    return {fate.stored.id: fate.reason for fate in plan(stored, keep, pinned)}


def test_the_last_ones_by_use_stay() -> None:
    assert fates(MID, OLD, NEW) == {"mid": "", "old": "", "new": LAST.format(1)}
    assert fates(MID, OLD, NEW, keep=2) == {"mid": LAST.format(2), "old": "", "new": LAST.format(2)}
    assert fates(MID, OLD, NEW, keep=0) == {"mid": "", "old": "", "new": ""}


@pytest.mark.parametrize("name", ["old", "localhost/old", "k-old"])
def test_a_pinned_one_stays_and_takes_no_place(name: str) -> None:
    assert fates(OLD, MID, NEW, pinned={name}) == {"old": "it is pinned", "mid": "", "new": LAST.format(1)}


def test_one_that_runs_stays() -> None:
    running = Stored("run", (), "k-run", running=True)
    assert fates(running, NEW) == {"run": "a container is made of it", "new": LAST.format(1)}


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(DataError, match="rocm_image_keep: is -1, and cannot be less than 0; write how many images stay"):
        plan((NEW, OLD), -1, ())


def test_pins_that_nothing_has() -> None:
    there = [("id", "key", "name:1", "name:2"), ("other", "")]
    assert unknown(["name:2", "key", "id", "name:3", "other", "name:3"], there) == ("name:3",)


def test_a_use_that_is_not_known_is_not_long_ago() -> None:
    assert fates(Stored("what", (), "k"), NEW, OLD) == {"what": "its last use is not known", "new": LAST.format(1), "old": ""}


def test_layers_below_stay_with_what_stands_on_them_and_take_no_place() -> None:
    assert fates(BASE, TOP, NEW, OLD, keep=2) == {
        "base": "an image that stays stands on it", "top": LAST.format(2), "new": LAST.format(2), "old": ""}
    assert fates(dc.replace(BASE, used=None), TOP, keep=0) == {"base": "", "top": ""}
    assert fates(BASE, TOP, keep=0) == {"base": "", "top": ""}
    assert fates(BASE, TOP, keep=0, pinned=["k-base"]) == {"base": "it is pinned", "top": ""}


def test_what_is_under_a_layer_below_stays_too() -> None:
    under = "an image that stays stands on it"
    lower, other = dc.replace(BASE, below=("k-root",)), dc.replace(TOP, id="other", key="k-other", below=("k-base", "k-root"))
    root = Stored("root", (), "k-root")
    assert fates(root, lower, TOP, other, keep=2) == {"root": under, "base": under, "top": LAST.format(2), "other": LAST.format(2)}
    assert fates(root, lower, TOP) == {"root": under, "base": under, "top": LAST.format(1)}
