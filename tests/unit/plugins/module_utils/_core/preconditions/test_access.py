# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Device nodes: who may open them, and how many there may be."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.tests.unit.support.preconditions import GOOD, but, gpu, judged

VMS = ("passthrough",)
CPX = tuple(
    lk.Gpu(i, f"0000:{i:02x}:00.0", "74a1", "MI300X", compute_partition="CPX", driver="amdgpu",
           partitions=tuple(lk.Partition(p) for p in range(8 - (i == 7)))) for i in range(8))
WHOLE = (*CPX[:7], lk.Gpu(7, "0000:07:00.0", "74a1", "MI300X", compute_partition="CPX",
                          partitions=tuple(lk.Partition(p) for p in range(8))))
FOUR = tuple(
    lk.Gpu(i, f"0000:{i:02x}:00.0", "74a2", "MI308X", compute_partition="CPX", driver="amdgpu",
           partitions=tuple(lk.Partition(p) for p in range(4))) for i in range(8))
LIMIT = {"drm_minors": 64, "drm_devices": {"amdgpu": 126, "ast": 1}}


def nodes(*modes: tuple[str, str, int], **section: object) -> lk.Look:
    """A node with kfd and render nodes of these modes, groups and gids."""
    made = tuple(lk.DeviceNode(f"/dev/dri/renderD{127 + i}" if i else "/dev/kfd", "render" if i else "kfd", "root", group, gid, mode)
                 for i, (mode, group, gid) in enumerate(modes))
    return but(devices={"nodes": made, **section})


CASES = [
    ("device-kfd", "missing", but(devices={"nodes": GOOD.devices.nodes[1:]}), (), [("fail", "/dev/kfd is not there")]),
    ("device-kfd", "not read", but(devices={"nodes": (), "unknown": {"nodes": "no root"}}), (), [("unknown", "devices.nodes: no root")]),
    ("device-kfd", "not read, and a card is there", but(devices={"nodes": GOOD.devices.nodes[2:], "unknown": {"nodes": "no root"}}), (), [
        ("unknown", "devices.nodes: no root")]),
    ("device-kfd", "no driver", but(driver={"loaded": False}, devices={"nodes": ()}), (), []),
    ("device-kfd", "no GPU", but(gpus={"gpus": ()}, devices={"nodes": ()}), (), []),
    ("device-kfd", "for virtual machines", but(devices={"nodes": ()}), VMS, []),
    ("device-open-to-all", "everybody may write", nodes(("0666", "render", 992), ("0660", "render", 992)), (), [
        ("warn", "everybody may open /dev/kfd (0666)")]),
    ("device-open-to-all", "everybody may read", nodes(("0664", "render", 992)), (), [("pass", "only their group may open them")]),
    ("device-open-to-all", "many", nodes(*[("0666", "render", 992)] * 9), (), [
        ("warn", "everybody may open /dev/kfd (0666), /dev/dri/renderD128 (0666), /dev/dri/renderD129 (0666), "
                 "/dev/dri/renderD130 (0666) and 5 more")]),
    ("device-open-to-all", "none", nodes(), (), []),
    ("device-open-to-all", "no section", but(devices=None), (), [("unknown", "section devices was not looked at")]),
    ("device-group", "another group", nodes(("0660", "render", 992), ("0660", "root", 0)), (), [
        ("warn", "another group has /dev/dri/renderD128 (root)")]),
    ("device-group", "an old group", nodes(("0660", "video", 44)), (), [("pass", "they belong to video")]),
    ("device-group", "one without a name is another finding", nodes(("0660", "109", 109)), (), []),
    ("device-gid", "no such group", nodes(("0660", "109", 109), ("0660", "render", 992)), (), [
        ("warn", "no local group has the gid of /dev/kfd (gid 109)")]),
    ("device-gid", "none", nodes(), (), []),
    ("drm-minors", "63 of 64 partitions, and the display of the BMC", but(gpus={"gpus": CPX}, host=LIMIT), (), [
        ("fail", "63 of 64 partitions are there, and 64 of 64 DRM devices are in use (1 by ast)")]),
    ("drm-minors", "63 of 64 partitions, and devices of the driver alone", but(gpus={"gpus": CPX}, host={**LIMIT, "drm_devices": {}}),
     (), [("fail", "63 of 64 partitions are there, and 64 of 64 DRM devices are in use")]),
    ("drm-minors", "63 of 64 partitions on a kernel with more", but(gpus={"gpus": CPX}, host={"drm_minors": 65}), (), [
        ("pass", "65 DRM devices are in use")]),
    ("drm-minors", "63 of 64 partitions and devices left", but(gpus={"gpus": CPX}, host={"drm_minors": 63}), (), [
        ("pass", "63 DRM devices are in use")]),
    ("drm-minors", "all partitions", but(gpus={"gpus": WHOLE}, host={"drm_minors": 64, "drm_devices": {"amdgpu": 128}}), (), [
        ("pass", "64 DRM devices are in use")]),
    ("drm-minors", "all four partitions of each GPU", but(gpus={"gpus": FOUR}, host=LIMIT), (), [
        ("pass", "64 DRM devices are in use")]),
    ("drm-minors", "a mode that nobody tells", but(gpus=gpu(compute_partition=None), host={"drm_minors": 64}), (), [
        ("pass", "64 DRM devices are in use")]),
    ("drm-minors", "not counted", but(host={"drm_minors": None}), (), [("unknown", "host.drm_minors is not told")]),
]


@pytest.mark.parametrize(("ident", "look", "profiles", "expected"), [(c[0], *c[2:]) for c in CASES],
                         ids=[f"{c[0]}: {c[1]}" for c in CASES])
def test_verdict(ident, look, profiles, expected):
    assert judged(ident, look, profiles or ("bare_metal",)) == expected
