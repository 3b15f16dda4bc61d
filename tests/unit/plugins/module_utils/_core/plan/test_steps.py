# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that several roles share: made only for what differs."""

from __future__ import annotations

import dataclasses as dc
import hashlib
import types

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import managed, steps
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Step
from ansible_collections.instinct.fleet.tests.unit.support.releases import release
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node, package

KEY = types.SimpleNamespace(url="https://x/rocm.gpg.key", fingerprint="AB" * 20, keyring="/etc/apt/keyrings/k.gpg")


def with_keys(*keys: lk.Key) -> lk.Look:
    node = bare_node()
    return dc.replace(node, repositories=dc.replace(node.repositories, keyrings=keys))


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        pytest.param((), True, id="no keyring"),
        pytest.param((lk.Key(KEY.keyring, (KEY.fingerprint,)),), False, id="exactly the pinned key"),
        pytest.param((lk.Key(KEY.keyring, ("CD" * 20,)),), True, id="another key"),
        pytest.param((lk.Key(KEY.keyring, (KEY.fingerprint, "CD" * 20)),), True, id="one key too many"),
        pytest.param((lk.Key("/elsewhere.gpg", (KEY.fingerprint,)),), True, id="the pinned key elsewhere"),
    ],
)
def test_a_key_is_installed_unless_its_keyring_holds_just_it(keys, wanted):
    made = steps.key_steps(with_keys(*keys), [KEY])
    assert [s.data for s in made] == (
        [{"url": KEY.url, "fingerprint": KEY.fingerprint, "path": KEY.keyring}] if wanted else []
    )


def with_file(**fields: str) -> lk.Look:
    node = bare_node()
    return dc.replace(node, files=lk.Files((lk.ManagedFile("/f", **fields),)))


RIGHT = {"sha256": hashlib.sha256(b"text").hexdigest(), "owner": "root", "group": "root", "mode": "0644"}


@pytest.mark.parametrize(
    ("seen", "content", "words"),
    [
        pytest.param(RIGHT, "text", [], id="as wanted"),
        pytest.param(RIGHT, "other", ["write /f"], id="other content"),
        pytest.param(RIGHT | {"mode": "0666"}, "text", ["write /f"], id="world writable"),
        pytest.param(RIGHT | {"owner": "alice"}, "text", ["write /f"], id="not root's"),
        pytest.param(RIGHT | {"link": "/tmp/x"}, "text", ["write /f"], id="a link"),
        pytest.param({}, "text", ["write /f"], id="missing"),
        pytest.param({}, None, [], id="absent and wanted so"),
        pytest.param(RIGHT, None, ["remove /f"], id="there and not wanted"),
    ],
)
def test_a_file_is_written_by_digest_mode_and_owner(seen, content, words):
    made = steps.file_steps(with_file(**seen), [steps.WantedFile("/f", content)])
    assert [s.words for s in made] == words


@pytest.mark.parametrize(
    ("seen", "before"),
    [
        ({}, ""),
        (RIGHT, "sha256 " + RIGHT["sha256"]),
        (RIGHT | {"text": "text"}, "text"),
        (RIGHT | {"text": ""}, ""),
    ],
)
def test_the_diff_of_a_file_starts_from_what_was_there(seen, before):
    (step,) = steps.file_steps(with_file(**seen), [steps.WantedFile("/f", "new")])
    assert (step.before, step.after) == (before, "new")


def test_a_file_that_goes_says_absent_and_one_that_comes_carries_its_content():
    gone = steps.file_steps(with_file(**RIGHT), [steps.WantedFile("/f", None)])[0].data
    assert gone == {"path": "/f", "mode": "0644", "owner": "root", "group": "root", "state": "absent"}
    come = steps.file_steps(with_file(), [steps.WantedFile("/f", "text")])[0].data
    assert come == {"path": "/f", "mode": "0644", "owner": "root", "group": "root", "content": "text"}


def source(file: str, *uris: str, enabled: bool = True, key: str | None = None) -> lk.Source:
    return lk.Source(file, ("deb",), uris, ("jammy",), ("main",), ("amd64",), key, False, enabled)


RADEON = "https://repo.radeon.com/"
LISTS = "/etc/apt/sources.list.d/"


def with_sources(*sources: lk.Source) -> lk.Look:
    return dc.replace(bare_node(), repositories=lk.Repositories(sources=sources))


@pytest.mark.parametrize(
    ("sources", "removed"),
    [
        pytest.param(
            [source(LISTS + "amdgpu.list", RADEON + "amdgpu/6.4/ubuntu")], ["amdgpu.list"], id="another release"
        ),
        pytest.param([source(LISTS + "amdgpu.list", RADEON + "amdgpu/6.4/ubuntu", enabled=False)], [], id="disabled"),
        pytest.param([source(managed.AMDGPU_SOURCES, RADEON + "amdgpu/6.4/ubuntu")], [], id="our own file"),
        pytest.param(
            [source(LISTS + "rocm.list", RADEON + "rocm/apt/6.4")], [], id="ROCm's, which another role replaces"
        ),
        pytest.param([source(LISTS + "debian.sources", "https://deb.example.org/debian")], [], id="someone else's"),
        pytest.param(
            [
                source(LISTS + "amd.list", RADEON + "amdgpu/6.4/ubuntu"),
                source(LISTS + "amd.list", RADEON + "rocm/apt/6.4"),
            ],
            ["amd.list"],
            id="both of the vendor's in one file",
        ),
        pytest.param(
            [
                source(managed.ROCM_SOURCES, RADEON + "rocm/apt/7.0.2", key="/ours.gpg"),
                source(LISTS + "rocm.list", RADEON + "rocm/apt/7.0.2/", key="/theirs.gpg"),
            ],
            ["rocm.list"],
            id="another key for an address of ours: apt would read no source at all",
        ),
        pytest.param(
            [
                source(managed.ROCM_SOURCES, RADEON + "rocm/apt/7.0.2", key="/ours.gpg"),
                source(LISTS + "rocm.list", RADEON + "rocm/apt/7.0.2", key="/ours.gpg"),
            ],
            [],
            id="the same key for an address of ours",
        ),
    ],
)
def test_other_files_that_offer_the_vendors_packages_are_removed(sources, removed):
    made = steps.source_steps(with_sources(*sources), release("rocm-7.0.2"), "amdgpu")
    assert [s.data for s in made] == [{"path": LISTS + name, "state": "absent"} for name in removed]


