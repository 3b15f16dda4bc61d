# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of what upgrades take as a rule are read strictly."""

from __future__ import annotations

import copy
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.room import MIB, Place
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.typical import DURATIONS, SIZES, read_typical

KNOWN = {"confidence": "documented", "sources": ["S1"]}
WHOLE: dict[str, t.Any] = {
    "version": "v1", "kind": "rollout_typical", "sources": {"S1": "somewhere"},
    "durations": [{"what": what, "seconds": number, **KNOWN} for number, what in enumerate(DURATIONS)],
    "sizes": [{"what": what, "mib": number, **KNOWN} for number, what in enumerate(SIZES)],
    "places": [{"pattern": "rocm", "directory": "/opt", **KNOWN}],
}


def documents(*more: dict[str, t.Any]) -> list[dict[str, t.Any]]:
    return [{"path": f"{number}.yml", "data": data} for number, data in enumerate([copy.deepcopy(WHOLE), *more])]


def test_a_product_has_its_own_duration_and_others_have_the_rule() -> None:
    site = {"version": "v1", "kind": "rollout_typical", "sources": {"S1": "us"},
            "durations": [{"what": "reboot", "product": "MI300X", "seconds": 900, **KNOWN},
                          {"what": "gate", "seconds": 99, "note": "ours", **KNOWN}],
            "sizes": [{"what": "spare", "mib": 5, **KNOWN}],
            "places": [{"pattern": "r", "directory": "/srv", **KNOWN}]}
    found = read_typical(documents(site))
    rule = DURATIONS.index("reboot")
    assert (found.takes("reboot", "MI300X"), found.takes("reboot", "MI210"), found.takes("reboot")) == (900, rule, rule)
    assert (found.takes("gate"), found.sizes["spare"]) == (99, 5 * MIB)
    assert found.places == (Place("r", "/srv"), Place("rocm", "/opt"))  # those of the site come first


def test_all_must_be_said() -> None:
    assert read_typical(documents()).sizes["initramfs"] == SIZES.index("initramfs") * MIB
    for key, what in (("durations", DURATIONS[0]), ("sizes", SIZES[0])):
        less = {**WHOLE, key: WHOLE[key][1:]}
        with pytest.raises(DataError, match=f"rollout_typical: says nothing about {key} of {what}; add it"):
            read_typical([{"path": "x", "data": less}])


@pytest.mark.parametrize(("change", "message"), [
    ({"durations": [{"what": "sleep", "seconds": 1, **KNOWN}]}, "1.yml: durations[0].what: is 'sleep'; choose one of look, "),
    ({"durations": [{"what": "gate", **KNOWN}]}, "1.yml: durations[0].seconds: is missing"),
    ({"durations": [{"what": "gate", "seconds": -1, **KNOWN}]}, "1.yml: durations[0].seconds: is -1"),
    ({"durations": [{"what": "gate", "seconds": 1, **KNOWN}] * 2}, "1.yml: durations[1]: says again what is said above"),
    ({"sizes": [{"what": "spare", "mib": "1", **KNOWN}]}, "1.yml: sizes[0].mib: is text, not a number"),
    ({"sizes": [{"what": "spare", "mib": 1, "sources": [], "confidence": "documented"}]}, "sources: is empty"),
    ({"sizes": [{"what": "spare", "mib": 1, "sources": ["S9"], "confidence": "documented"}]}, "do not define 'S9'"),
    ({"sizes": [{"what": "spare", "mib": 1, "sources": ["S1"], "confidence": "sure"}]}, "confidence: is 'sure'"),
    ({"places": [{"pattern": "(", "directory": "/x", **KNOWN}]}, "'(' is no regular expression"),
    ({"places": [{"pattern": "x", "directory": "opt", **KNOWN}]}, "places[0].directory: is 'opt'"),
    ({"kind": "other"}, "1.yml: kind: is 'other'"),
    ({"more": 1}, "1.yml: more: is not a known key"),
])
def test_what_is_wrong_is_refused_by_its_place(change: dict[str, t.Any], message: str) -> None:
    data = {"version": "v1", "kind": "rollout_typical", "sources": {"S1": "us"}, **change}
    with pytest.raises(DataError) as error:
        read_typical(documents(data))
    assert message in error.value.sentence
