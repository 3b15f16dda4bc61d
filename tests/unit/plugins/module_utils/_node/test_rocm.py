# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ROCm installations of both layouts."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Rocm, RocmPrefix
from ansible_collections.instinct.fleet.plugins.module_utils._node import rocm
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

SEVEN, SIX = RocmPrefix("/opt/rocm-7.0.2", "7.0.2"), RocmPrefix("/opt/rocm-6.4.2", "6.4.2")
FILES = {"/opt/rocm-7.0.2/.info/version": "7.0.2-56\n", "/opt/rocm-6.4.2/.info/version": "6.4.2\n"}
CORE = {"/opt/rocm/core-7.14/.info/version": "7.14.0\n", "/opt/rocm/core-7.14/lib/x": "", "/opt/rocm/core-7.14/bin/x": "",
        "/opt/rocm/core-10.0/.info/version": "10.0.0\n", "/opt/rocm/core-10.0/lib/x": "", "/opt/rocm/core-10.0/lib/llvm/x": ""}
NEW = RocmPrefix("/opt/rocm/core-7.14", "7.14.0", {"bin": "/opt/rocm/core-7.14/bin", "lib": "/opt/rocm/core-7.14/lib"})
NEWEST = RocmPrefix("/opt/rocm/core-10.0", "10.0.0",
                    {"lib": "/opt/rocm/core-10.0/lib", "llvm": "/opt/rocm/core-10.0/lib/llvm"})
INNER = {"/opt/rocm/core-10.0/llvm": "lib/llvm"}  # as AMD's packages have it

# id, files, links, section
CASES = [
    ("nothing", {}, {}, Rocm()),
    ("side by side, one active", FILES, {"/opt/rocm": "rocm-7.0.2"},
     Rocm((SIX, SEVEN), "/opt/rocm-7.0.2", "link")),
    ("active by update-alternatives", FILES, {"/opt/rocm": "/etc/alternatives/rocm", "/etc/alternatives/rocm": "/opt/rocm-6.4.2"},
     Rocm((SIX, SEVEN), "/opt/rocm-6.4.2", "link")),
    ("none active", FILES, {}, Rocm((SIX, SEVEN))),
    ("/opt/rocm leads nowhere", FILES, {"/opt/rocm": "rocm-7.1.0"}, Rocm((SIX, SEVEN), None, "link")),
    ("two names of one installation", FILES, {"/opt/rocm": "rocm-7.0.2", "/opt/rocm-7": "rocm-7.0.2"},
     Rocm((SIX, SEVEN), "/opt/rocm-7.0.2", "link")),
    ("a folder of its own", {"/opt/rocm/.info/version": "6.0.2-115\n"}, {},
     Rocm((RocmPrefix("/opt/rocm", "6.0.2"),), "/opt/rocm", "folder", content=(".info",))),
    ("no version file", {"/opt/rocm-7.0.2/lib/x": ""}, {"/opt/rocm": "rocm-7.0.2"},
     Rocm((RocmPrefix("/opt/rocm-7.0.2", None, {"lib": "/opt/rocm-7.0.2/lib"}),), "/opt/rocm-7.0.2", "link")),
    ("the new layout, linked by alternatives", {**CORE, "/opt/rocm/extras-10/x": ""}, {
        **INNER, "/opt/rocm/lib": "/etc/alternatives/rocm-lib", "/etc/alternatives/rocm-lib": "/opt/rocm/core-10.0/lib",
        "/opt/rocm/core-10": "/etc/alternatives/core-10", "/etc/alternatives/core-10": "/opt/rocm/core-10.0"},
     Rocm((NEWEST, NEW), "/opt/rocm/core-10.0", "folder", {"lib": "/opt/rocm/core-10.0/lib"}, ("extras-10",))),
    ("the new layout, nothing linked", CORE, INNER, Rocm((NEWEST, NEW), None, "folder")),
    ("the new layout, only one", {"/opt/rocm/core-7.14/.info/version": "7.14.0\n"}, {},
     Rocm((RocmPrefix("/opt/rocm/core-7.14", "7.14.0"),), "/opt/rocm/core-7.14", "folder")),
    ("the new layout, links that lead nowhere", {}, {"/opt/rocm/lib": "/etc/alternatives/rocm-lib"},
     Rocm((), None, "folder")),
]


@pytest.mark.parametrize(("files", "links", "section"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_read(tree: Tree, files: dict[str, str], links: dict[str, str], section: Rocm) -> None:
    tree.fill(files)
    for path, target in links.items():
        tree.link(path, target)
    assert rocm.read(tree.machine()) == section
