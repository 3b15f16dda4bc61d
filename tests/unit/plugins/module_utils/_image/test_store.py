# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Transport: one id and one digest from a store over an archive and a registry to another store."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t
from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._image import store
from ansible_collections.instinct.fleet.plugins.module_utils._image.directory import brought
from ansible_collections.instinct.fleet.plugins.module_utils._image.store import Request
from ansible_collections.instinct.fleet.plugins.module_utils._image.tools import Tools
from ansible_collections.instinct.fleet.tests.unit.plugins.image_world import World, of_ours, pack

ID, OTHER, TAG, DESTINATION = "a" * 64, "b" * 64, "localhost/duo/application:1", "reg.example.org:5000/fleet/duo:1"
TOOLS = Tools(10)


def request(world: World, **asked: t.Any) -> Request:
    return Request(**{"archive": str(world.folder / "out/duo.tar"), "directory": str(world.folder / "images"), **asked})


@pytest.fixture
def archive(world: World) -> Path:
    """An archive of the image, as it was carried here."""
    (world.folder / "out").mkdir()
    pack(world.folder / "out/duo.tar", ID)
    return world.folder / "out/duo.tar"


def test_exported_once(world: World) -> None:
    world.store[ID] = ([TAG], of_ours("k"))
    asked = request(world, image=TAG)
    path = Path(asked.archive)
    foreseen = store.exported(dc.replace(asked, check=True), TOOLS)
    assert (foreseen.actions, foreseen.values["digest"], path.exists()) == ((f"write {path}",), "", False)
    done = store.exported(asked, TOOLS)
    note = json.loads(Path(f"{path}.json").read_text())
    assert (done.actions, note["id"], note["digest"], note["tag"], note["labels"]) == (foreseen.actions, ID, done.values["digest"], TAG, of_ours("k"))
    assert note["size_bytes"] == path.stat().st_size and sorted(one.name for one in path.parent.iterdir()) == ["duo.tar", "duo.tar.json"]
    again = store.exported(asked, TOOLS)
    assert (again.actions, again.values) == ((), done.values)
    path.write_bytes(path.read_bytes()[:-1] + b"\1")
    assert store.exported(asked, TOOLS).actions == done.actions


def test_an_export_that_fails_leaves_no_archive(world: World) -> None:
    world.store[ID], world.fails = ([TAG], {}), {"podman save": "Error: write /x: no space left on device"}
    with pytest.raises(FleetError, match=r"duo.tar: there is no room left on its disk; make room there"):
        store.exported(request(world, image=TAG), TOOLS)
    assert list((world.folder / "out").iterdir()) == []
    with pytest.raises(FleetError, match="other:1: is not in the store of this node; build, import or pull it first"):
        store.exported(request(world, image="other:1"), TOOLS)


def test_imported_without_a_registry(world: World, archive: Path) -> None:
    asked = request(world, tag=TAG, id=ID, digest=store.held(str(archive)).digest)
    foreseen = store.imported(dc.replace(asked, check=True), TOOLS)
    assert (foreseen.actions, world.store) == ((f"load {archive}", f"tag it {TAG}"), {})
    done = store.imported(asked, TOOLS)
    assert (done.actions, done.values["id"], TAG in world.names()) == (foreseen.actions, ID, True)
    assert store.imported(asked, TOOLS).actions == ()
    world.store[ID] = ([], {})
    assert store.imported(asked, TOOLS).actions == (f"tag it {TAG}",)
    assert not any("skopeo" in one for one in world.told)


@pytest.mark.parametrize(("asked", "sentence"), [
    ({"id": OTHER}, f"duo.tar: holds the id {ID}, not {OTHER}; carry the archive of that image here, whole"),
    ({"digest": "sha256:1"}, "duo.tar: holds the digest sha256:[0-9a-f]{64}, not sha256:1"),
])
def test_an_archive_of_another_image_is_not_loaded(world: World, archive: Path, asked: dict[str, str], sentence: str) -> None:
    with pytest.raises(FleetError, match=sentence):
        store.imported(request(world, **asked), TOOLS)
    assert world.store == {} and archive.exists()


def test_pushed_and_pulled_with_one_digest(world: World, archive: Path) -> None:
    asked = request(world, destination=DESTINATION, sign_by="F" * 40, authfile="/auth")
    foreseen = store.pushed(dc.replace(asked, check=True), TOOLS)
    digest = store.held(str(archive)).digest
    signs = f"sign reg.example.org:5000/fleet/duo@{digest} by {'F' * 40}"
    assert (foreseen.actions, world.registry) == ((f"push {archive} to {DESTINATION}", signs), {})
    done = store.pushed(asked, TOOLS)
    assert (done.actions, done.values["reference"]) == (foreseen.actions, f"reg.example.org:5000/fleet/duo@{digest}")
    assert any("--preserve-digests --sign-by " + "F" * 40 + " --dest-authfile /auth" in one for one in world.told)
    assert store.pushed(asked, TOOLS).actions == ()
    wanted = Request(image=done.values["reference"], id=ID, tag=TAG, directory=asked.directory)
    assert store.pulled(dc.replace(wanted, check=True), TOOLS).actions == (f"pull {wanted.image}", f"tag it {TAG}")
    got = store.pulled(wanted, TOOLS)
    assert (got.values["id"], got.values["digest"], got.values["reference"]) == (ID, digest, wanted.image)
    assert (store.pulled(wanted, TOOLS).actions, TAG in world.names()) == ((), True)


