# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder that a layer is built in holds what its Containerfile copies, each by its digest, and goes in the end."""

from __future__ import annotations

import dataclasses as dc
import hashlib
import os
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import File, Layer, Repository
from ansible_collections.instinct.fleet.plugins.module_utils._image import context
from ansible_collections.instinct.fleet.tests.unit.plugins.image_world import World, image
from ansible_collections.instinct.fleet.tests.unit.support.images import FINGERPRINT, KEY


def test_the_folder(world: World) -> None:
    (world.folder / "model").write_bytes(b"model")
    (world.folder / "key.asc").write_text(KEY)
    digest = hashlib.sha256(b"model").hexdigest()
    far = Repository("far", "Types: deb\n", "", FINGERPRINT, f"file://{world.folder}/key.asc")
    layers = (Layer("base", repositories=(Repository("near", "Types: deb\n", KEY, FINGERPRINT), far),
                    files=(File(f"{world.folder}/model", f"sha256:{digest}", "/opt/model"),)),)
    wanted = image(world.folder / "base.tar", layers=layers)
    context.refuse(wanted, [0])
    with context.folder(str(world.folder), wanted, 0, "FROM scratch\n", 5) as path:
        found = sorted(f"{folder.removeprefix(path)}/{name}" for folder, _folders, names in os.walk(path) for name in names)
        assert found == ["/Containerfile", f"/files/{digest}", "/keys/far.asc", "/keys/near.asc", "/parent.tar",
                         "/repositories/far.sources", "/repositories/near.sources"]
        assert Path(path, "keys/far.asc").read_text() == KEY
    assert not os.path.exists(path)
    other = dc.replace(wanted, layers=(dc.replace(layers[0], repositories=(dc.replace(far, fingerprint="F" * 40),)),))
    with pytest.raises(FleetError, match=f"key.asc: holds {FINGERPRINT}, not just the pinned key F"), context.folder(str(world.folder), other, 0, "", 5):
        pass
    (world.folder / "model").write_bytes(b"other")
    with pytest.raises(FleetError, match="model: has the digest sha256:"):
        context.refuse(wanted, [0])
    with pytest.raises(FleetError, match="root: Is a directory"):
        context.refuse(dc.replace(wanted, layers=(Layer("base", files=(File(f"{world.folder}/root", f"sha256:{digest}", "/x"),)),)), [0])


def test_a_file_that_changes_after_it_was_refused_or_not_is_not_built_in(world: World) -> None:
    """Nor is one that changes while a build reads it: the folder has a copy, which is what was judged."""
    (world.folder / "link.tar").symlink_to("base.tar")
    wanted = image(world.folder / "base.tar")
    wanted = dc.replace(wanted, parent=dc.replace(wanted.parent, archive=f"{world.folder}/link.tar"))
    context.refuse(wanted, [0])
    with context.folder(str(world.folder), wanted, 0, "", 5) as path:
        (world.folder / "base.tar").write_bytes(b"another")
        assert Path(path, "parent.tar").read_bytes() == b"a tree" and not Path(path, "parent.tar").is_symlink()
    with pytest.raises(FleetError, match=r"link.tar: has the digest sha256:.*, not sha256:"), context.folder(str(world.folder), wanted, 0, "", 5):
        pass
    assert not [name for name in os.listdir(world.folder) if name.startswith(context.PREFIX)]


def test_what_an_ended_run_left_goes(world: World) -> None:
    (world.folder / "build-1").mkdir()
    context.clear(str(world.folder))
    assert not (world.folder / "build-1").exists() and (world.folder / "base.tar").exists()
