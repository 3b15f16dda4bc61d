# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node keeps of its state before profiles."""

from __future__ import annotations

import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.state import State, meanwhile, read, text

KEPT = State("night", {"node": {"numa_balancing": "on"}, "g": {"power_cap": 300}}, {"g": {"power_cap": 275}})


def test_what_is_written_is_read() -> None:
    assert read(text(KEPT), "f") == KEPT


@pytest.mark.parametrize(("change", "where"), [
    ({"before": []}, "f: before: is no mapping of mappings"), ({"before": {"g": 1}}, "f: before: is no mapping of mappings"),
    ({"applied": {"g": {"fan": 1}}}, "f: applied.g.fan: is 1"), ({"before": {"g": {"power_cap": True}}}, "f: before.g.power_cap: is True"),
    ({"before": {"g": {"power_cap": None}}}, "f: before.g.power_cap: is None"), ({"kind": "x"}, "f: kind: is 'x'"),
    ({"profile": ""}, "f: profile: is empty"), ({"more": 1}, "f: more: is not a known key"), ({"version": "v2"}, "f: version: is 'v2'"),
])
def test_what_is_not_of_its_form_is_refused(change: dict[str, t.Any], where: str) -> None:
    with pytest.raises(DataError) as error:
        read(json.dumps({**json.loads(text(KEPT)), **change}), "f")
    assert error.value.sentence.startswith(where)


def test_meanwhile_nothing_of_either_is_forgotten() -> None:
    new = State("day", {"g": {"power_cap": 299, "process_isolation": "off"}}, {"g": {"power_cap": 250}})
    assert meanwhile(KEPT, new) == State("day", {"g": {"power_cap": 300, "process_isolation": "off"}, "node": {"numa_balancing": "on"}},
                                         {"g": {"power_cap": 250}})
    assert (meanwhile(None, new), meanwhile(KEPT, None), meanwhile(None, None)) == (new, KEPT, None)