def test_what_the_registry_has_is_signed_too(world: World, archive: Path) -> None:
    """It was pushed without a signature, or by a key of old, or it could not be signed."""
    asked = request(world, destination=DESTINATION)
    store.pushed(asked, TOOLS)
    asked = dc.replace(asked, sign_by="F" * 40)
    signs = f"sign reg.example.org:5000/fleet/duo@{store.held(str(archive)).digest} by {{}}"
    world.fails = {"skopeo copy": "Error: no secret key"}
    with pytest.raises(FleetError, match="no secret key"):
        store.pushed(asked, TOOLS)
    world.fails = {}
    assert store.pushed(dc.replace(asked, check=True), TOOLS).actions == (signs.format("F" * 40),)
    assert store.pushed(asked, TOOLS).actions == (signs.format("F" * 40),)
    assert store.pushed(asked, TOOLS).actions == ()
    assert store.pushed(dc.replace(asked, sign_by="E" * 40), TOOLS).actions == (signs.format("E" * 40),)


def test_a_tag_that_was_moved_since_the_build_is_not_exported(world: World) -> None:
    world.store = {ID: ([TAG], {})}
    asked = request(world, image=TAG, id=OTHER)
    for one in (asked, dc.replace(asked, check=True)):
        with pytest.raises(FleetError, match=f"{TAG}: is now a name of the image {ID}, not of {OTHER}; build again"):
            store.exported(one, TOOLS)
    assert not Path(asked.archive).exists() and store.exported(dc.replace(asked, id=ID), TOOLS).values["id"] == ID


def test_an_archive_of_another_image_is_not_pushed(world: World, archive: Path) -> None:
    with pytest.raises(FleetError, match=f"holds the id {ID}, not {OTHER}"):
        store.pushed(request(world, destination=DESTINATION, id=OTHER), TOOLS)
    assert world.registry == {} and world.told == []


def test_an_import_of_what_is_yet_to_be_carried_is_foreseen(world: World) -> None:
    asked = request(world, tag=TAG, id=ID, digest="sha256:1", check=True)
    said = store.imported(asked, TOOLS)
    assert (said.actions, said.values["id"], said.values["digest"]) == ((f"load {asked.archive}", f"tag it {TAG}"), ID, "sha256:1")
    with pytest.raises(FleetError, match=r"duo.tar: is not there; carry the archive here"):
        store.imported(dc.replace(asked, id=""), TOOLS)


def test_an_archive_takes_no_name_away(world: World, archive: Path) -> None:
    pack(archive, ID, name=TAG)
    world.store = {OTHER: ([TAG], {})}
    for check in (True, False):
        with pytest.raises(FleetError, match=f"duo.tar: calls its image {TAG}, as another one here is called; give that one another name"):
            store.imported(request(world, tag="localhost/mine:1", check=check), TOOLS)
    assert world.store == {OTHER: ([TAG], {})}
    world.store[ID] = ([], {})
    assert store.imported(request(world, tag="localhost/mine:1"), TOOLS).actions == ("tag it localhost/mine:1",)


def test_what_was_brought_is_known(world: World, archive: Path) -> None:
    asked = request(world)
    assert not brought(asked.directory, ID)
    store.imported(asked, TOOLS)
    assert brought(asked.directory, ID)


def test_whatever_a_reference_holds_is_taken_where_no_id_is_asked(world: World) -> None:
    reference = f"reg.example.org/duo@sha256:{'c' * 64}"
    world.registry[reference] = json.dumps({"config": {"digest": f"sha256:{ID}"}})
    asked = Request(image=reference, directory=str(world.folder / "images"))
    assert (store.pulled(asked, TOOLS).values["id"], store.pulled(asked, TOOLS).actions) == (ID, ())
    with pytest.raises(FleetError, match=f"brought the image {ID}, not {OTHER}"):
        store.pulled(dc.replace(asked, id=OTHER), TOOLS)
    assert ID in world.store, "it was here before"
    del world.store[ID]
    with pytest.raises(FleetError, match=f"brought the image {ID}, not {OTHER}"):
        store.pulled(dc.replace(asked, id=OTHER), TOOLS)
    assert world.store == {}


def test_a_registry_that_is_away_is_told(world: World, archive: Path) -> None:
    world.fails = {"skopeo": 'level=fatal msg="pinging container registry: dial tcp: connection refused"'}
    with pytest.raises(FleetError, match=f"^{DESTINATION}: cannot be reached; see that the registry runs .* goes on where it ended$"):
        store.pushed(request(world, destination=DESTINATION), TOOLS)
    assert archive.exists()


@pytest.mark.parametrize("reference", ["", "reg/duo:1", "reg/duo@sha256:12"])
def test_what_is_not_pinned_is_not_pulled(world: World, reference: str) -> None:
    with pytest.raises(FleetError, match="is not pinned by a digest; write it as registry/name@sha256:"):
        store.pulled(Request(image=reference), TOOLS)
    assert world.told == []
