# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role gpu_partition knows: its files, read as a controller reads them."""

from __future__ import annotations

import functools
from typing import Any

import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.capabilities import Capabilities
from ansible_collections.instinct.fleet.plugins.module_utils._core.partition.reading import read_capabilities
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

DATA = ROOT / "roles/gpu_partition/files/partitioning"
FILES = sorted(str(path.relative_to(DATA)) for path in DATA.rglob("*.yml"))


def document(path: str) -> Any:
    """What one of our files holds; yours to change."""
    return yaml.safe_load((DATA / path).read_text(encoding="utf-8"))


@functools.cache
def own() -> Capabilities:
    """All that our files say."""
    return read_capabilities({"path": path, "data": document(path), "layer": 0} for path in ("drivers.yml", "products.yml"))
