# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter exporter_notes."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.instinct.fleet.plugins.filter import exporter_notes as plugin
from ansible_collections.instinct.fleet.plugins.plugin_utils.logical_devices import plain
from ansible_collections.instinct.fleet.tests.unit.support.layouts import devices

BEFORE, AFTER = plain(devices()), plain(devices("CPX/NPS4"))


def run(*arguments):
    return plugin.FilterModule().filters()["exporter_notes"](*arguments)


@pytest.mark.parametrize(("config", "number"), [({"GPUConfig": {"Selector": "0"}}, 1), ({"ServerPort": 5000}, 0)])
def test_it_says_what_counts_devices(config, number):
    assert len(run(config, BEFORE, AFTER)) == number
    assert run(config, BEFORE, BEFORE) == []


@pytest.mark.parametrize(("arguments", "sentence"), [
    (("x", BEFORE, AFTER), "config.json: is no mapping; write it as AMD's example has it"),
    (({}, 8, AFTER), "before: is int, not a list; give it what partition_layout returns"),
    (({}, BEFORE, None), "after: is NoneType, not a list; give it what partition_layout returns"),
])
def test_what_is_not_of_its_form_is_one_sentence(arguments, sentence):
    with pytest.raises(AnsibleFilterError) as caught:
        run(*arguments)
    assert str(caught.value) == sentence
