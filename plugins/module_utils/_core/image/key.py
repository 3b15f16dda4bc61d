# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The key of a layer: what it is made of. Two layers with one key are the same, and the second is not built."""

from __future__ import annotations

import dataclasses as dc
import hashlib
import json

from . import containerfile
from .shape import Image

FORM = 1  # grows when the same definition is to be built otherwise: then nothing built before counts


def keys(image: Image) -> tuple[str, ...]:
    """SHA-256 of each layer, from the lowest: over the key below, the Containerfile and all that it takes in.

    Wishes count too: a layer that was judged by others is judged anew.
    """
    found: list[str] = []
    for index, layer in enumerate(image.layers):
        below = found[-1] if found else image.parent.digest
        parts = {
            "form": FORM, "image": image.name, "layer": layer.name, "below": below, "base": image.parent.image,
            "os": [image.os, image.os_version],
            "containerfile": containerfile.text(image, index, below if found or image.parent.image else ""),
            "sources": [[repository.text, repository.fingerprint] for repository in layer.repositories],
            "budget": layer.budget_bytes, "wants": dc.asdict(image.wants), "source": image.source,
        }
        found.append(hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest())
    return tuple(found)
