# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the way back takes besides a plan: its repositories are on the node, and later kernels are not built for."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act import way_back as back
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.whole import whole
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import managed
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Plan, Step
from ansible_collections.instinct.fleet.tests.unit.support.releases import release
from ansible_collections.instinct.fleet.tests.unit.support.world import KERNEL, bare_node, package

NEWER, ROOT = "6.12.1-amd64", "/var/lib/instinct/kept/mirror/s1"
RAW = {"id": "s1", "release": "rocm-7.0.2", "kernel": KERNEL, "kernels": [KERNEL], "holds": [f"linux-image-{KERNEL}"],
       "record": "{}", "mirrors": {}, "keys": {}}
KEPT = back.Kept.from_dict(RAW)


def kept_of(name: str) -> back.Kept:
    """A snapshot that has all repositories of a release."""
    uris = [r.uri for r in release(name).repositories]
    return dc.replace(KEPT, mirrors={uri.rstrip("/"): f"copy://{ROOT}/{number}" for number, uri in enumerate(uris)})


def moved(holds: tuple[str, ...] = ()) -> lk.Look:
    """A node to which a release brought another kernel, with its headers."""
    node = bare_node()
    kernels = (*node.kernel.installed, lk.InstalledKernel(NEWER, "/boot/x", "y", True, True))
    packages = tuple(package(f"linux-{part}-{NEWER}", "6.12.1") for part in ("headers", "image"))
    return dc.replace(node, kernel=dc.replace(node.kernel, installed=kernels),
                      packages=dc.replace(node.packages, installed=(*node.packages.installed, *packages), holds=holds))


def driver(*actions: str, **data: t.Any) -> dict[str, Plan]:
    steps = tuple(Step(action, action, data={"packages": ["x"], **data}) for action in actions)
    return {"gpu_driver": Plan("gpu_driver", steps), "gpu_release": Plan("gpu_release")}


def words(plans: t.Mapping[str, Plan]) -> list[tuple[str, t.Any]]:
    return [(s.action, s.data["packages"]) for s in plans["gpu_driver"].steps]


@pytest.mark.parametrize(("change", "said"), [
    ({"mirrors": {"https://x": "copy:///etc"}}, "names 'copy:///etc', which is no place of a snapshot"),
    ({"mirrors": {"https://x": "https://evil/x"}}, "which is no place of a snapshot"),
    ({"keys": {"/k": f"file://{ROOT}/../../x"}}, None), ({"keys": {"/k": "file:///etc/shadow"}}, "no place of a snapshot"),
    ({"more": 1}, "is not a known key"), ({"holds": "x"}, "not a list"),
])
def test_what_a_node_says_is_read_strictly(change: dict, said: str | None):
    with pytest.raises(DataError, match=said or "no place of a snapshot"):
        back.Kept.from_dict(RAW | change)


def test_mirrors_and_keys_of_a_snapshot_are_read() -> None:
    mirrors = {"https://a": f"copy://{ROOT}/0"}
    assert back.Kept.from_dict({**RAW, "mirrors": mirrors, "keys": {"/k": f"file://{ROOT}/k"}}).mirrors == mirrors


def test_repositories_and_keys_are_on_the_node():
    wanted, kept = release("rocm-7.0.2"), kept_of("rocm-7.0.2")
    ring = next(iter(wanted.keys.values())).keyring
    there = back.at_home(wanted, dc.replace(kept, keys={ring: f"file://{ROOT}/keys/0"}))
    assert [r.uri for r in there.repositories] == [f"copy://{ROOT}/{n}" for n in range(len(wanted.repositories))]
    assert {key.url for key in there.keys.values() if key.keyring == ring} == {f"file://{ROOT}/keys/0"}
    assert {r.suite for r in there.repositories} == {r.suite for r in wanted.repositories}


def test_a_repository_that_was_not_kept_is_refused():
    with pytest.raises(FleetError, match=r"snapshot s1: has nothing of https://repo\.radeon\.com/.*, which rocm-7\.0\.2 needs"):
        back.at_home(release("rocm-7.0.2"), KEPT)


