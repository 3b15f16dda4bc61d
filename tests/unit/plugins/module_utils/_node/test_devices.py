# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Device nodes and whom they belong to."""

from __future__ import annotations

import os

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.kfd import Node
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import DeviceNode, Devices
from ansible_collections.instinct.fleet.plugins.module_utils._node import devices
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

A, B = "0000:05:00.0", "0000:26:00.0"


def test_read_nodes_of_gpus_and_partitions_only(tree: Tree) -> None:
    uid, gid = os.getuid(), os.getgid()
    tree.fill({"/etc/passwd": f"me:x:{uid}:0::/:/bin/sh\n", "/etc/group": f"mine:x:{gid}:\nrender:x:1105:\nvideo:x:1044:\n"})
    for path in ("kfd", "dri/card1", "dri/renderD128", "dri/renderD129", "dri/renderD136", "dri/renderD200", "dri/card0"):
        tree.write(f"/dev/{path}").chmod(0o660)
    tree.write("/dev/dri/by-path/x")
    (tree.root / "dev/kfd").chmod(0o666)
    for name, device in (("card1", A), ("renderD128", A), ("renderD129", "amdgpu_xcp_0"), ("renderD136", B), ("card0", "0000:03:00.0"),
                         ("renderD200", "amdgpu_xcp_9")):
        tree.link(f"/sys/class/drm/{name}/device", f"../../../{device}")
    node = Node(3, 1, 0, 0x501, 129, 0, 0, 0)

    def seen(path: str, kind: str, bdf: str | None, mode: str = "0660") -> DeviceNode:
        return DeviceNode(path, kind, "me", "mine", gid, mode, bdf)

    assert devices.read(tree.machine(), [A, B], [(A, node)]) == Devices((
        seen("/dev/kfd", "kfd", None, "0666"), seen("/dev/dri/card1", "card", A),
        seen("/dev/dri/renderD128", "render", A), seen("/dev/dri/renderD129", "render", A),
        seen("/dev/dri/renderD136", "render", B)), {"mine": gid, "render": 1105, "video": 1044}, 1)


def test_read_nothing(tree: Tree) -> None:
    assert devices.read(tree.machine(), [], []) == Devices(unknown={"displays": "there is no /sys/class/drm"})


# id, names in /sys/class/drm with the device of each, how many are not of the GPU
DISPLAYS = [
    ("the GPU and its partitions alone", {"card1": A, "renderD128": A, "card2": "amdgpu_xcp_0", "renderD129": "amdgpu_xcp_0"}, 0),
    ("no device at all", {}, 0),
    ("a baseboard's display has no render node", {"card0": "0000:46:00.0", "card1": A}, 1),
    ("a display card is one device", {"card0": "0000:46:00.0", "renderD128": "0000:46:00.0", "card1": A}, 1),
    ("a screen of the firmware, and a display card of AMD", {"card0": "simple-framebuffer.0", "card1": "0000:26:00.0", "card2": A}, 2),
]


@pytest.mark.parametrize(("names", "displays"), [c[1:] for c in DISPLAYS], ids=[c[0] for c in DISPLAYS])
def test_displays_take_minors_too(tree: Tree, names: dict[str, str], displays: int) -> None:
    tree.write("/sys/class/drm/version", "drm 1.1.0\n")
    for name, device in names.items():
        tree.link(f"/sys/devices/{device}/drm/{name}/device", f"../../../{device}")
        tree.link(f"/sys/class/drm/{name}", f"../../devices/{device}/drm/{name}")
    tree.link("/sys/class/drm/card0-VGA-1", "../../devices/0000:46:00.0/drm/card0/card0-VGA-1")
    assert devices.read(tree.machine(), [A], []).displays == displays
