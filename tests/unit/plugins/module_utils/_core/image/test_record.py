# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of an image says what was built of what."""

from __future__ import annotations

import json

from ansible_collections.instinct.fleet.plugins.module_utils._core.image import record
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.plan import steps
from ansible_collections.instinct.fleet.tests.unit.support.images import image


def test_the_record_names_every_layer() -> None:
    wanted = image()
    planned = steps(wanted, {})
    said = json.loads(record.text(wanted, planned, {planned[-1].key: "a" * 64}))
    assert [(one["name"], one["key"], one["tag"], one["id"]) for one in said.pop("layers")] == [
        (step.layer, step.key, step.tag, "a" * 64 if step is planned[-1] else None) for step in planned]
    assert said == {"version": "v1", "kind": "image_record", "name": "site", "os": "debian", "os_version": "12", "source": wanted.source,
                    "release": "rocm-7.0.2", "rocm": "7.0.2", "id": "a" * 64, "tag": planned[-1].tag}
