# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The directory of images: one run at a time, and when each image was used."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._image import directory


def test_one_run_at_a_time(tmp_path: Path) -> None:
    folder = str(tmp_path / "images")
    with directory.held(folder, 0, check=True):
        assert not (tmp_path / "images").exists()
    with directory.held(folder, 0, check=False), pytest.raises(FleetError, match="another run works with images here"), directory.held(folder, 0, check=False):
        pass
    with directory.held(folder, 0, check=False):
        pass


def test_uses(tmp_path: Path) -> None:
    folder = str(tmp_path)
    assert directory.used(folder, "a") is None
    directory.use(folder, "a")
    assert abs((directory.used(folder, "a") or 0) - time.time()) < 60
    directory.forget(folder, ["a", "never"])
    assert directory.used(folder, "a") is None
