# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries of a tree: which are there, what they lack, and the user space of RDMA among them."""

from __future__ import annotations

import os
import pathlib

from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import Provider
from ansible_collections.instinct.fleet.plugins.module_utils._image.libraries import Libraries
from ansible_collections.instinct.fleet.plugins.module_utils._image.tree import Tree
from ansible_collections.instinct.fleet.tests.unit.support.image_trees import IONIC, LIB, rdma_tree
from ansible_collections.instinct.fleet.tests.unit.support.providers import libibverbs, provider


def met(root: pathlib.Path) -> Libraries:
    tree = Tree(str(root))
    found = Libraries(tree)
    for one in tree.walk():
        found.meet(one)
    return found


def test_the_user_space_of_rdma(tmp_path: pathlib.Path) -> None:
    found = met(rdma_tree(tmp_path))
    space = found.rdma()
    assert (space.libibverbs, space.librdmacm, space.private) == (f"{LIB}/libibverbs.so.1", f"{LIB}/librdmacm.so.1", 34)
    assert space.providers == (Provider("ionic", IONIC, 1, 4, 34),)
    assert (found.missing(), found.unknown) == ({}, {})


def test_nothing_is_nothing(tmp_path: pathlib.Path) -> None:
    space = met(tmp_path).rdma()
    assert (space.libibverbs, space.librdmacm, space.private, space.providers) == (None, None, None, ())


def test_a_trimmed_tree_lacks_what_its_providers_need(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    (root / LIB[1:] / "libibverbs.so.1.14.44.0").unlink()  # the link of its name is left
    found = met(root)
    assert found.rdma().libibverbs is None
    assert found.missing() == {IONIC: ("libibverbs.so.1",)}
    assert found.rdma().providers[0].missing == ("libibverbs.so.1",)


def test_a_provider_that_nothing_names_is_not_loaded(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    (root / "etc/libibverbs.d/ionic.driver").unlink()
    assert met(root).rdma().providers[0].missing == ("a line driver ionic in /etc/libibverbs.d",)


def test_a_provider_for_another_libibverbs_lacks_a_version(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    (root / LIB[1:] / "libibverbs.so.1.14.44.0").write_bytes(libibverbs(50))
    space = met(root).rdma()
    assert (space.private, space.providers[0].private) == (50, 34)
    assert space.providers[0].missing == ("IBVERBS_PRIVATE_34 of libibverbs.so.1",)


def test_broken_files_are_missing_a_part(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    (root / IONIC[1:]).write_bytes(provider("ionic", 1, 4)[:300])
    (root / LIB[1:] / "libibverbs.so.1.14.44.0").write_bytes(libibverbs()[:300])
    found = met(root)
    assert found.missing() == dict.fromkeys((IONIC, f"{LIB}/libibverbs.so.1.14.44.0"), ("a part of itself",))
    assert found.rdma().providers == (Provider("ionic", IONIC, missing=("a part of itself",)),)
    assert found.rdma().private is None
    (root / IONIC[1:]).write_bytes(provider("ionic", 1, 4))  # what it needs cannot say which versions it has
    assert met(root).rdma().providers[0].missing == ()


def test_files_that_only_look_like_libraries_say_nothing(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    (root / LIB[1:] / "libc.so").write_text("GROUP ( libc.so.6 )\n")  # a script of the linker
    (root / LIB[1:] / "libibverbs/libmlx5-rdmav34.so").write_text("no library\n")
    (root / "usr/bin").mkdir()
    (root / "usr/bin/script").write_text("#!/bin/sh\n")
    (root / "usr/bin/script").chmod(0o755)
    found = met(root)
    assert (found.missing(), [one.name for one in found.rdma().providers], found.unknown) == ({}, ["ionic"], {})


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


def test_the_library_of_the_system_counts(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    for folder in ("opt/a/lib", "aaa"):
        (root / folder).mkdir(parents=True)
        (root / folder / "libibverbs.so.1").write_bytes(libibverbs(50))
    assert met(root).rdma().libibverbs == f"{LIB}/libibverbs.so.1"
