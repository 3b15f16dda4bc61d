# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives: what they hold, and how one is written; their way to other stores is in test_store.py."""

from __future__ import annotations

import os
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.engines import Stored
from ansible_collections.instinct.fleet.plugins.module_utils._image import archived
from ansible_collections.instinct.fleet.plugins.module_utils._image.tools import Tools
from ansible_collections.instinct.fleet.tests.unit.plugins.image_world import World, of_ours, pack

ID, OTHER, TAG = "a" * 64, "b" * 64, "localhost/duo/base:1"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive of the image."""
    pack(tmp_path / "duo.tar", ID)
    return tmp_path / "duo.tar"


def test_an_archive_holds_an_image(archive: Path) -> None:
    assert (archived.held(str(archive)).id, archived.held(str(archive)).digest) == (ID, pack(archive, ID))


@pytest.mark.parametrize(("spoil", "sentence"), [
    (lambda path: path.unlink(), "is not there; carry the archive here, then run again"),
    (lambda path: path.write_bytes(b"x" * 2000), "is no whole OCI archive: .*; carry it here anew"),
    (lambda path: pack(path, ID, blob='{"config": {}}'), "has a manifest that is not of its digest"),
    (lambda path: pack(path, ID, index='{"manifests": []}'), "holds 0 images, not one; export the image anew"),
    (lambda path: pack(path, ID, index='{"manifests": [{"digest": "sha256:' + "0" * 64 + '"}]}'), "is no whole OCI archive"),
])
def test_an_archive_that_is_not_whole_is_refused(archive: Path, spoil: t.Callable[[Path], t.Any], sentence: str) -> None:
    spoil(archive)
    with pytest.raises(FleetError, match=sentence):
        archived.held(str(archive))


def test_it_is_written_for_its_owner_alone(world: World) -> None:
    """Who may read it besides is said by who carries it: an image may hold what is not everybody's."""
    world.store = {ID: ([TAG], of_ours("k"))}
    path = str(world.folder / "out/duo.tar")
    archived.write(path, TAG, Stored(ID, (TAG,), of_ours("k"), 1, 1), Tools(10))
    assert (os.stat(path).st_mode & 0o777, archived.is_of(path, ID), archived.is_of(path, OTHER)) == (0o600, True, False)


def test_a_tag_that_is_moved_while_it_is_written_is_told(world: World) -> None:
    world.store = {OTHER: ([TAG], {})}
    with pytest.raises(FleetError, match=f"{TAG}: is now a name of the image {OTHER}, not of {ID}; build again: layers that are there stay"):
        archived.write(str(world.folder / "out/duo.tar"), TAG, Stored(ID, (TAG,), {}, 1, 1), Tools(10))
    assert os.listdir(world.folder / "out") == []
