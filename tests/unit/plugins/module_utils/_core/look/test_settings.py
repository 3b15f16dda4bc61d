# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a look says of settings in files, as a node sends it."""

from __future__ import annotations

import dataclasses as dc
import json

from ansible_collections.instinct.fleet.tests.unit.support import shapes


def test_as_a_node_sends_it() -> None:
    settings = json.loads(json.dumps(dc.asdict(shapes.SETTINGS)))
    assert settings["settings"][1] == {
        "name": "/etc/x.conf", "value": None, "kind": "file", "file": "/etc/x.conf", "line": None, "holder": None}
    assert (settings["files"], list(settings["unknown"])) == (7, ["/etc/slurm/slurm.conf"])
