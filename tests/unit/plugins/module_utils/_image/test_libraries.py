# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries and programs of a tree: which are there, for what, and what they lack."""

from __future__ import annotations

import os
import pathlib

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.device_code import Code
from ansible_collections.instinct.fleet.plugins.module_utils._image.libraries import Libraries
from ansible_collections.instinct.fleet.plugins.module_utils._image.tree import Tree
from ansible_collections.instinct.fleet.tests.unit.support.device_code import COMPRESSED, hip, library
from ansible_collections.instinct.fleet.tests.unit.support.image_trees import IONIC, LIB, of_machine, rdma_tree
from ansible_collections.instinct.fleet.tests.unit.support.providers import libibverbs, provider


def met(root: pathlib.Path) -> Libraries:
    tree = Tree(str(root))
    found = Libraries(tree)
    for one in tree.walk():
        found.meet(one)
    return found


def put(root: pathlib.Path, path: str, data: bytes) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(data)


def test_a_whole_tree_lacks_nothing(tmp_path: pathlib.Path) -> None:
    found = met(rdma_tree(tmp_path))
    assert (found.missing(), found.unknown, found.code(), found.machine()) == ({}, {}, {}, "x86_64")


def test_nothing_is_nothing(tmp_path: pathlib.Path) -> None:
    found = met(tmp_path)
    assert (found.missing(), found.names, found.machine(), found.code()) == ({}, (), None, {})


def test_a_trimmed_tree_lacks_what_its_providers_need(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    (root / LIB[1:] / "libibverbs.so.1.14.44.0").unlink()  # the link of its name is left
    assert met(root).missing() == {IONIC: ("libibverbs.so.1",)}


def test_broken_files_are_missing_a_part(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    put(root, IONIC[1:], provider("ionic", 1, 4)[:300])
    put(root, f"{LIB[1:]}/libibverbs.so.1.14.44.0", libibverbs()[:300])
    assert met(root).missing() == dict.fromkeys((IONIC, f"{LIB}/libibverbs.so.1.14.44.0"), ("a part of itself",))


def test_files_that_only_look_like_libraries_say_nothing(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    put(root, f"{LIB[1:]}/libc.so", b"GROUP ( libc.so.6 )\n")  # a script of the linker
    put(root, "usr/bin/script", b"#!/bin/sh\n")
    (root / "usr/bin/script").chmod(0o755)
    (root / "usr/lib/ld.so.d").symlink_to(".")
    found = met(root)
    assert (found.missing(), found.unknown, "ld.so.d" in found.names) == ({}, {}, False)


def test_a_script_of_the_linker_is_no_library_that_is_needed(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    (root / f"{LIB[1:]}/libibverbs.so.1").unlink()
    put(root, f"{LIB[1:]}/libibverbs.so.1", b"GROUP ( libibverbs.so )\n")
    assert met(root).missing() == {IONIC: ("libibverbs.so.1",)}


def test_a_library_of_another_architecture_is_none(tmp_path: pathlib.Path) -> None:
    """As in a tree of two architectures, where one was trimmed."""
    root = rdma_tree(tmp_path)
    (root / f"{LIB[1:]}/libibverbs.so.1.14.44.0").unlink()
    put(root, "usr/lib/aarch64-linux-gnu/libibverbs.so.1", of_machine(libibverbs(), 183))
    put(root, "usr/lib/i386-linux-gnu/libibverbs.so.1", b"\x7fELF\x01\x01\x01" + bytes(100))
    found = met(root)
    assert found.missing() == {IONIC: ("libibverbs.so.1",)}
    assert found.paths("libibverbs.so.1", "aarch64") == ["/usr/lib/aarch64-linux-gnu/libibverbs.so.1"]
    assert found.paths("libibverbs.so.1", None) == ["/usr/lib/aarch64-linux-gnu/libibverbs.so.1"]
    assert found.machine() == "x86_64"  # of the provider and of librdmacm


def test_libraries_tell_what_gpus_they_have_code_for(tmp_path: pathlib.Path) -> None:
    put(tmp_path, "opt/rocm/lib/librccl.so.1.0", library(COMPRESSED))
    (tmp_path / "opt/rocm/lib/librccl.so.1").symlink_to("librccl.so.1.0")
    put(tmp_path, "usr/bin/bench", library(hip("gfx942")))
    (tmp_path / "usr/bin/bench").chmod(0o755)
    found = met(tmp_path)
    assert found.code() == {"/opt/rocm/lib/librccl.so.1.0": Code(frozenset(), True), "/usr/bin/bench": Code(frozenset({"gfx942"}), False)}


def test_a_program_lacks_its_loader(tmp_path: pathlib.Path) -> None:
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "usr/bin/ls").write_bytes(pathlib.Path("/bin/ls").resolve().read_bytes())
    (tmp_path / "usr/bin/ls").chmod(0o755)
    lacks = met(tmp_path).missing()["/usr/bin/ls"]
    assert lacks[0].rpartition("/")[2].startswith("ld-linux") and "libc.so.6" in lacks


def test_what_cannot_be_read_is_unknown(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    os.mkfifo(root / LIB[1:] / "libpipe.so")
    found = met(root)
    assert (found.missing(), found.unknown) == ({}, {f"{LIB}/libpipe.so": f"{LIB}/libpipe.so is no plain file"})


def test_a_file_is_read_once(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = Tree.reading
    monkeypatch.setattr(Tree, "reading", lambda self, path, parse: (read.append(path), real(self, path, parse))[1])
    found = met(rdma_tree(tmp_path))
    found.missing(), found.machine(), found.code(), found.paths("libibverbs.so.1", "x86_64")
    assert sorted(read) == sorted(set(read))
