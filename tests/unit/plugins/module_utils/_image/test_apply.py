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
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import (
    Copy,
    Image,
    Layer,
    Package,
    Parent,
)
from ansible_collections.instinct.fleet.plugins.module_utils._image import apply
from ansible_collections.instinct.fleet.plugins.module_utils._image.bench import PREFIX
from ansible_collections.instinct.fleet.plugins.module_utils._image.build import Builder
from ansible_collections.instinct.fleet.plugins.module_utils._image.directory import used
from ansible_collections.instinct.fleet.plugins.module_utils._image.tools import Tools
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


def test_what_a_layer_takes_from_is_in_the_store_before_it_is_built(world: World) -> None:
    there, away = (f"quay.io/site/{name}@sha256:{sign * 64}" for name, sign in (("here", "b"), ("away", "c")))
    world.store = {"b" * 64: ([there], {})}
    world.registry = {away: json.dumps({"config": {"digest": f"sha256:{'c' * 64}"}})}
    wanted = image(world.folder / "base.tar")
    layers = (wanted.layers[0], dc.replace(wanted.layers[1], copies=(Copy(there, ("/opt/a",)), Copy(away, ("/opt/b", "/opt/c")))))
    done = run(world, dc.replace(wanted, layers=layers))
    assert f"COPY --from={away} /opt/c /opt/c\n" in done.diff[1]["after"]
    assert [one for one in world.told if one.startswith("podman pull")] == [f"podman pull --quiet {away}"]
    assert [name for name in world.names() if not name.startswith("localhost/duo/")] == sorted((there, away))


def test_only_what_changed_is_built(world: World) -> None:
    first = run(world)
    top = run(world, image(world.folder / "base.tar", "two"))
    assert (states(top), top.actions[0]) == (["cached", "built"], "build the layer application: no image has its key")
    assert top.values["layers"][0]["id"] == first.values["layers"][0]["id"] and top.values["tag"] != first.values["tag"]


def test_a_bill_that_is_gone_is_written_again(world: World) -> None:
    done = run(world)
    os.unlink(done.values["sbom"])
    assert run(world, check=True).actions == run(world).actions == (f"write {done.values['sbom']}",)


def test_a_record_of_another_image_is_foreseen_as_it_is_written(world: World) -> None:
    """Both are built already; each run of one tells of it."""
    first = run(world)
    run(world, image(world.folder / "base.tar", "two"))
    foreseen, done = run(world, check=True), run(world)
    assert foreseen.actions == done.actions == tuple(f"write {first.values[name]}" for name in ("record", "sbom"))
    assert foreseen.diff == done.diff[:1] and run(world, check=True).actions == ()


def test_a_base_of_a_registry_is_pulled_by_its_digest(world: World) -> None:
    world.registry[REF] = json.dumps({"config": {"digest": "sha256:" + "b" * 64}})
    wanted = image(world.folder / "base.tar", parent=Parent("sha256:" + "a" * 64, image=REF))
    apply.run(apply.Request(wanted, authfile="/auth"), world.builder())
    assert f"podman pull --quiet --authfile /auth {REF}" in world.told and not any("parent.tar" in one for one in world.told)


def test_a_base_that_is_there_is_not_asked_of_a_registry(world: World) -> None:
    """Its digest says which it is, and the registry may be out of reach."""
    world.store = {"b" * 64: ([REF], {})}
    run(world, image(world.folder / "base.tar", parent=Parent("sha256:" + "a" * 64, image=REF)))
    assert not any(one.startswith("podman pull") for one in world.told) and world.store["b" * 64] == ([REF], {})


def test_a_budget_is_of_what_the_layer_adds(world: World) -> None:
    layers = (Layer("base"), Layer("application", run=("true",), budget_bytes=100))
    world.seen = dc.replace(world.seen, size_bytes=1000)
    plain = image(world.folder / "base.tar", layers=layers)
    run(world, plain)
    assert states(run(world, dc.replace(plain, layers=(layers[0], dc.replace(layers[1], run=("echo",)))))) == ["cached", "built"]


