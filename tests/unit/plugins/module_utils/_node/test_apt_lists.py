# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of apt on a node."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._node import apt_lists
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

LISTS = "/var/lib/apt/lists"
RELEASE = f"SHA256:\n {'ab' * 32} 9 main/binary-amd64/Packages\n"


def test_torn(tree: Tree) -> None:
    assert apt_lists.torn(tree.machine()) == ()
    tree.fill({f"{LISTS}/x_InRelease": RELEASE, f"{LISTS}/x_main_binary-amd64_Packages": "Package:\n"})
    tree.folder(f"{LISTS}/partial")
    assert apt_lists.torn(tree.machine()) == ()
    tree.write(f"{LISTS}/x_main_binary-amd64_Packages", "")
    assert apt_lists.torn(tree.machine()) == (f"{LISTS}/x_main_binary-amd64_Packages",)
    assert apt_lists.torn(tree.machine(), "/elsewhere") == ()
