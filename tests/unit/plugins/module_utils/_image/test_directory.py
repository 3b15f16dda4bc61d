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
    directory.came(folder, "a")
    assert directory.brought(folder, "a") and not directory.brought(folder, "b")
    directory.use(folder, "b")
    directory.forget_others(folder, {"b", "never"})
    assert directory.used(folder, "a") is None and not directory.brought(folder, "a") and directory.used(folder, "b")
    directory.forget_others(str(tmp_path / "none"), ())


def test_signatures(tmp_path: Path) -> None:
    directory.sign(str(tmp_path), "reg/duo:1", "sha256:1", "F")
    assert directory.signed(str(tmp_path), "reg/duo:1", "sha256:1", "F")
    assert not directory.signed(str(tmp_path), "reg/duo:1", "sha256:1", "E")


def test_a_directory_is_known_from_others(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    found = directory.identity(str(tmp_path))
    assert directory.identity(str(tmp_path)) == found != directory.identity(str(tmp_path / "other"))
    (tmp_path / "identity").write_bytes(b"\xff\n")  # a run was ended as it made it
    assert directory.identity(str(tmp_path)) not in (found, "")
