# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The node of evictions, for all tests of this folder."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

if t.TYPE_CHECKING:
    from ansible_collections.instinct.fleet.tests.unit.plugins.eviction_world import World


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> t.Iterator[World]:
    """Four GPUs that tenants have reserved, and real processes on them."""
    from ansible_collections.instinct.fleet.tests.unit.plugins.eviction_world import (
        World,  # the loader is there by now
    )

    made = World(tmp_path).live(monkeypatch)
    yield made
    made.end()
