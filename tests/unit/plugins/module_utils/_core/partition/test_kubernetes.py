# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node offers in Kubernetes."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.kubernetes import kubernetes
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.layout import layout
from ansible_collections.instinct.fleet.tests.unit.support.layouts import CAPABILITIES, devices, gpu, node, wanted

# AMD's own example of a node with two styles.
TWO = layout(node(), CAPABILITIES, wanted("CPX/NPS1", 5, 6, 7))
WHOLE = layout(node(gpu(0, None, None, product="MI210"), gpu(1, None, None, product="MI210")), CAPABILITIES)
# A GPU without modes counts as none of them.
ODD = layout(node(gpu(0), gpu(1, None, None, product="MI210")), CAPABILITIES)
UNKNOWN = layout(node(gpu(0), gpu(1, "CPX", "NPS1", 8, product=None)), CAPABILITIES)


@pytest.mark.parametrize(("given", "strategy", "resources"), [
    (devices(), "single", {"amd.com/gpu": 8}),
    (devices(), "mixed", {"amd.com/spx_nps1": 8}),
    (devices("CPX/NPS4"), "single", {"amd.com/gpu": 64}),
    (devices("CPX/NPS4"), "mixed", {"amd.com/cpx_nps4": 64}),
    (TWO, "mixed", {"amd.com/spx_nps1": 5, "amd.com/cpx_nps1": 24}),
    (TWO, "single", {}),
    (WHOLE, "single", {"amd.com/gpu": 2}),
    (WHOLE, "mixed", {"amd.com/gpu": 2}),
    (ODD, "single", {"amd.com/gpu": 2}),
    (ODD, "mixed", {"amd.com/spx_nps1": 1, "amd.com/gpu": 1}),
    ((), "single", {}),
    ((), "mixed", {}),
])
def test_resources_have_the_names_of_the_strategy(given, strategy, resources):
    found = kubernetes(given, strategy)
    assert found.resources == resources
    assert found.arguments == (f"--resource_naming_strategy={strategy}",)


@pytest.mark.parametrize(("given", "labels"), [
    (devices("CPX/NPS4"), {"amd.com/compute-memory-partition": "cpx_nps4", "amd.com/gpu.cu-count": "38", "amd.com/gpu.vram": "24G"}),
    (devices(), {"amd.com/compute-memory-partition": "spx_nps1", "amd.com/gpu.cu-count": "304", "amd.com/gpu.vram": "192G"}),
    (TWO, {"amd.com/gpu.cu-count.304": "5", "amd.com/gpu.cu-count.38": "24",
           "amd.com/gpu.vram.192G": "5", "amd.com/gpu.vram.24G": "24"}),
    (WHOLE, {"amd.com/gpu.cu-count": "104", "amd.com/gpu.vram": "64G"}),
    (UNKNOWN, {}),
    ((), {}),
])
def test_labels_are_those_that_the_labeller_would_write(given, labels):
    assert kubernetes(given).labels == labels


def test_what_the_device_plugin_does_not_take_is_said():
    assert [note for note in kubernetes(TWO, "single").notes if "single" in note] == [
        "devices are spx_nps1 and cpx_nps1, and with the naming strategy single the device plugin takes no node with more "
        "than one style: use mixed, or one mode for all GPUs"]
    for taken in (kubernetes(TWO, "mixed"), kubernetes(devices("CPX/NPS4"))):
        assert taken.notes == ("the device plugin and the node labeller read partitions when they start: restart their pods "
                               "on the node",)


@pytest.mark.parametrize("strategy", ["multi", "", None, 1])
def test_another_strategy_is_refused(strategy):
    with pytest.raises(FleetError) as caught:
        kubernetes(devices(), strategy)
    assert caught.value.sentence == f"naming strategy: is {strategy!r}; choose one of single, mixed"
