# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a layer in its tree."""

from __future__ import annotations

import os
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import File, Layer
from ansible_collections.instinct.fleet.plugins.module_utils._image import placed
from ansible_collections.instinct.fleet.tests.unit.plugins.image_world import sha256

TEXT = "model" * 500_000  # of several pieces
FILE = File("/srv/model", f"sha256:{sha256(TEXT)}", "/opt/model", "0750")
Spoil = t.Callable[[Path], object]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree as it should be, in which /opt is a link that leads out of it where it is taken as it stands."""
    (tmp_path / "usr/opt").mkdir(parents=True)
    (tmp_path / "opt").symlink_to("/usr/opt")
    (tmp_path / "usr/opt/model").write_text(TEXT)
    (tmp_path / "usr/opt/model").chmod(0o750)
    return tmp_path


def wrong(root: Path, *run: str) -> tuple[str, ...]:
    return placed.wrong(str(root), Layer("base", files=(FILE,), run=run), 10)


def test_all_is_well(root: Path) -> None:
    assert wrong(root) == ()


@pytest.mark.parametrize(("spoil", "said"), [
    (lambda path: path.write_text("other"), f"/opt/model has the digest sha256:{sha256('other')}, not {FILE.digest}"),
    (lambda path: path.chmod(0o644), "/opt/model has the mode 0644, not 0750"),
    (lambda path: path.chmod(0o4750), "/opt/model has the mode 04750, not 0750"),
    (lambda path: (path.unlink(), path.mkdir()), "/opt/model is no plain file"),
    (lambda path: path.unlink(), "/opt/model is not there"),
])
def test_what_is_wrong(root: Path, spoil: Spoil, said: str) -> None:
    spoil(root / "usr/opt/model")
    assert wrong(root) == (said,)


def test_commands_may_take_a_file_away_and_not_change_it(root: Path) -> None:
    (root / "usr/opt/model").chmod(0o600)
    assert wrong(root, "true") == ("/opt/model has the mode 0600, not 0750",)
    os.unlink(root / "usr/opt/model")
    assert wrong(root, "tar -xf /opt/model && rm /opt/model") == ()
