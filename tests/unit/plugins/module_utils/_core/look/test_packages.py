# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a look says of packages and their sources, as a node sends it."""

from __future__ import annotations

import dataclasses as dc
import json

from ansible_collections.instinct.fleet.tests.unit.support import shapes


def test_as_a_node_sends_it() -> None:
    assert json.loads(json.dumps(dc.asdict(shapes.REPOSITORIES)))["keyrings"] == [
        {"path": "/etc/apt/keyrings/rocm.gpg", "fingerprints": ["CA8BB4727A47B4D09B4EE8969386B48A1A693C5C"]}]
    packages = json.loads(json.dumps(dc.asdict(shapes.PACKAGES)))
    assert (packages["installed"], packages["unknown"]) == ([], {"installed": "the database is locked"})