WRONG: dict[str, tuple[dict[str, t.Any], str, int]] = {
    "a package of another version": ({"seen": {"packages": {"libibverbs1": "1"}}}, "image duo, layer base: .*libibverbs1", 0),
    "a provider that does not load": ({"ldd": "/lib/libibverbs.so.1:\n\tlibnl-3.so.200 => not found\n"}, "image duo, layer base: .*libnl-3.so.200", 0),
    "a disk without room": ({"fails": {"buildah build --no-cache": "write /var/tmp/x: no space left on device"}},
                            "layer base: there is no room left on its disk", 0),
    "a program that is slow": ({"fails": {"buildah build --no-cache": "slow"}}, "layer base: buildah did not end in 10 s; give it more time", 0),
    "a disk without room from the first": ({"fails": {"buildah build --layers": "write /x: no space left on device"}}, "layer base: there is no room", 0),
    "an image that cannot be looked into": ({"fails": {"buildah mount": "Error: no"}}, "image [0-9a-f]{12}: no; mend that", 0),
}


@pytest.mark.parametrize(("change", "sentence", "named"), WRONG.values(), ids=WRONG)
def test_what_fails_leaves_nothing(world: World, change: dict[str, t.Any], sentence: str, named: int) -> None:
    world.seen = dc.replace(world.seen, **change.get("seen", {}))
    world.ldd, world.fails = change.get("ldd", world.ldd), change.get("fails", {})
    with pytest.raises(FleetError, match=sentence):
        run(world)
    assert (world.store, world.working, sorted(os.listdir(world.folder / "images"))) == ({}, {}, ["identity", "lock"])
    world.fails, world.ldd = {}, World(world.folder).ldd
    world.seen = World(world.folder).seen
    assert states(run(world)) == ["built"] * 2


def test_what_a_killed_run_left_goes_with_the_next(world: World) -> None:
    """Also where nothing is left to build. What others work on stays: in another directory, by hand, or on the same base."""
    done = run(world)
    mine = PREFIX + (world.folder / "images/identity").read_text().strip()
    (world.folder / "images/build-old").mkdir()
    theirs = {"theirs": ("working-container", "scratch"), "other": ("1-working-container", f"{PREFIX}1:empty"), "look": ("instinct-look-1", "x"),
              "named": ("of-somebody", f"{mine}:below")}
    world.working = {**theirs, "half": (f"{mine[-16:]}-working-container-1", f"{mine}:empty"), "below": (f"{mine[-16:]}-working-container", f"{mine}:below"),
                     "looked": (f"instinct-look-{mine[-16:]}", f"{mine}:made")}
    world.store["f" * 64] = ([f"{mine}:made"], of_ours("k"))
    world.store[done.values["id"]][0].append(f"{mine}:below")
    assert states(run(world, check=True)) == ["cached"] * 2 and "half" in world.working
    assert run(world).actions == ()
    assert (world.working, "f" * 64 in world.store, (world.folder / "images/build-old").exists()) == (theirs, False, False)
    assert world.store[done.values["id"]][0] == [done.values["tag"]]


def test_what_others_begin_during_a_build_is_theirs(world: World) -> None:
    """A build by hand on the same base, and one of the same definition in another directory, which has no name yet."""
    def begin() -> None:
        world.working["theirs"] = ("working-container", "scratch")
        world.store["f" * 64] = ([], next(of for names, of in world.store.values() if not names and of))

    world.meanwhile = begin
    run(world)
    assert list(world.working) == ["theirs"] and "f" * 64 in world.store and not any(name.startswith(PREFIX) for name in world.names())


def test_an_image_is_for_the_machine_that_builds_it(world: World) -> None:
    said = run(world).values
    assert said["labels"]["io.github.instinct-fleet.machine"] == os.uname().machine and said["seconds"] < 60


def test_two_directories_share_a_store(world: World) -> None:
    first, second = (Builder(Tools(10), str(world.folder / name), world.builder().checks) for name in ("images", "others"))
    said = [apply.run(apply.Request(image(world.folder / "base.tar", name=name)), builder) for name, builder in (("one", first), ("two", second))]
    looks = {one.rpartition(" ")[2] for one in world.told if one.startswith("buildah rm instinct-look-")}
    assert [states(one) for one in said] == [["built"] * 2] * 2 and len(looks) == 2


def test_the_manifest_names_the_base_and_not_what_that_was_called_for_the_build(world: World) -> None:
    wanted = image(world.folder / "base.tar")
    run(world, wanted)
    built = [one for one in world.told if "--iidfile" in one]
    named = f"--annotation org.opencontainers.image.base.name= --annotation org.opencontainers.image.base.digest={wanted.parent.digest} "
    assert len(built) == 2 and all(named in one for one in built)


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
    assert not any(one.startswith("buildah build") for one in world.told)


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
