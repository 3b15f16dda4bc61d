# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A layer against what was wanted of it."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import (
    Contents,
    Distribution,
    Image,
    Layer,
    Package,
    Parent,
    Python,
    Wants,
    Wheel,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.verify import refusal, verify
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import UserSpace
from ansible_collections.instinct.fleet.tests.unit.support.containers import IONIC, RDMA, checks, contents

IMAGE = Image(
    "site", "debian", "12", Parent("sha256:" + "a" * 64, "docker.io/library/debian@sha256:" + "a" * 64),
    (Layer("base", (Package("libibverbs1", "44.0-2"),), budget_bytes=2 << 20), Layer("rocm", (Package("rocminfo", "5.2.3-3"),))),
    Wants("", "7.0.2", ("gfx942",), 109, {"ionic": 4}, "x86_64"))
WHOLE = {"libibverbs1": "44.0-2", "rocminfo": "5.2.3-3"}
NOTHING = UserSpace()
BROKEN = dc.replace(RDMA, providers=(IONIC, dc.replace(IONIC, name="mlx5", path="/lib/libmlx5-rdmav34.so", missing=("libmlx5.so.1",))))


def summaries(layer: str, below: int = 0, loaded: t.Mapping[str, tuple[str, ...]] | None = None, **changes: t.Any) -> list[tuple[str, str]]:
    seen: Contents = contents(**{"packages": WHOLE, **changes})
    return [(found.id, found.summary) for found in verify(IMAGE, layer, seen, checks(), below, loaded)]


@pytest.mark.parametrize("layer", ["base", "rocm"])
def test_a_layer_that_is_as_wanted(layer: str) -> None:
    assert summaries(layer, loaded={"/usr/lib/libibverbs.so.1": ()}) == []


@pytest.mark.parametrize(("changes", "sentences"), [
    ({"python": (Distribution("numpy", "2.1.0", "/opt/v/lib"),)}, []),
    ({"python": ()}, [("image-package", "packages are not as pinned: numpy of Python is not there, and 2.1.0 was wanted")]),
    ({"python": (), "unknown": {"python": "/a cannot be read"}}, [("image-unread", "it cannot be read whole: python: /a cannot be read")]),
], ids=["there", "not there", "not known"])
def test_packages_of_python_are_as_pinned(changes: dict[str, t.Any], sentences: list[tuple[str, str]]) -> None:
    layer = dc.replace(IMAGE.layers[1], python=Python((Wheel("numpy", "2.1.0"),), venv="/opt/v"))
    found = verify(dc.replace(IMAGE, layers=(IMAGE.layers[0], layer)), "rocm", contents(**{"packages": WHOLE, **changes}), checks())
    assert [(one.id, one.summary) for one in found] == sentences


def test_what_a_later_layer_brings_is_not_missed_before_the_last() -> None:
    absent = {"rdma": NOTHING, "rocm": None, "groups": {}, "packages": {"libibverbs1": "44.0-2"}, "machine": None, "gfx": ("gfx90a",)}
    assert summaries("base", **absent) == []
    assert [ident for ident, _said in summaries("rocm", **absent)] == [
        "image-machine", "image-package", "image-rdma-absent", "image-render-group", "image-rocm-release", "image-gfx"]
    no_manager = {"rdma": dc.replace(RDMA, librdmacm=None)}
    assert (summaries("base", **no_manager), [ident for ident, _ in summaries("rocm", **no_manager)]) == ([], ["image-rdmacm-absent"])
    no_provider = {"rdma": dc.replace(RDMA, providers=())}
    assert (summaries("base", **no_provider), [ident for ident, _ in summaries("rocm", **no_provider)]) == ([], ["image-provider-absent"])


OLD = "RDMA device of the nodes: /usr/lib/x86_64-linux-gnu/libibverbs/libionic-rdmav34.so speaks ABI 1, and the kernel's driver has 4"


@pytest.mark.parametrize(("changes", "ident", "summary"), [
    ({"os_version": "13"}, "image-os", "it is debian 13, and debian 12 was wanted"),
    ({"os": None, "os_version": None}, "image-os", "it is an unknown system, and debian 12 was wanted"),
    ({"packages": {**WHOLE, "libibverbs1": "44.0-3"}}, "image-package",
     "packages are not as pinned: libibverbs1 is 44.0-3, and 44.0-2 was wanted"),
    ({"packages": {"rocminfo": "5.2.3-3"}}, "image-package",
     "packages are not as pinned: libibverbs1 is not there, and 44.0-2 was wanted"),
    ({"rdma": dc.replace(RDMA, providers=(dc.replace(IONIC, abi_max=1),))}, "image-provider-old", OLD),
    ({"rdma": BROKEN}, "image-provider-broken", "/lib/libmlx5-rdmav34.so lacks libmlx5.so.1"),
    ({"missing": {"/usr/bin/rocminfo": ("libhsa-runtime64.so.1",)}}, "image-library-missing",
     "/usr/bin/rocminfo lacks libhsa-runtime64.so.1"),
    ({"loaded": {"/usr/lib/libfine.so": (), "/usr/lib/libx.so": ("libnl-3.so.200",)}}, "image-library-missing",
     "/usr/lib/libx.so lacks libnl-3.so.200"),
    ({"groups": {"render": 105}}, "image-render-group",
     "it gives number 105 to the group render, and the devices of the node are of number 109"),
    ({"groups": {}}, "image-render-group", "it has no group render, and the devices of the node are of number 109"),
    ({"rocm": "6.4.4"}, "image-rocm-release", "it has ROCm 6.4.4, and ROCm 7.0.2 was wanted"),
    ({"rocm": None}, "image-rocm-release", "it has no ROCm that says its version, and ROCm 7.0.2 was wanted"),
    ({"caches": ("/var/cache/apt", "/root/.cache/pip")}, "image-caches", "caches are left in it: /var/cache/apt, /root/.cache/pip"),
    ({"unknown": {"packages": "it has no database"}}, "image-unread", "it cannot be read whole: packages: it has no database"),
    ({"rdma": dc.replace(RDMA, providers=(dc.replace(IONIC, abi_max=None),))}, "image-provider-unread",
     f"RDMA device of the nodes: {IONIC.path} does not tell which ABIs it speaks"),
    ({"machine": "aarch64"}, "image-machine", "it is for aarch64, and x86_64 was wanted"),
    ({"machine": None}, "image-machine", "it does not say what it is for (nothing in it tells), and x86_64 was wanted"),
    ({"machine": None, "unknown": {"machine": "time is up"}}, "image-machine",
     "it does not say what it is for (time is up), and x86_64 was wanted"),
    ({"gfx": ("gfx90a", "gfx1100")}, "image-gfx", "it has code for gfx90a, gfx1100, and gfx942 was wanted"),
    ({"gfx": (), "unknown": {"gfx": "librccl.so is compressed"}}, "image-gfx-unread",
     "for which GPUs it has code is not known: librccl.so is compressed"),
    ({"rocm": None, "unknown": {"rocm": "no file tells"}}, "image-rocm-release",
     "it has no ROCm that says its version, and ROCm 7.0.2 was wanted"),
])
def test_what_is_wrong_is_found(changes: dict[str, t.Any], ident: str, summary: str) -> None:
    assert summaries("rocm", **changes) == [(ident, summary)]


