# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration of the device metrics exporter after a change."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.exporter import exporter_notes

NOTE = ("GPUConfig.Selector of the exporter is '0-3', which counts devices: there were 8 and are 64, so it chooses others; "
        "correct or remove it")


@pytest.mark.parametrize(("config", "after", "notes"), [
    ({}, 64, ()),
    ({"ServerPort": 5000, "GPUConfig": {"Fields": ["GPU_HEALTH"], "Labels": ["GPU_UUID"]}}, 64, ()),
    ({"GPUConfig": {"Selector": ""}}, 64, ()),
    ({"GPUConfig": {"Selector": "0-3"}}, 8, ()),
    ({"GPUConfig": {"Selector": "0-3"}}, 64, (NOTE,)),
])
def test_only_what_counts_devices_is_spoken_of(config, after, notes):
    assert exporter_notes(config, 8, after) == notes


@pytest.mark.parametrize(("config", "sentence"), [
    ([], "config.json: is no mapping; write it as AMD's example has it"),
    (None, "config.json: is no mapping; write it as AMD's example has it"),
    ({"GPUConfig": "all"}, "config.json: GPUConfig: is no mapping; write it as AMD's example has it"),
    ({"GPUConfig": {"Selector": 3}}, "config.json: GPUConfig.Selector: is no text; write it as text, such as 0,2-3"),
])
def test_what_is_no_configuration_is_refused(config, sentence):
    with pytest.raises(FleetError) as caught:
        exporter_notes(config, 8, 64)
    assert caught.value.sentence == sentence
