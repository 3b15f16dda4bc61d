# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a look says of the machine around the GPUs, as a node sends it."""

from __future__ import annotations

import dataclasses as dc
import json

from ansible_collections.instinct.fleet.tests.unit.support import shapes


def test_as_a_node_sends_it() -> None:
    host = json.loads(json.dumps(dc.asdict(shapes.HOST)))
    assert host["devices"][0]["link"] == {"width": None, "max_width": None, "speed_mts": None, "max_speed_mts": None}
    assert (host["devices"][0]["bars_unplaced"], host["devices"][0]["acs"]) == ([-1], 0x1D)
    assert host["limits"] == [{"process": "slurmd", "pid": 41, "memlock_bytes": -1, "open_files": 1024}]
    assert host["clock"] == {"epoch": 1700000000.5, "synchronized": True, "booted": 1699999999.0}