def test_a_file_that_also_offers_others_packages_is_refused():
    mixed = with_sources(
        source("/etc/apt/sources.list", "https://deb.example.org/debian"),
        source("/etc/apt/sources.list", RADEON + "amdgpu/6.4/ubuntu"),
    )
    with pytest.raises(FleetError) as refusal:
        steps.source_steps(mixed, release("rocm-7.0.2"), "amdgpu")
    assert str(refusal.value) == (
        "/etc/apt/sources.list: offers packages of https://repo.radeon.com/amdgpu/6.4/ubuntu and of "
        "https://deb.example.org/debian, so it cannot be replaced; "
        "move the lines of https://repo.radeon.com/amdgpu/6.4/ubuntu to a file of their own"
    )


def with_packages(*packages: lk.Package) -> lk.Look:
    return dc.replace(bare_node(), packages=lk.Packages(manager="apt", installed=packages))


@pytest.mark.parametrize(
    ("have", "wanted", "asked"),
    [
        pytest.param([], {"a": "1"}, ["a=1"], id="missing"),
        pytest.param([package("a", "1")], {"a": "1"}, [], id="exact version there"),
        pytest.param([package("a", "2")], {"a": "1"}, ["a=1"], id="newer version there"),
        pytest.param([package("a", "1.70203-9~22.04")], {"a": "*.70203-*"}, [], id="fits the pattern"),
        pytest.param([package("a", "1.70002-9~22.04")], {"a": "*.70203-*"}, ["a=*.70203-*"], id="another release"),
        pytest.param([package("a", "9")], {"a": ""}, [], id="any version is right"),
        pytest.param([], {"a": ""}, ["a"], id="any version is wanted"),
        pytest.param(
            [package("a", "1", "half-configured")], {"a": "1"}, ["a=1"], id="half-configured is not installed"
        ),
    ],
)
def test_packages_are_installed_only_when_they_differ(have, wanted, asked):
    made = steps.install_step(with_packages(*have), wanted)
    assert [item for s in made for item in s.data["packages"]] == asked


def test_one_step_installs_all_and_says_what_was_there():
    (step,) = steps.install_step(with_packages(package("a", "2")), {"b": "1", "a": "1"})
    assert step.words == "install a 1 (was 2), b 1"
    assert (step.before, step.after, step.data["names"]) == ("a 2", "a 1\nb 1", ["a", "b"])


def half_done(*packages: lk.Package, interrupted: bool = False, torn: tuple[str, ...] = ()) -> lk.Look:
    node = bare_node()
    return dc.replace(node, packages=dc.replace(node.packages, broken=packages, interrupted=interrupted, torn_lists=torn))


HALF = package("linux-image-6.12.117+deb12-amd64", "6.12.117-1", "half-configured")
INSTALL = (Step("install", "install a 1", data={"packages": ["a=1"], "names": ["a"]}),)
REMOVE = (Step("remove", "remove b", data={"packages": ["b"]}),)
FINISH = "finish the interrupted run of the package manager"


@pytest.mark.parametrize(
    ("node", "changes", "made"),
    [
        pytest.param(half_done(), INSTALL, [], id="clean"),
        pytest.param(half_done(HALF, interrupted=True), (), [], id="nothing to change: another hand's work"),
        pytest.param(half_done(interrupted=True), INSTALL, [(FINISH, ["a"])], id="cut off between two packages"),
        pytest.param(
            half_done(HALF),
            (*INSTALL, *REMOVE),
            [(FINISH + ": linux-image-6.12.117+deb12-amd64 6.12.117-1 (half-configured)", ["a", "b"])],
            id="a package half done",
        ),
        pytest.param(half_done(torn=("/l/Packages",)), INSTALL, [(f"{FINISH}: /l/Packages (not whole)", ["a"])], id="a list of apt not whole"),
    ],
)
def test_what_dpkg_left_half_done_is_finished_before_packages_change(node, changes, made):
    assert [(s.words, s.data["packages"]) for s in steps.repair_step(node, changes)] == made


def test_a_hold_of_another_hand_is_refused_in_one_sentence():
    node = bare_node()
    node = dc.replace(node, packages=dc.replace(node.packages, holds=("b", "c", "d")))
    with pytest.raises(FleetError) as raised:
        steps.refuse_held(node, ["c", "a", "b"], "it must change")
    assert raised.value.sentence == (
        "b, c: are on hold by another hand, and it must change; "
        "lift the hold if it is no longer meant: apt-mark unhold b c"
    )
    assert steps.refuse_held(node, ["a"], "it must change") is None
