# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Health as a node sends it: numbers with their units in the names, and nothing that was not read."""

from __future__ import annotations

import dataclasses as dc
import json

from ansible_collections.instinct.fleet.tests.unit.support import shapes


def test_as_a_node_sends_it() -> None:
    (gpu,) = json.loads(json.dumps(dc.asdict(shapes.HEALTH)))["gpus"]
    assert gpu["pages"] == {"retired": 2, "pending": 1, "unreservable": 1, "threshold": 256}
    assert gpu["blocks"] == {"umc": {"correctable": 3, "uncorrectable": 1, "deferred": 0}}
    assert gpu["cper"][1] == {"severity": "fatal", "epoch": None, "afids": []}
    assert (gpu["power_w"], gpu["power_cap_w"], gpu["clocks"]["gfx"]["current_mhz"]) == (412, 600, 132)
    assert gpu["xgmi_links"] == ["up", "down", "absent"]
