# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CDI specifications."""

from __future__ import annotations

import dataclasses as dc
import re

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.cdi import cdi_spec
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.layout import layout
from ansible_collections.instinct.fleet.tests.unit.support.cdi import faults
from ansible_collections.instinct.fleet.tests.unit.support.layouts import CAPABILITIES, devices, gpu, node, wanted

TWO = layout(node(gpu(0), gpu(1)), CAPABILITIES, wanted("DPX/NPS2", 1))


def nodes_of(spec: dict) -> dict:
    return {device["name"]: [one["path"] for one in device["containerEdits"]["deviceNodes"]] for device in spec["devices"]}


def test_devices_have_the_toolkits_numbers_and_names_that_stay():
    first, second, third = "/dev/dri/renderD128", "/dev/dri/renderD136", "/dev/dri/renderD137"
    assert nodes_of(cdi_spec(TWO)) == {
        "0": [first], "1": [second], "2": [third],
        "0000:05:00.0-0": [first], "0000:26:00.0-0": [second], "0000:26:00.0-1": [third],
        "0000:05:00.0": [first], "0000:26:00.0": [second, third],
        "all": [first, second, third],
    }


def test_every_device_brings_what_all_share_and_no_right_beyond_use():
    spec = cdi_spec(TWO)
    assert (spec["kind"], spec["cdiVersion"]) == ("amd.com/gpu", "0.5.0")
    assert spec["containerEdits"] == {"deviceNodes": [{"path": "/dev/kfd", "permissions": "rw"}]}
    assert {one["permissions"] for device in spec["devices"] for one in device["containerEdits"]["deviceNodes"]} == {"rw"}


@pytest.mark.parametrize("mode", [None, "SPX/NPS1", "DPX/NPS2", "CPX/NPS4"])
def test_it_is_of_the_published_form(mode):
    spec = cdi_spec(devices(mode))
    assert faults(spec) == []
    assert len(spec["devices"]) == 2 * len(devices(mode)) + 8 + 1


@pytest.mark.parametrize(("change", "fault"), [
    (lambda spec: spec.update(cdiVersion="0.5"), "cdiVersion"),
    (lambda spec: spec.update(kind="amd.com/gpu/x"), "kind"),
    (lambda spec: spec.update(devices=[]), "devices"),
    (lambda spec: spec["devices"][0].update(name="a/b"), "devices.0.name"),
    (lambda spec: spec["devices"][0].pop("containerEdits"), "devices.0"),
    (lambda spec: spec["devices"][0].update(nodes=[]), "devices.0"),
    (lambda spec: spec["devices"][0]["containerEdits"].update(deviceNodes=[]), "devices.0.containerEdits.deviceNodes"),
    (lambda spec: spec["devices"][0]["containerEdits"]["deviceNodes"][0].update(permissions="rx"),
     "devices.0.containerEdits.deviceNodes.0.permissions"),
    (lambda spec: spec["devices"].append(spec["devices"][0]), "devices"),
])
def test_the_check_of_the_form_finds_what_is_wrong(change, fault):
    spec = cdi_spec(TWO)
    change(spec)
    assert [found.split(": ")[0] for found in faults(spec)] == [fault]


@pytest.mark.parametrize(("given", "sentence"), [
    ((), "CDI specification: would be without a device, which is none; remove the file"),
    ((TWO[0], dc.replace(TWO[1], index=0)),
     "CDI specification: the name '0' of a device is there twice; look at the node again"),
    ((dc.replace(TWO[0], gpu="all"),),
     "CDI specification: the name 'all' of a device is there twice; look at the node again"),
    ((dc.replace(TWO[0], gpu="../etc"),),
     "CDI specification: the name '../etc-0' of a device does not match .*; look at the node again"),
    ((dc.replace(TWO[0], render_node=None),),
     "gpu 0000:05:00.0 partition 0: its render node is not known; make the change, and look at the node again"),
])
def test_what_cannot_be_named_is_refused(given, sentence):
    with pytest.raises(FleetError) as caught:
        cdi_spec(given)
    assert re.fullmatch(sentence.replace("(", r"\("), caught.value.sentence)
