# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter cdi_spec."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.instinct.fleet.plugins.filter import cdi_spec as plugin
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.cdi import cdi_spec
from ansible_collections.instinct.fleet.plugins.plugin_utils.logical_devices import plain
from ansible_collections.instinct.fleet.tests.unit.support.cdi import faults
from ansible_collections.instinct.fleet.tests.unit.support.layouts import devices


def run(given):
    return plugin.FilterModule().filters()["cdi_spec"](given)


@pytest.mark.parametrize("mode", [None, "CPX/NPS4"])
def test_it_is_the_cores_specification(mode):
    assert run(plain(devices(mode))) == cdi_spec(devices(mode))
    assert faults(run(plain(devices(mode)))) == []


@pytest.mark.parametrize(("given", "sentence"), [
    ({}, "devices: is dict, not a list; give it what partition_layout returns"),
    ([], "CDI specification: would be without a device, which is none; remove the file"),
    ([None], "devices[0]: is NoneType, not a mapping"),
])
def test_what_is_no_list_of_devices_is_one_sentence(given, sentence):
    with pytest.raises(AnsibleFilterError) as caught:
        run(given)
    assert str(caught.value) == sentence
