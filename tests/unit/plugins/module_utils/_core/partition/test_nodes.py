# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Render nodes of devices."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.nodes import render_minors
from ansible_collections.instinct.fleet.tests.unit.support.layouts import devices

FIRST, SECOND = devices()[:2]


def test_each_device_has_its_own():
    assert render_minors(devices("CPX/NPS4")) == tuple(range(128, 192))


@pytest.mark.parametrize(("node", "sentence"), [
    (None, "gpu 0000:26:00.0 partition 0: its render node is not known; make the change, and look at the node again"),
    ("/dev/dri/renderD128", "gpu 0000:26:00.0 partition 0: has the render node of gpu 0000:05:00.0 partition 0; "
                            "look at the node again"),
    ("/dev/dri/card1", "gpu 0000:26:00.0 partition 0: '/dev/dri/card1' is no render node; look at the node again"),
    ("/dev/dri/renderD1\n2", "gpu 0000:26:00.0 partition 0: '/dev/dri/renderD1\\n2' is no render node; look at the node again"),
    ("/dev/dri/renderD129\n", "gpu 0000:26:00.0 partition 0: '/dev/dri/renderD129\\n' is no render node; look at the node again"),
])
def test_a_device_without_one_of_its_own_is_refused(node, sentence):
    with pytest.raises(FleetError) as caught:
        render_minors((FIRST, dc.replace(SECOND, render_node=node)))
    assert caught.value.sentence == sentence
