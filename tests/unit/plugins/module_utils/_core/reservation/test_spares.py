# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many GPUs are kept out of all work, and where."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.demand import Demand
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.spares import Rule, rule, spread
from ansible_collections.instinct.fleet.tests.unit.support.reservations import CPX, demand, node, wish

FOUR = node(4)
HAD = Record(spares=FOUR[:1])


def of(gpus: int, *wishes: object, name: str = "n", spares: int | None = None, before: Record | None = None) -> Demand:
    return demand(node(gpus), *wishes, name=name, spares=spares, before=before)  # type: ignore[arg-type]


ASIDE = dict.fromkeys((one.gpu for one in FOUR), "set aside")


@pytest.mark.parametrize(("demands", "spares"), [
    ([], []), ([of(8)], [1]), ([of(8, spares=0)], [0]), ([of(8, spares=3)], [3]), ([of(7)], [1]),
    # Five per cent of 28 are 2, and the large nodes keep 2 already; of 12 it is one.
    ([of(8, name="a"), of(8, name="b"), of(4, name="c"), of(8, name="d", spares=0)], [1, 1, 0, 0]),
    ([of(4, name="a"), of(4, name="b"), of(4, name="c")], [1, 0, 0]),
    # It is kept where there is room, first where one was kept before.
    ([of(4, wish("x", gpus=4), name="a"), of(4, wish("x", gpus=1), name="b"), of(4, name="c")], [0, 0, 1]),
    ([of(4, name="a"), of(4, wish("x", gpus=1), name="b", before=HAD)], [0, 1]),
    ([dc.replace(of(4, name="a"), aside=ASIDE), of(4, name="b")], [0, 1]),
    ([of(4, name="a"), of(4, wish("x", gpus=4), name="b", before=HAD)], [1, 0]),
    ([of(4, name="a"), of(4, wish("x", gpus=4, scope="fleet"), name="b", before=HAD)], [0, 1]),
    ([demand(CPX, wish("x", partitions=9), name="a", spares=None), of(2, wish("x", devices=("0000:05:00.0",)), name="b")], [0, 1]),
    ([demand((), spares=None)], [0]),
    # Once each, before any keeps a second one.
    ([of(4, name=f"n{number:02}") for number in range(11)], [1, 1, 1, *[0] * 8]),
    ([of(4, name=f"n{number:02}", before=HAD if number == 9 else None) for number in range(11)], [1, 1, *[0] * 7, 1, 0]),
])
def test_spares(demands: list[Demand], spares: list[int]) -> None:
    assert [one.spares for one in spread(demands, Rule())] == spares


@pytest.mark.parametrize(("by", "spares"), [(Rule(0, 8), [1, 0]), (Rule(0, 9), [0, 0]), (Rule(50, 4), [5, 1]), (Rule(0, 4), [1, 1])])
def test_rules_of_a_site(by: Rule, spares: list[int]) -> None:
    assert [one.spares for one in spread([of(8, name="a"), of(4, name="b")], by)] == spares


@pytest.mark.parametrize(("share", "large", "sentence"), [
    (101, 8, "spare_share: is 101; write per cent of the GPUs of the fleet, from 0 to 100"),
    (-1, 8, "spare_share: is -1; write per cent of the GPUs of the fleet, from 0 to 100"),
    (5, 0, "spare_node: is 0; write from how many GPUs on a node keeps one itself"),
])
def test_what_is_no_rule(share: int, large: int, sentence: str) -> None:
    with pytest.raises(FleetError) as caught:
        rule(share, large)
    assert caught.value.sentence == sentence
    assert rule(100, 1) == Rule(100, 1)
