# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an image works on a node, by its tree or by its labels."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.image import judge
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.labels import Told
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Wants
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import UserSpace
from ansible_collections.instinct.fleet.tests.unit.support.containers import IONIC, RDMA, checks, contents, host

WANTS = Wants("rocm-7.0.2", "7.0.2", ("gfx942",), 109, {"ionic": 4}, "x86_64")
UNSAID = "its labels do not say, so its tree has to be read"
NO_WINDOW = {"rocm": "the driver is unknown"}


def told(**changes: t.Any) -> Told:
    return Told("site", "rocm", "a" * 64, (), dc.replace(WANTS, **changes))


def test_the_right_image_passes() -> None:
    found = judge.by_tree(contents(), host(), checks())
    assert (found.findings, found.unknown, found.verdict, found.plain) == ((), {}, "pass", [])


@pytest.mark.parametrize(("changes", "on", "ident", "summary", "verdict"), [
    ({"machine": "aarch64"}, {}, "image-machine", "it is for aarch64, and the node is x86_64", "fail"),
    ({"rocm": "7.2.3"}, {}, "image-rocm-window",
     "it has ROCm 7.2.3, and driver 30.10.2 of the node supports 6.4.x, 7.0.x", "fail"),
    ({"gfx": ("gfx90a",)}, {}, "image-gfx", "it has code for gfx90a, and the node has gfx942", "fail"),
    ({"groups": {"render": 105}}, {}, "image-render-group",
     "it gives number 105 to the group render, and the devices of the node are of number 109", "warn"),
    ({"rdma": UserSpace()}, {}, "image-rdma-absent", "it has no libibverbs, and there are RDMA devices: ionic_0", "fail"),
    ({"rdma": dc.replace(RDMA, librdmacm=None)}, {}, "image-rdmacm-absent", "it has libibverbs, and no librdmacm", "warn"),
    ({"rdma": dc.replace(RDMA, providers=())}, {}, "image-provider-absent",
     "RDMA device ionic_0: there is no provider ionic", "fail"),
    ({"rdma": dc.replace(RDMA, providers=(dc.replace(IONIC, abi_max=1),))}, {}, "image-provider-old",
     f"RDMA device ionic_0: {IONIC.path} speaks ABI 1, and the kernel's driver has 4", "fail"),
    ({"missing": {"/opt/rocm-7.0.2/lib/librccl.so.1": ("libnuma.so.1",)}}, {}, "image-library-missing",
     "/opt/rocm-7.0.2/lib/librccl.so.1 lacks libnuma.so.1", "fail"),
    ({"missing": {"/usr/lib/ucx/libuct_cuda.so": ("libcuda.so.1",)}}, {}, "image-library-elsewhere",
     "/usr/lib/ucx/libuct_cuda.so lacks libcuda.so.1", "warn"),
])
def test_what_is_wrong_is_found(changes: dict[str, t.Any], on: dict[str, t.Any], ident: str, summary: str, verdict: str) -> None:
    found = judge.by_tree(contents(**changes), host(**on), checks())
    assert [(one.id, one.summary) for one in found.findings] == [(ident, summary)]
    assert (found.verdict, found.unknown) == (verdict, {})
    record = checks().by_id[ident]
    assert [(one["remedy"], one["cause"], one["sources"]) for one in found.plain] == [
        (record.why.remedy, record.why.cause, list(record.why.sources))]


@pytest.mark.parametrize(("changes", "on", "unknown"), [
    ({}, {"unknown": NO_WINDOW}, NO_WINDOW),
    ({"rocm": None}, {"unknown": NO_WINDOW}, {}),  # nothing hangs on it
    ({"rocm": "rolling"}, {}, {"rocm": "'rolling': is not a ROCm version; write it as 7.2.3"}),
    ({}, {"unknown": {"gfx": "no product"}}, {"gfx": "no product"}),
    ({}, {"unknown": {"gpus": "no GPU is seen"}}, {"gpus": "no GPU is seen"}),
    ({"gfx": ()}, {"unknown": {"gpus": "no GPU is seen"}}, {}),
    ({}, {"unknown": {"render_gid": "no kfd"}}, {"render_gid": "no kfd"}),
    ({}, {"unknown": {"verbs": "no /sys"}}, {"verbs": "no /sys"}),
    ({"unknown": {"rdma": "time is up"}, "rdma": UserSpace()}, {}, {"rdma": "time is up"}),
    ({"unknown": {"groups": "no plain file"}, "groups": {}}, {}, {"groups": "no plain file"}),
    ({"unknown": {"packages": "no database"}}, {}, {}),
    ({"unknown": {"python": "METADATA does not tell"}}, {}, {}),
    ({"unknown": {"packages": "no database"}, "rocm": None}, {}, {"packages": "no database"}),
    ({"machine": None}, {}, {"machine": "no program and no library of it tells that"}),
    ({"machine": None, "unknown": {"machine": "time is up"}}, {}, {"machine": "time is up"}),
    ({}, {"machine": None}, {"machine": "the node does not tell its architecture"}),
    ({}, {"machine": None, "unknown": {"machine": "no look"}}, {"machine": "no look"}),
    ({"rocm": None, "unknown": {"rocm": "libamdhip64.so.7 does not say"}}, {}, {"rocm": "libamdhip64.so.7 does not say"}),
    ({"gfx": (), "unknown": {"gfx": "compressed"}}, {}, {"gfx": "compressed"}),
    ({}, {"providers": {}}, {"verbs": "which provider the driver ionic needs is not known"}),
])
def test_what_is_not_known_is_neither_right_nor_wrong(changes: dict[str, t.Any], on: dict[str, t.Any], unknown: dict[str, str]) -> None:
    found = judge.by_tree(contents(**changes), host(**on), checks())
    assert found.findings == ()
    assert found.unknown == unknown
    assert found.verdict == ("unknown" if unknown else "pass")


