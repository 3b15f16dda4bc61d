# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a node that reboots is waited for."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.timeouts import longest, read_timeouts

ANY = {"seconds": 900, "confidence": "unverified", "sources": ["S1"]}


def read(*rows: dict[str, t.Any]) -> dict[str, int]:
    data = {"version": "v1", "kind": "reboot_timeouts", "sources": {"S1": "somewhere"}, "timeouts": list(rows)}
    return read_timeouts({"path": "t.yml", "data": data})


@pytest.mark.parametrize(("products", "seconds"), [
    ((), 900), (("MI210",), 900), (("MI300X",) * 8, 1800), (("MI100", "MI300X"), 1800), (("MI250 or MI300X",), 1800), (("MI999",), 900),
])
def test_the_longest_of_a_nodes_products_holds(products: tuple[str, ...], seconds: int) -> None:
    assert longest({"": 900, "MI210": 600, "MI100": 1200, "MI300X": 1800}, products) == seconds


def test_a_file_has_a_number_for_any_node() -> None:
    assert read(ANY, {**ANY, "product": "MI300X", "seconds": 5, "note": "x"}) == {"": 900, "MI300X": 5}


@pytest.mark.parametrize(("rows", "sentence"), [
    ([{**ANY, "product": "MI210"}], "t.yml: timeouts: has none for any node; add one without a product"),
    ([ANY, ANY], "t.yml: timeouts[1]: says again what is said above; remove one"),
    ([{**ANY, "sources": ["S2"]}], "t.yml: timeouts[0].sources[0]: the file's sources do not define 'S2'; add it to sources"),
    ([{**ANY, "seconds": 0}], "t.yml: timeouts[0].seconds: is missing or 0; add it"),
    ([{**ANY, "colour": "red"}], "t.yml: timeouts[0].colour: is not a known key"),
])
def test_what_is_wrong_is_one_sentence(rows: list[dict[str, t.Any]], sentence: str) -> None:
    with pytest.raises(DataError) as refused:
        read(*rows)
    assert refused.value.sentence.startswith(sentence)
