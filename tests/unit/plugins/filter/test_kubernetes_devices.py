# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter kubernetes_devices."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.instinct.fleet.plugins.filter import kubernetes_devices as plugin
from ansible_collections.instinct.fleet.plugins.plugin_utils.logical_devices import plain
from ansible_collections.instinct.fleet.tests.unit.support.layouts import devices


def run(given, *arguments):
    return plugin.FilterModule().filters()["kubernetes_devices"](given, *arguments)


def test_it_is_the_cores_answer_as_plain_data():
    assert run(plain(devices("CPX/NPS4")), "mixed") == {
        "arguments": ["--resource_naming_strategy=mixed"],
        "resources": {"amd.com/cpx_nps4": 64},
        "labels": {"amd.com/compute-memory-partition": "cpx_nps4", "amd.com/gpu.cu-count": "38", "amd.com/gpu.vram": "24G"},
        "notes": ["the device plugin and the node labeller read partitions when they start: restart their pods on the node"]}


@pytest.mark.parametrize(("arguments", "sentence"), [
    (([], "both"), "naming strategy: is 'both'; choose one of single, mixed"),
    (([], ["single"]), "naming strategy: is ['single']; choose one of single, mixed"),
    ((3,), "devices: is int, not a list; give it what partition_layout returns"),
])
def test_what_is_not_of_its_form_is_one_sentence(arguments, sentence):
    with pytest.raises(AnsibleFilterError) as caught:
        run(*arguments)
    assert str(caught.value) == sentence