@pytest.mark.parametrize(("on", "rdma", "told"), [
    ({}, True, True), ({}, False, False), ({"verbs": ()}, True, False), ({"verbs": (), "unknown": {"verbs": "no /sys"}}, True, True)])
def test_rdma_that_is_not_known_matters_where_it_is_used(on: dict[str, t.Any], rdma: bool, told: bool) -> None:
    """As of an image that has libibverbs where the loader does not look."""
    found = judge.by_tree(contents(rdma=UserSpace(), unknown={"rdma": "is elsewhere"}), host(**on), checks(), rdma)
    assert (found.findings, "rdma" in found.unknown) == ((), told)


def test_an_image_without_the_group_is_not_wrong() -> None:
    assert judge.by_tree(contents(groups={"root": 0}), host(), checks()).verdict == "pass"


def test_rdma_is_judged_where_it_is_wanted() -> None:
    assert judge.by_tree(contents(rdma=UserSpace()), host(), checks(), rdma=False).verdict == "pass"
    assert judge.by_tree(contents(rdma=UserSpace()), host(verbs=()), checks()).verdict == "pass"


@pytest.mark.parametrize(("changes", "on", "ident", "verdict"), [
    ({}, {}, None, "pass"),
    ({"rocm": "7.2.3"}, {}, "image-rocm-window", "fail"),
    ({"rocm": ""}, {}, None, "unknown"),
    ({"gfx": ()}, {}, None, "unknown"),
    ({"machine": ""}, {}, None, "unknown"),
    ({"machine": "aarch64"}, {}, "image-machine", "fail"),
    ({}, {"machine": None}, None, "unknown"),
    ({"gfx": ("gfx90a",)}, {}, "image-gfx", "fail"),
    ({"render_gid": 105}, {}, "image-render-group", "warn"),
    ({"render_gid": None}, {}, None, "unknown"),
    ({"verbs": {"ionic": 1}}, {}, "image-provider-label", "warn"),
    ({"verbs": {}}, {}, None, "unknown"),
    ({}, {"providers": {}}, None, "unknown"),
    ({}, {"unknown": {"verbs": "no /sys"}}, None, "unknown"),
    ({"verbs": {}}, {"verbs": ()}, None, "pass"),
])
def test_labels_tell_before_a_pull(changes: dict[str, t.Any], on: dict[str, t.Any], ident: str | None, verdict: str) -> None:
    found = judge.by_labels(told(**changes), host(**on), checks())
    assert [one.id for one in found.findings] == ([ident] if ident else [])
    assert found.verdict == verdict
    assert judge.by_labels(told(verbs={}), host(), checks(), rdma=False).verdict == "pass"


def test_what_labels_do_not_say_is_named() -> None:
    found = judge.by_labels(told(rocm="", gfx=(), render_gid=None, machine=""), host(), checks())
    assert (found.findings, found.unknown) == ((), dict.fromkeys(("rocm", "gfx", "render_gid", "machine"), UNSAID))


def test_labels_of_others_tell_nothing() -> None:
    found = judge.by_labels(None, host(), checks())
    assert (found.verdict, list(found.unknown)) == ("unknown", ["labels"])


def test_two_looks_say_both() -> None:
    one = judge.by_labels(None, host(), checks())
    other = judge.by_tree(contents(rocm="7.2.3"), host(), checks())
    found = judge.both(one, other)
    assert (found.findings, found.unknown, found.verdict) == (other.findings, one.unknown, "fail")


def test_info_changes_no_verdict() -> None:
    finding = dc.replace(checks().finding("image-caches", "x"), severity="info")
    assert judge.Judgement((finding,), {}).verdict == "pass"
