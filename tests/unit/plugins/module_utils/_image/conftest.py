# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node with engines for containers, for each test."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

if t.TYPE_CHECKING:
    from ansible_collections.instinct.fleet.tests.unit.plugins.image_world import World


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A store with nothing in it."""
    from ansible_collections.instinct.fleet.tests.unit.plugins.image_world import World  # the loader is there by now

    return World(tmp_path).live(monkeypatch)
