# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role gpu_qos knows: its files, read as a controller reads them."""

from __future__ import annotations

import functools
from typing import Any

import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.qos.products import Limits, read_products
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

DATA = ROOT / "roles/gpu_qos/files/qos"
FILES = sorted(str(path.relative_to(DATA)) for path in DATA.rglob("*.yml"))


def document(path: str) -> Any:
    """What one of our files holds; yours to change."""
    return yaml.safe_load((DATA / path).read_text(encoding="utf-8"))


def profile(name: str = "mine", **settings: Any) -> dict[str, Any]:
    """A document of a profile; keys that are none of its settings are given as the keys of the file."""
    rest = {key: settings.pop(key) for key in ("products", "optional", "measured") if key in settings}
    return {"version": "v1", "kind": "qos_profile", "name": name, "description": "d", "settings": settings, "sources": ["s"], **rest}


@functools.cache
def own() -> dict[str, Limits]:
    """All that our files say of products."""
    return read_products([{"path": "products.yml", "data": document("products.yml"), "layer": 0}])
