# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Logical devices, and the cores near them, as plain data."""

from __future__ import annotations

import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.plugin_utils.logical_devices import cores, plain, read
from ansible_collections.instinct.fleet.tests.unit.support.layouts import devices

ONE = plain(devices()[:1])[0]


@pytest.mark.parametrize("mode", [None, "CPX/NPS4"])
def test_what_is_written_is_read(mode):
    assert read(json.loads(json.dumps(plain(devices(mode))))) == devices(mode)


@pytest.mark.parametrize(("data", "sentence"), [
    ("all", "devices: is str, not a list; give it what partition_layout returns"),
    (None, "devices: is NoneType, not a list; give it what partition_layout returns"),
    ([1], "devices[0]: is int, not a mapping"),
    ([{"gpu": "0000:05:00.0"}], "devices[0]: lacks compute, gpu_index, index, memory, partition"),
    ([{**ONE, "card": 1}], "devices[0]: has unknown keys card; the module on the node is of another version"),
    ([{**ONE, "index": True}], "devices[0].index: is True, not int"),
    ([{**ONE, "index": "0"}], "devices[0].index: is '0', not int"),
    ([ONE, ONE], "devices[1]: is partition 0 of gpu 0000:05:00.0 once more; give each device once"),
])
def test_what_is_no_device_is_refused(data, sentence):
    with pytest.raises(FleetError) as caught:
        read(data)
    assert caught.value.sentence == sentence


@pytest.mark.parametrize(("given", "found"), [
    (None, {}), ({}, {}), ({0: "0-95", "1": "96-191"}, {0: "0-95", 1: "96-191"}), ({0: 5}, {0: "5"}),
    ({0: None}, {0: None}),  # whose form the line of gres.conf has to answer for
])
def test_cores_near_a_numa_node(given, found):
    assert cores(given, "cores") == found


@pytest.mark.parametrize("key", ["near", "-1", "", True, 1.5, "\u0661"])
def test_what_is_no_numa_node_is_refused(key):
    with pytest.raises(FleetError, match=r"^slurm_cores: has a key .*, which is no number of a NUMA node"):
        cores({key: "0-95"}, "slurm_cores")
