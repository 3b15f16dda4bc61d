# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rocm_image_build as its action plugin calls it: foreseen, done, done again; and what it returns is what is documented."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t
from pathlib import Path

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.image.plain import plain
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Parent
from ansible_collections.instinct.fleet.plugins.module_utils._image.directory import held
from ansible_collections.instinct.fleet.plugins.modules import rocm_image_build
from ansible_collections.instinct.fleet.plugins.plugin_utils import container_check_data
from ansible_collections.instinct.fleet.tests.unit.plugins.image_world import World, image
from ansible_collections.instinct.fleet.tests.unit.plugins.run_module import run_module


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path).live(monkeypatch)


def asked(world: World, application: str = "one", **more: t.Any) -> dict[str, t.Any]:
    return {"image": plain(image(world.folder / "base.tar", application)), "checks": container_check_data.documents(), "collection": "0.1.0",
            "directory": str(world.folder / "images"), "timeout": 10, "isolation": "chroot", **more}


def states(said: dict[str, t.Any]) -> list[str]:
    return [one["state"] for one in said["layers"]]


def test_foreseen_done_and_done_again(world: World) -> None:
    foreseen = run_module(rocm_image_build, asked(world), check=True)
    assert (foreseen["changed"], states(foreseen), world.store, (world.folder / "images").exists()) == (True, ["would_build"] * 2, {}, False)
    done = run_module(rocm_image_build, asked(world))
    assert (done["changed"], done["actions"], states(done)) == (True, foreseen["actions"], ["built"] * 2)
    keys = [[one["key"] for one in said["layers"]] for said in (done, foreseen)]
    assert (done["tag"], done["labels"], keys[0]) == (foreseen["tag"], foreseen["labels"], keys[1])
    assert done["diff"][0]["after"] == foreseen["diff"][0]["after"] and world.environment == {"BUILDAH_ISOLATION": "chroot"}
    for check in (True, False):
        again = run_module(rocm_image_build, asked(world), check=check)
        assert (again["changed"], again["actions"], again["diff"], states(again), again["id"]) == (False, [], [], ["cached"] * 2, done["id"])
    changed = run_module(rocm_image_build, asked(world, "two"))
    assert (changed["changed"], states(changed), changed["actions"][0]) == (True, ["cached", "built"], "build the layer application: no image has its key")


def test_what_is_returned_is_documented(world: World) -> None:
    documented = yaml.safe_load(rocm_image_build.RETURN)
    said = run_module(rocm_image_build, asked(world), diff=False)
    assert set(said) - {"changed", "failed"} == set(documented) - {"failure"}
    assert set(said["layers"][0]) == set(documented["layers"]["contains"])


def test_a_refusal_is_one_sentence_and_leaves_nothing(world: World) -> None:
    world.seen = dc.replace(world.seen, packages={"libibverbs1": "1"})
    said = run_module(rocm_image_build, asked(world))
    assert said["failed"] and said["msg"].startswith("image duo, layer base: it is not as wanted: packages are not as pinned: libibverbs1 is 1")
    assert (said["failure"]["where"], world.store, world.working) == ("image duo, layer base", {}, {})


def test_names_and_passwords_are_those_of_a_file(world: World) -> None:
    reference = f"reg.example.org/base@sha256:{'a' * 64}"
    wanted = dc.replace(image(world.folder / "base.tar"), parent=Parent(f"sha256:{'a' * 64}", image=reference))
    world.registry[reference] = json.dumps({"config": {"digest": "sha256:" + "b" * 64}})
    said = run_module(rocm_image_build, asked(world, image=plain(wanted), authfile="/run/auth.json"))
    assert said["changed"] and f"podman pull --quiet --authfile /run/auth.json {reference}" in world.told
    assert "/run/auth.json" not in json.dumps(said)


def test_one_run_at_a_time(world: World) -> None:
    with held(str(world.folder / "images"), 1, check=False):
        said = run_module(rocm_image_build, asked(world, lock_timeout=0))
    assert "another run works with images here" in said["msg"] and world.told == []
