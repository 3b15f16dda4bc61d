# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a look says of logs, as plain data and back."""

from __future__ import annotations

import dataclasses as dc
import json

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.log import Hit, Log, LogRead
from ansible_collections.instinct.fleet.plugins.plugin_utils.plain import from_plain

SEEN = Log(
    (LogRead("kernel", "kmsg", 812, True, 1),),
    (Hit("ring-timeout", "kernel", "kmsg", "0000:05:00.0", 2, 7, 9, {"ring": "sdma0"}, {"new_count": 3}, ("a", "b"), "1.5", "2.5"),),
    {"packages": "there is no log"})


def test_it_comes_back_from_a_node_as_it_was() -> None:
    assert from_plain(Log, json.loads(json.dumps(dc.asdict(SEEN)))) == SEEN


def test_what_was_not_read_is_not_there() -> None:
    assert from_plain(Log, {}) == Log()
