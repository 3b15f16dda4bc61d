# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A build: what is built and why, what is looked into before it has a name, and what a failure leaves."""

from __future__ import annotations

import dataclasses as dc
import json
import os
import re
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Image, Layer, Package, Parent
from ansible_collections.instinct.fleet.plugins.module_utils._image import apply
from ansible_collections.instinct.fleet.plugins.module_utils._image.directory import used
from ansible_collections.instinct.fleet.tests.unit.plugins.image_world import World, image, of_ours

FIRST = ["build the layer base: no image has its key", "build the layer application: base is built anew"]
REF = f"docker.io/library/debian@sha256:{'a' * 64}"


def run(world: World, wanted: Image | None = None, check: bool = False) -> t.Any:
    return apply.run(apply.Request(wanted or image(world.folder / "base.tar"), "0.1.0", check, 1), world.builder())


def states(said: t.Any) -> list[str]:
    return [one["state"] for one in said.values["layers"]]


def test_layers_are_built_once(world: World) -> None:
    record = str(world.folder / "images/duo.json")
    bill = record.replace(".json", ".cdx.json")
    foreseen = run(world, check=True)
    assert (foreseen.actions, states(foreseen), world.store) == ((*FIRST, f"write {record}", f"write {bill}"), ["would_build"] * 2, {})
    assert foreseen.diff[0]["after"].startswith("FROM scratch\nADD parent.tar /\n")
    done = run(world)
    assert (done.actions, states(done)) == (foreseen.actions, ["built"] * 2)
    assert re.fullmatch("localhost/duo/application:debian-12-[0-9a-f]{12}", done.values["tag"]) and len(world.names()) == 2
    again = run(world)
    assert (again.actions, again.diff, states(again), again.values["id"]) == ((), (), ["cached"] * 2, done.values["id"])
    assert not world.working and used(world.builder().directory, done.values["id"]) is not None
    said = json.loads((world.folder / "images/duo.json").read_text())
    assert (said["id"], [one["name"] for one in said["layers"]], said["release"]) == (done.values["id"], ["base", "application"], None)
    assert json.loads((world.folder / "images/duo.cdx.json").read_text())["bomFormat"] == "CycloneDX"


def test_only_what_changed_is_built(world: World) -> None:
    first = run(world)
    top = run(world, image(world.folder / "base.tar", "two"))
    assert (states(top), top.actions[0]) == (["cached", "built"], "build the layer application: no image has its key")
    assert top.values["layers"][0]["id"] == first.values["layers"][0]["id"] and top.values["tag"] != first.values["tag"]
    assert run(world, check=True).actions == tuple(f"write {first.values[name]}" for name in ())


def test_a_bill_that_is_gone_is_written_again(world: World) -> None:
    done = run(world)
    os.unlink(done.values["sbom"])
    assert run(world, check=True).actions[-1] == f"write {done.values['sbom']}"
    assert run(world).actions == (f"write {done.values['sbom']}",)


def test_a_base_of_a_registry_is_pulled_by_its_digest(world: World) -> None:
    world.registry[REF] = json.dumps({"config": {"digest": "sha256:" + "b" * 64}})
    run(world, image(world.folder / "base.tar", parent=Parent("sha256:" + "a" * 64, image=REF)))
    assert f"podman pull --quiet {REF}" in world.told and not any("parent.tar" in one for one in world.told)


def test_a_budget_is_of_what_the_layer_adds(world: World) -> None:
    layers = (Layer("base"), Layer("application", run=("true",), budget_bytes=100))
    world.seen = dc.replace(world.seen, size_bytes=1000)
    plain = image(world.folder / "base.tar", layers=layers)
    run(world, plain)
    assert states(run(world, dc.replace(plain, layers=(layers[0], dc.replace(layers[1], run=("echo",)))))) == ["cached", "built"]