@pytest.mark.parametrize("layer", ["base", "rocm"])
def test_a_provider_that_tells_no_abi_gets_no_name_where_verbs_are_wanted(layer: str) -> None:
    silent = {"rdma": dc.replace(RDMA, providers=(dc.replace(IONIC, abi_min=None, abi_max=None),))}
    assert [ident for ident, _said in summaries(layer, **silent)] == ["image-provider-unread"]
    found = verify(IMAGE, layer, contents(packages=WHOLE, **silent), checks())
    said = refusal("site", layer, found)
    assert said and "does not tell which ABIs it speaks; take the provider of a package that" in said.sentence
    unasked = dc.replace(IMAGE, wants=dc.replace(IMAGE.wants, verbs={}))
    assert verify(unasked, layer, contents(packages=WHOLE, **silent), checks()) == ()


def test_a_layer_without_code_for_gpus_is_not_asked_for_it() -> None:
    assert summaries("rocm", gfx=()) == []


def test_what_is_for_information_keeps_no_layer_from_its_name() -> None:
    found = verify(IMAGE, "rocm", contents(packages=WHOLE, gfx=(), unknown={"gfx": "compressed"}), checks())
    assert [one.severity for one in found] == ["info"] and refusal("site", "rocm", found) is None


def test_rdma_that_cannot_be_read_is_told_and_not_missed() -> None:
    assert summaries("rocm", rdma=NOTHING, unknown={"rdma": "libibverbs is elsewhere"}) == [
        ("image-unread", "it cannot be read whole: rdma: libibverbs is elsewhere")]
    unasked = dc.replace(IMAGE, wants=dc.replace(IMAGE.wants, verbs={}))
    assert verify(unasked, "rocm", contents(packages=WHOLE, rdma=NOTHING, unknown={"rdma": "elsewhere"}), checks()) == ()


def test_a_broken_provider_is_told_once() -> None:
    broken = dc.replace(RDMA, providers=(dc.replace(IONIC, missing=("libionic.so.1",)),))
    assert [ident for ident, _said in summaries("rocm", rdma=broken)] == ["image-provider-broken"]


@pytest.mark.parametrize(("size", "below", "wrong"), [(2 << 20, 0, False), (3 << 20, 0, True), (3 << 20, 1 << 20, False)])
def test_the_budget_is_of_what_a_layer_adds(size: int, below: int, wrong: bool) -> None:
    found = summaries("base", below, size_bytes=size)
    assert found == ([("image-budget", "it adds 3.0 MiB, and may add 2.0 MiB")] if wrong else [])
    assert summaries("rocm", size_bytes=1 << 40) == []


def test_nothing_is_asked_that_is_not_wanted() -> None:
    bare = dc.replace(IMAGE, wants=Wants())
    lost = dict.fromkeys(("machine", "rocm", "gfx"), "not told")
    nothing = contents(packages=WHOLE, rdma=NOTHING, rocm=None, groups={}, machine=None, gfx=(), unknown=lost)
    assert verify(bare, "rocm", nothing, checks()) == ()


def test_a_long_list_is_cut() -> None:
    wanted = tuple(Package(f"p{number}", "1") for number in range(10))
    found = verify(dc.replace(IMAGE, layers=(Layer("base", wanted),)), "base", contents(), checks())
    assert found[0].summary.endswith("p7 is not there, and 1 was wanted, 2 more")


def test_the_refusal_is_one_sentence() -> None:
    assert refusal("site", "base", ()) is None
    found = refusal("site", "rocm", verify(IMAGE, "rocm", contents(packages=WHOLE, rocm=None, groups={}), checks()))
    assert found and found.sentence == (
        "image site, layer rocm: it is not as wanted: it has no group render, and the devices of the node are of number 109; it has no ROCm "
        "that says its version, and ROCm 7.0.2 was wanted; add the group by its number on the node (--group-add with that number), or build "
        "the image with that number (source: ROCm/ROCm-docker#116)")
