# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Readable intent: in the form that people know, with what each value is worth."""

from __future__ import annotations

import configparser
import dataclasses as dc

from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.shape import Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_intent import intents
from ansible_collections.instinct.fleet.tests.unit.support.granted import FIRST, RECORD, VISION, grant

FILES = intents(RECORD, "/etc/site")


def parsed(text: str) -> configparser.RawConfigParser:
    found = configparser.RawConfigParser(delimiters="=", strict=True)
    found.read_string(text)
    return found


def test_devices_that_are_reserved() -> None:
    assert dict(parsed(FILES["/etc/site/device_filter.conf"])["reserved_devices"]) == {
        "0000:05:00.0": "true", "0000:26:00.0": "true", "0000:46:00.0": "true", "0000:65:00.0-0": "true",
        "0000:65:00.0-1": "false", "0000:85:00.0": "true"}


def test_what_each_tenant_is_meant_to_have() -> None:
    found = parsed(FILES["/etc/site/quality_of_service.conf"])
    assert {name: dict(found[name]) for name in found.sections()} == {
        "research_half_priority": {"devices": "0000:65:00.0-0", "compute_unit_reserve": "100%"},
        "vision_much_priority": {"devices": "0000:46:00.0", "compute_unit_reserve": "75%"},
        "research_rest_priority": {"devices": "0000:46:00.0", "compute_unit_reserve": "25%"},
        "vision_serve_priority": {"devices": "0000:05:00.0,0000:26:00.0", "compute_unit_reserve": "100%", "memory_bandwidth": "80%"}}


def test_one_reservation_of_a_tenant_has_its_name() -> None:
    text = intents(Record((VISION,), (grant("serve", "vision", FIRST),)), "/etc/site")["/etc/site/quality_of_service.conf"]
    assert parsed(text).sections() == ["vision_priority"]


def test_each_value_says_what_it_is_worth() -> None:
    text = FILES["/etc/site/quality_of_service.conf"]
    before = dict(zip(text.splitlines()[1:], text.splitlines()))
    assert before["compute_unit_reserve = 75%"] == "# cooperative: by HSA_CU_MASK in the environment of vision"
    assert before["memory_bandwidth = 80%"] == "# intent: nothing in ROCm limits the memory bandwidth of a process"
    assert all("no program of ROCm reads this file" in file for file in FILES.values())


def test_a_share_of_unknown_compute_units_is_no_more_than_meant() -> None:
    record = Record((VISION,), (grant("a", "vision", dc.replace(FIRST, compute_units=None), share=50),))
    why = "how many a device has is not known, or not every device has a name in ROCr"
    said = f"# intent: no compute units are set apart: {why}\ncompute_unit_reserve = 50%\n"
    assert said in intents(record, "/x")["/x/quality_of_service.conf"]
