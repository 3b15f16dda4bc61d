# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a look says of settings in files, as plain data and back."""

from __future__ import annotations

import dataclasses as dc
import json

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.settings import Setting, Settings
from ansible_collections.instinct.fleet.plugins.plugin_utils.plain import from_plain

SEEN = Settings(
    (Setting("HSA_ENABLE_SDMA", "0", "environment", "/etc/systemd/system/a.service", 3, "a.service"),
     Setting("/etc/x.conf", None, "file", "/etc/x.conf")),
    7, {"/etc/slurm/slurm.conf": "Permission denied (needs root)"})


def test_it_comes_back_from_a_node_as_it_was() -> None:
    assert from_plain(Settings, json.loads(json.dumps(dc.asdict(SEEN)))) == SEEN


def test_what_was_not_read_is_not_there() -> None:
    assert from_plain(Settings, {}) == Settings()