def test_headers_of_later_kernels_are_taken_for_gone():
    seen = back.without_newer_headers(whole(moved()), KEPT)
    assert {k.release: k.headers for k in seen.kernel.installed} == {KERNEL: False, NEWER: False}
    assert f"linux-headers-{NEWER}" not in {p.name for p in seen.packages.installed}
    assert f"linux-image-{NEWER}" in {p.name for p in seen.packages.installed}
    here = whole(bare_node())
    assert back.without_newer_headers(here, KEPT) is here


HEADERS, IMAGE = f"linux-headers-{NEWER}", f"linux-image-{NEWER}"
STORIES = [
    ("they go just before the driver's packages", (), ("file", "install", "load"),
     [("file", ["x"]), ("evict", [HEADERS]), ("install", ["x"]), ("load", ["x"])]),
    ("also where the package is installed again", (), ("reinstall",), [("evict", [HEADERS]), ("reinstall", ["x"])]),
    ("with what else is in the way", (), ("evict", "install"), [("evict", ["x", HEADERS]), ("install", ["x"])]),
    ("nothing goes where no package changes", (), ("unhold", "build", "load"), [("unhold", ["x"]), ("build", ["x"]), ("load", ["x"])]),
    ("their holds are lifted with those of the driver", (HEADERS,), ("unhold", "install", "hold"),
     [("unhold", [HEADERS, "x"]), ("evict", [HEADERS]), ("install", ["x"]), ("let_go", [HEADERS]), ("hold", ["x"])]),
    ("what a later release held is let go", (f"linux-image-{KERNEL}", IMAGE, "foo"), ("let_go", "boot"),
     [("let_go", ["x", IMAGE]), ("boot", ["x"])]),
    ("also where nothing else is left to do", (IMAGE,), (), [("let_go", [IMAGE])]),
]


@pytest.mark.parametrize(("_name", "holds", "actions", "wanted"), STORIES, ids=[row[0] for row in STORIES])
def test_later_kernels(_name: str, holds: tuple[str, ...], actions: tuple[str, ...], wanted: list):
    assert words(back.way_back(whole(moved(holds)), driver(*actions), KEPT)) == wanted


def test_without_a_driver_there_is_nothing_to_add():
    plans = {"rocm_userspace": Plan("rocm_userspace")}
    assert back.way_back(whole(moved()), plans, KEPT) == plans


def test_no_other_repository_is_asked():
    there = [lk.Source(file, ("deb",), (uri,), ("x",), (), (), None, False, on) for file, uri, on in (
        ("/etc/apt/sources.list", "https://deb", True), ("/etc/apt/off.list", "https://off", False),
        (managed.AMDGPU_SOURCES, "https://repo", True), (managed.ROCM_SOURCES, f"copy://{ROOT}/1", True))]
    look = whole(dc.replace(bare_node(), repositories=lk.Repositories(tuple(there))))
    plans = driver("refresh", "trial", "load", files=[{"path": managed.AMDGPU_SOURCES, "content": "x"}])
    plans["rocm_userspace"] = Plan("rocm_userspace", (Step("refresh", "refresh"), Step("available", "ask", data={"files": []})))
    plans["gpu_release"] = Plan("gpu_release", (Step("refresh", "refresh"),))
    found = back.asking_nobody(look, plans)
    refresh, trial, load = found["gpu_driver"].steps
    assert refresh.data["sources"] == managed.AMDGPU_SOURCES and load is plans["gpu_driver"].steps[2]
    assert trial.data["files"] == [{"path": managed.AMDGPU_SOURCES, "content": "x"}, {"path": "/etc/apt/sources.list", "state": "absent"}]
    again, ask = found["rocm_userspace"].steps
    assert again.data["sources"] == managed.ROCM_SOURCES and found["gpu_release"] == plans["gpu_release"]
    assert [file["path"] for file in ask.data["files"]] == ["/etc/apt/sources.list", managed.AMDGPU_SOURCES]


@pytest.mark.parametrize(("action", "wanted"), [("install", True), ("reinstall", True), ("trial", True), ("file", False), ("load", False)])
def test_which_steps_need_a_repository(action: str, wanted: bool):
    assert back.fetches(driver(action).values()) is wanted
