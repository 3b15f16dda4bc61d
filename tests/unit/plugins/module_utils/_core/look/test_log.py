# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a look says of logs, as a node sends it."""

from __future__ import annotations

import dataclasses as dc
import json

from ansible_collections.instinct.fleet.tests.unit.support import shapes


def test_as_a_node_sends_it() -> None:
    log = json.loads(json.dumps(dc.asdict(shapes.LOG)))
    assert log["read"] == [{"where": "kernel", "origin": "kmsg", "lines": 812, "complete": True, "boots": 1}]
    (hit,) = log["hits"]
    assert (hit["id"], hit["subject"], hit["count"], hit["first"], hit["last"]) == ("ring-timeout", "0000:05:00.0", 2, 7, 9)
    assert (hit["groups"], hit["sums"], hit["sample"]) == ({"ring": "sdma0"}, {"new_count": 3}, ["a", "b"])
