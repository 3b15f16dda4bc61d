# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks: what is asked of the machine."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.release.products import DeviceIds
from ansible_collections.instinct.fleet.plugins.module_utils._node.machine import Machine
from ansible_collections.instinct.fleet.plugins.module_utils._partition import eyes
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree


def test_gpus_that_no_driver_names_are_named_by_their_ids(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    def machine(seconds: float) -> Machine:
        return tree.machine(timeout=seconds)

    tree.pci("0000:05:00.0", driver=None)
    monkeypatch.setattr(eyes, "machine", machine)
    seen = eyes.look(eyes.AFTER, (DeviceIds("MI300X", ("74a1",), ()),))
    assert seen.gpus is not None and [gpu.product for gpu in seen.gpus.gpus] == ["MI300X"]
    assert seen.smi is None


def test_the_machine_is_this_one() -> None:
    assert eyes.machine(5).exists("/proc/self")
