# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fabricated machine for each test."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest

if t.TYPE_CHECKING:
    from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """An empty machine."""
    # Not at the top: pytest may read this file before the one that makes the collection importable.
    from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

    return Tree(tmp_path)
