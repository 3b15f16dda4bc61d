# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The record of an image that was built: its layers, by what they are made of and what came of it."""

from __future__ import annotations

import json
import typing as t

from .plan import Step
from .shape import Image

KIND = "image_record"


def text(image: Image, steps: t.Sequence[Step], ids: t.Mapping[str, str]) -> str:
    """The record as JSON. ``ids``: key of a layer to the id of its image; one that has no image says null."""
    layers = [{"name": step.layer, "key": step.key, "tag": step.tag, "id": ids.get(step.key)} for step in steps]
    record = {
        "version": "v1", "kind": KIND, "name": image.name, "os": image.os, "os_version": image.os_version,
        "source": image.source, "release": image.wants.release or None, "rocm": image.wants.rocm or None,
        "id": layers[-1]["id"], "tag": layers[-1]["tag"], "layers": layers,
    }
    return json.dumps(record, indent=2, sort_keys=True) + "\n"
