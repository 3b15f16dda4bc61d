# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From plain data back to dataclasses: strict, because it came from a host."""

from __future__ import annotations

import dataclasses as dc
import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.health import Health
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Kernel, Look
from ansible_collections.instinct.fleet.plugins.plugin_utils.plain import from_plain
from ansible_collections.instinct.fleet.tests.unit.support import shapes
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node


def test_a_look_survives_json():
    node = bare_node()
    assert from_plain(Look, json.loads(json.dumps(dc.asdict(node)))) == node


@pytest.mark.parametrize("shape", shapes.ALL, ids=lambda shape: type(shape).__name__)
def test_every_shape_survives_json(shape):
    assert from_plain(type(shape), json.loads(json.dumps(dc.asdict(shape)))) == shape


def test_a_count_that_is_text_is_refused():
    with pytest.raises(DataError, match=r"Health\.gpus\[0\]\.pcie_replays: is 'N/A', not int"):
        from_plain(Health, {"gpus": [{"bdf": "0000:05:00.0", "pcie_replays": "N/A"}]})


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ([], "kernel: is list, not a mapping"),
        ({"colour": "6.1"}, "kernel: has unknown keys colour; the module on the node is of another version"),
        ({"running": 6}, "kernel.running: is 6, not str"),
        ({"installed": {}}, "kernel.installed: is dict, not a list"),
        ({"installed": [{}]}, "kernel.installed[0]: lacks release"),
        ({"installed": [{"release": "6.1", "headers": "yes"}]}, "kernel.installed[0].headers: is 'yes', not bool"),
        ({"boot_entries": []}, "kernel.boot_entries: is list, not a mapping"),
        ({"secure_boot": 1}, "kernel.secure_boot: is 1, not bool"),
    ],
)
def test_data_of_another_form_is_refused_by_its_path(data, sentence):
    with pytest.raises(DataError) as refusal:
        from_plain(Kernel, data, "kernel")
    assert str(refusal.value) == sentence
