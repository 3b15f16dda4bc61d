# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which version of this collection runs: an installed one has a manifest, a checkout the file that it is made of."""

from __future__ import annotations

import functools
import json
import pathlib

from .strict_yaml import load

_ROOT = pathlib.Path(__file__).resolve().parents[2]


@functools.cache
def version(root: pathlib.Path = _ROOT) -> str:
    """The version, 0.1.0.

    Raises:
        FleetError: a checkout has no readable galaxy.yml.
    """
    manifest = root / "MANIFEST.json"
    if manifest.is_file():
        return str(json.loads(manifest.read_text(encoding="utf-8"))["collection_info"]["version"])
    return str(load(root / "galaxy.yml", "ANSIBLE_COLLECTIONS_PATH")["version"])