WRONG: dict[str, tuple[dict[str, t.Any], str, int]] = {
    "a package of another version": ({"seen": {"packages": {"libibverbs1": "1"}}}, "image duo, layer base: .*libibverbs1", 0),
    "a provider that does not load": ({"ldd": "/lib/libibverbs.so.1:\n\tlibnl-3.so.200 => not found\n"}, "image duo, layer base: .*libnl-3.so.200", 0),
    "a disk without room": ({"fails": {"buildah build": "write /var/tmp/x: no space left on device"}}, "layer base: there is no room left on its disk", 0),
    "a program that is slow": ({"fails": {"buildah build": "slow"}}, "layer base: buildah did not end in 10 s; give it more time", 0),
    "an image that cannot be looked into": ({"fails": {"buildah mount": "Error: no"}}, "image [0-9a-f]{12}: no; mend that", 0),
}


@pytest.mark.parametrize(("change", "sentence", "named"), WRONG.values(), ids=WRONG)
def test_what_fails_leaves_nothing(world: World, change: dict[str, t.Any], sentence: str, named: int) -> None:
    world.seen = dc.replace(world.seen, **change.get("seen", {}))
    world.ldd, world.fails = change.get("ldd", world.ldd), change.get("fails", {})
    with pytest.raises(FleetError, match=sentence):
        run(world)
    assert (world.store, world.working, os.listdir(world.folder / "images")) == ({}, {}, ["lock"])
    world.fails, world.ldd = {}, World(world.folder).ldd
    world.seen = World(world.folder).seen
    assert states(run(world)) == ["built"] * 2


def test_what_a_killed_run_left_goes_with_the_next(world: World) -> None:
    (world.folder / "images/build-old").mkdir(parents=True)
    (world.folder / "images/building.json").write_text('{"base": "scratch", "before": ["theirs"], "key": "k"}')
    world.working = {"theirs": "working-container", "half": "working-container-1", "named": "of-somebody"}
    run(world)
    assert list(world.working) == ["theirs", "named"] and not (world.folder / "images/build-old").exists()


def test_layers_below_a_failure_stay(world: World) -> None:
    world.seen = dc.replace(world.seen, packages={"libibverbs1": "44.0-2"})
    wanted = image(world.folder / "base.tar")
    bad = dc.replace(wanted, layers=(wanted.layers[0], dc.replace(wanted.layers[1], packages=(Package("rocminfo", "1"),))))
    with pytest.raises(FleetError, match=r"layer application: .*rocminfo"):
        run(world, bad)
    assert len(world.names()) == 1 and states(run(world, wanted)) == ["cached", "built"]


@pytest.mark.parametrize(("content", "sentence"), [(None, "base.tar: is not on the builder; bring it there"),
                                                   (b"other", "base.tar: has the digest sha256:[0-9a-f]{64}, not sha256:")])
@pytest.mark.parametrize("check", [False, True])
def test_a_base_that_is_not_the_one_is_refused_first(world: World, content: bytes | None, sentence: str, check: bool) -> None:
    wanted = image(world.folder / "base.tar")
    (world.folder / "base.tar").unlink()
    if content:
        (world.folder / "base.tar").write_bytes(content)
    with pytest.raises(FleetError, match=sentence):
        run(world, wanted, check)
    assert not any(one.startswith("buildah") for one in world.told)


def test_an_image_that_somebody_built_on_ours_is_not_ours(world: World) -> None:
    run(world)
    ident, (names, of) = next((ident, one) for ident, one in world.store.items() if "application" in one[0][0])
    del world.store[ident]
    world.store["f" * 64] = (["localhost/customer/app:1"], of)
    assert [one["state"] for one in run(world).values["layers"]] == ["cached", "built"]
    assert world.store[ident][0] == names and world.store["f" * 64][0] == ["localhost/customer/app:1"]


def test_a_build_removes_no_image_without_a_name_that_is_not_its_own(world: World) -> None:
    world.store["f" * 64] = ([], of_ours("another"))
    run(world)
    assert "f" * 64 in world.store
