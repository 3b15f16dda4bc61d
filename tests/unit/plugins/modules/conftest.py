# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules in tests take a lock of their own, not that of the machine."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_lock(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The lock that modules take."""
    from ansible_collections.instinct.fleet.plugins.module_utils._act import lock  # the loader is there by now

    path = tmp_path_factory.mktemp("lock") / "lock"
    monkeypatch.setattr(lock, "LOCK", str(path))
    return path
