# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a look is held against, and what the node is asked, from our own data."""

from __future__ import annotations

import dataclasses as dc
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.plugin_utils import diagnosing
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node

KNOWN = diagnosing.data((), diagnosing.PROFILE)


def clock(epoch: float) -> lk.Look:
    return lk.Look(host=lk.Host(clock=lk.Clock(epoch)))


@pytest.mark.parametrize(("look", "ahead"), [
    (lk.Look(), None), (lk.Look(host=lk.Host()), None), (clock(100.0), 0.0), (clock(105.0), 0.0), (clock(110.0), 0.0),
    (clock(40.0), -60.0), (clock(170.0), 60.0),
])  # fmt: skip
def test_the_clock_is_between_before_and_after_or_ahead_or_behind(look: lk.Look, ahead: float | None) -> None:
    assert diagnosing.skew(look, 100.0, 110.0) == ahead


def test_our_data_is_whole() -> None:
    assert (KNOWN.knowledge.profile.id, len(KNOWN.knowledge.joints) > 20) == ("admission", True)
    asked = diagnosing.module_arguments(KNOWN, "all", 9)
    assert (asked["log_boots"], asked["timeout"], set(asked["sections"])) == ("all", 9, set(lk.ALL_SECTIONS))
    assert {item["where"] for item in asked["log_patterns"]} >= {"kernel", "dkms", "packages"}


def test_a_directory_of_the_site_counts(tmp_path: Path) -> None:
    (tmp_path / "joints.yml").write_text("{version: v1, kind: joints, joints: [{symptoms: [gpu-driver], causes: [driver-kind]}]}")
    known = diagnosing.data((str(tmp_path),), diagnosing.PROFILE)
    assert len(known.knowledge.joints) == len(KNOWN.knowledge.joints) + 1


def test_a_wrong_file_of_the_site_is_named(tmp_path: Path) -> None:
    (tmp_path / "joints.yml").write_text("{version: v1, kind: joints, joints: [{symptoms: [gpu-driver]}]}")
    with pytest.raises(FleetError, match=r"joints.yml: joints\[0\].causes: is missing"):
        diagnosing.data((str(tmp_path),), diagnosing.PROFILE)


def test_a_node_without_a_loaded_driver() -> None:
    said = diagnosing.judged(bare_node(), KNOWN, ["bare_metal"], {})
    assert (said["verdict"], said["root"]["id"], said["seen"]["gpus"]) == ("fail", "driver-loaded", "8 x MI300X")
    (root,) = [finding for finding in said["findings"] if finding["id"] == "driver-loaded"]
    assert {item["id"] for item in root["consequences"]} >= {"gpu-driver", "driver-bound"}


def test_settings_of_the_inventory_are_named_with_their_variable() -> None:
    said = diagnosing.judged(bare_node(), KNOWN, ["bare_metal"], {"serving_env": {"HSA_QUEUE_PRIORITY": "high"}})
    (found,) = [finding for finding in said["findings"] if finding["kind"] == "knob"]
    assert "HSA_QUEUE_PRIORITY" in found["summary"]
    assert "inventory" in str(found) and "serving_env" in str(found)


def test_a_clock_that_is_ahead_is_found() -> None:
    said = diagnosing.judged(dc.replace(bare_node(), host=lk.Host(clock=lk.Clock(0.0))), KNOWN, ["bare_metal"], {}, 3600.0)
    assert "clock-skew" in [finding["id"] for finding in said["findings"]]
