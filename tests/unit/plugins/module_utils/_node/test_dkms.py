# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DKMS is asked only where its tree is odd, and its failures are told."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Dkms, DkmsModule
from ansible_collections.instinct.fleet.plugins.module_utils._node import dkms
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

MODULE = DkmsModule("amdgpu", "6.14.14-2226257.24.04", "6.1.0-56-amd64", "x86_64", "installed")
LINE = "amdgpu/6.14.14-2226257.24.04, 6.1.0-56-amd64, x86_64: installed\n"
PROGRAM, SOURCE = "/usr/sbin/dkms", "/var/lib/dkms/amdgpu/6.14.14-2226257.24.04/source"
ODD = "/etc/dkms/amdgpu.conf"  # a site's own settings for the module

# id, files, what dkms leaves, section, commands
CASES = [
    ("not installed", [], None, Dkms(present=False), []),
    ("installed, no tree", [PROGRAM], None, Dkms(present=True), []),
    ("installed, only its key in the tree", [PROGRAM, "/var/lib/dkms/mok.key", "/var/lib/dkms/mok.pub"], None,
     Dkms(present=True), []),
    ("an odd tree", [PROGRAM, SOURCE, ODD], Ran(0, LINE, "readelf: Warning: odd\n"), Dkms(present=True, modules=(MODULE,)),
     ["/usr/sbin/dkms status"]),
    ("a broken tree", [PROGRAM, SOURCE, ODD], Ran(4, "", "Error! Could not locate dkms.conf file.\n"),
     Dkms(present=True, errors=("Error! Could not locate dkms.conf file.",)), ["/usr/sbin/dkms status"]),
    ("it fails without a word of error", [PROGRAM, SOURCE, ODD], Ran(1, "", "tree is locked\n"),
     Dkms(present=True, unknown={"modules": "dkms status ended with 1: tree is locked"}), ["/usr/sbin/dkms status"]),
    ("it hangs", [PROGRAM, SOURCE, ODD], None, Dkms(present=True, unknown={"modules": "it did not end in 20 s"}),
     ["/usr/sbin/dkms status"]),
    ("it prints a line that is none", [PROGRAM, SOURCE, ODD], Ran(0, "hello\n" + LINE, ""), Dkms(
        present=True, modules=(MODULE,),
        unknown={"modules": "dkms status printed lines that are not understood: 'hello'"}), ["/usr/sbin/dkms status"]),
    ("an odd tree without the program", [SOURCE, ODD], None, Dkms(present=False, unknown={
        "modules": "/var/lib/dkms is odd and dkms is not installed: amdgpu.conf may change a dkms.conf"
    }), []),
]


@pytest.mark.parametrize(("files", "ran", "section", "asked"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_answer(tree: Tree, files: list[str], ran: Ran | None, section: Dkms, asked: list[str]) -> None:
    tree.fill(dict.fromkeys(files, ""))
    tree.commands["/usr/sbin/dkms status"] = ran
    assert dkms.Question(tree.machine()).answer() == dc.replace(section, sources=())
    assert tree.asked == asked


def test_a_tree_as_usual_is_read_without_the_program(tree: Tree) -> None:
    tree.fill({PROGRAM: "", "/usr/src/amdgpu-6.14.14-2226257.24.04/dkms.conf": 'BUILT_MODULE_NAME="amdgpu"\n'})
    tree.link(SOURCE, "/usr/src/amdgpu-6.14.14-2226257.24.04")
    added = DkmsModule("amdgpu", "6.14.14-2226257.24.04", None, None, "added")
    assert dkms.Question(tree.machine()).answer() == Dkms(present=True, modules=(added,), sources=(added.version,))
    assert tree.asked == []


def test_a_source_that_dkms_does_not_know_of_is_there_all_the_same(tree: Tree) -> None:
    tree.fill({"/usr/src/amdgpu-6.16.13-1/dkms.conf": "", "/usr/src/other-1/dkms.conf": "", "/usr/src/amdgpu-5.18.13-1/Kbuild": ""})
    assert dkms.Question(tree.machine()).answer().sources == ("6.16.13-1",)


def test_links_mark_what_is_installed(tree: Tree) -> None:
    tree.folder("/var/lib/dkms/amdgpu/6.14.14-1")
    tree.link("/var/lib/dkms/amdgpu/kernel-6.1.0-56-amd64-x86_64", "6.14.14-1/6.1.0-56-amd64/x86_64")
    assert dkms.links(tree.machine()) == ("kernel-6.1.0-56-amd64-x86_64",)
