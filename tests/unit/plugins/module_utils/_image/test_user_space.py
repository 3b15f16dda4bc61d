# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The user space of RDMA of a tree: what programs and libibverbs find, and what they do not."""

from __future__ import annotations

import pathlib

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import Provider, UserSpace
from ansible_collections.instinct.fleet.plugins.module_utils._image import user_space
from ansible_collections.instinct.fleet.plugins.module_utils._image.libraries import Libraries
from ansible_collections.instinct.fleet.plugins.module_utils._image.tree import Tree
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError
from ansible_collections.instinct.fleet.tests.unit.support.image_trees import IONIC, LIB, of_machine, rdma_tree
from ansible_collections.instinct.fleet.tests.unit.support.providers import libibverbs, provider


def read(root: pathlib.Path, machine: str | None = "x86_64") -> tuple[UserSpace, dict[str, str]]:
    tree = Tree(str(root))
    libraries = Libraries(tree)
    for one in tree.walk():
        libraries.meet(one)
    return user_space.read(tree, libraries, machine), libraries.unknown


def put(root: pathlib.Path, path: str, data: bytes) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(data)


def moved(root: pathlib.Path, path: str, to: str) -> None:
    (root / to).parent.mkdir(parents=True, exist_ok=True)
    (root / path).rename(root / to)


@pytest.mark.parametrize("machine", ["x86_64", None])
def test_the_user_space_of_rdma(tmp_path: pathlib.Path, machine: str | None) -> None:
    space, unknown = read(rdma_tree(tmp_path), machine)
    assert (space.libibverbs, space.librdmacm, space.private) == (f"{LIB}/libibverbs.so.1", f"{LIB}/librdmacm.so.1", 34)
    assert (space.providers, unknown) == ((Provider("ionic", IONIC, 1, 4, 34),), {})


def test_nothing_is_nothing(tmp_path: pathlib.Path) -> None:
    assert read(tmp_path) == (UserSpace(), {})


def test_a_trimmed_tree(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    (root / LIB[1:] / "libibverbs.so.1.14.44.0").unlink()
    space, _unknown = read(root)
    assert space.libibverbs is None
    assert space.providers[0].missing == ("a place where libibverbs looks (it is not there)", "libibverbs.so.1")


def test_a_provider_that_nothing_names_is_not_loaded(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    (root / "etc/libibverbs.d/ionic.driver").unlink()
    assert read(root)[0].providers[0].missing == ("a line driver ionic in /etc/libibverbs.d",)


def test_a_provider_for_another_libibverbs_lacks_a_version(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    put(root, f"{LIB[1:]}/libibverbs.so.1.14.44.0", libibverbs(50))
    space, _unknown = read(root)
    assert (space.private, space.providers[0].private) == (50, 34)
    assert space.providers[0].missing == ("IBVERBS_PRIVATE_34 of libibverbs.so.1",)


def test_broken_files_are_missing_a_part(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    put(root, IONIC[1:], provider("ionic", 1, 4)[:300])
    put(root, f"{LIB[1:]}/libibverbs.so.1.14.44.0", libibverbs()[:300])
    space, _unknown = read(root)
    assert (space.providers, space.private) == ((Provider("ionic", IONIC, missing=("a part of itself",)),), None)
    put(root, IONIC[1:], provider("ionic", 1, 4))  # what it needs cannot say which versions it has
    assert read(root)[0].providers[0].missing == ()


def test_a_file_that_only_looks_like_a_provider_is_none(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    put(root, f"{LIB[1:]}/libibverbs/libmlx5-rdmav34.so", b"no library\n")
    assert [one.name for one in read(root)[0].providers] == ["ionic"]


def test_the_library_of_the_system_counts(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    for folder in ("opt/a/lib", "aaa"):
        put(root, f"{folder}/libibverbs.so.1", libibverbs(50))
    assert read(root)[0].libibverbs == f"{LIB}/libibverbs.so.1"


def test_the_architecture_of_the_programs_counts(tmp_path: pathlib.Path) -> None:
    """i386 and aarch64 are before x86_64, and are no libraries of its programs."""
    root = rdma_tree(tmp_path)
    for folder, change in (("aarch64", lambda data: of_machine(data, 183)), ("i386", lambda data: b"\x7fELF\x01\x01\x01" + data[7:])):
        put(root, f"usr/lib/{folder}-linux-gnu/libibverbs.so.1", change(libibverbs(50)))
        put(root, f"usr/lib/{folder}-linux-gnu/libibverbs/libionic-rdmav34.so", change(provider("ionic", 7, 9)))
    space, unknown = read(root)
    assert (space.libibverbs, space.private, space.providers, unknown) == (
        f"{LIB}/libibverbs.so.1", 34, (Provider("ionic", IONIC, 1, 4, 34),), {})
    assert read(root, "aarch64")[0].libibverbs == "/usr/lib/aarch64-linux-gnu/libibverbs.so.1"


def test_a_libibverbs_where_the_loader_does_not_look_is_unknown(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    moved(root, f"{LIB[1:]}/libibverbs.so.1.14.44.0", "opt/ofed/lib/libibverbs.so.1")
    with pytest.raises(UnreadableError, match=r"^/opt/ofed/lib/libibverbs\.so\.1 is where the loader looks only if it is told to"):
        read(root)
    (root / "etc/ld.so.conf").write_text("/opt/ofed/lib\n")
    assert read(root)[0].libibverbs == "/opt/ofed/lib/libibverbs.so.1"


@pytest.mark.parametrize(("line", "conf", "loads"), [
    ("ionic", "", False), ("ionic", "/opt/site", True), ("/opt/site/libionic", "", True), ("/opt/other/libionic", "", False)])
def test_a_provider_of_a_place_of_its_own(tmp_path: pathlib.Path, line: str, conf: str, loads: bool) -> None:
    root = rdma_tree(tmp_path)
    moved(root, IONIC[1:], "opt/site/libionic-rdmav34.so")
    (root / "etc/libibverbs.d/ionic.driver").write_text(f"driver {line}\n")
    (root / "etc/ld.so.conf").write_text(f"{conf}\n")
    found = read(root)[0].providers
    if line == "/opt/other/libionic":
        assert found == ()
        return
    assert found[0].path == "/opt/site/libionic-rdmav34.so" and (not found[0].missing) == loads
    assert loads or found[0].missing == (f"a place where libibverbs looks ({LIB}/libibverbs)",)


def test_another_installation_of_rdma_is_not_that_of_the_system(tmp_path: pathlib.Path) -> None:
    """As conda has it, beside that of the distribution or in place of it."""
    root = rdma_tree(tmp_path)
    put(root, "opt/conda/lib/libibverbs.so.1", libibverbs(50))
    for name in ("ionic", "mana"):
        put(root, f"opt/conda/lib/libibverbs/lib{name}-rdmav50.so", provider(name, 7, 9, 50))
    assert read(root)[0].providers == (Provider("ionic", IONIC, 1, 4, 34),)
    (root / IONIC[1:]).unlink()
    found = read(root)[0].providers
    assert [(one.name, one.path) for one in found] == [("ionic", "/opt/conda/lib/libibverbs/libionic-rdmav50.so")]
    assert found[0].missing[0] == f"a place where libibverbs looks ({LIB}/libibverbs)"
    for path in (root / LIB[1:]).glob("libibverbs.so*"):
        path.unlink()
    with pytest.raises(UnreadableError, match=r"^/opt/conda/lib/libibverbs\.so\.1 is where"):
        read(root)


def test_the_provider_beside_libibverbs_comes_first(tmp_path: pathlib.Path) -> None:
    root = rdma_tree(tmp_path)
    for folder in (LIB[1:], "opt/site"):
        put(root, f"{folder}/libionic-rdmav34.so", provider("ionic", 7, 9))
    assert read(root)[0].providers == (Provider("ionic", IONIC, 1, 4, 34),)


def test_what_a_provider_needs_from_elsewhere_is_unknown(tmp_path: pathlib.Path) -> None:
    """Unless the provider itself says where, nobody knows whether something leads there."""
    root = rdma_tree(tmp_path)
    put(root, "opt/site/libextra.so.1", provider("extra", 0, 0))
    said = "it needs libextra.so.1 (/opt/site/libextra.so.1), where the loader looks only if it is told to"
    for extra, told in (((), {IONIC: said}), (("-Wl,-rpath,/opt/site",), {}), (("-Wl,-rpath,$ORIGIN/../../../../opt/site",), {})):
        linked = ("-Wl,--no-as-needed", f"-L{root}/opt/site", "-l:libextra.so.1", *extra)
        put(root, IONIC[1:], provider("ionic", 1, 4, 34, *linked))
        space, unknown = read(root)
        assert (space.providers[0].missing, unknown) == ((), told)
    (root / "opt/site/libextra.so.1").unlink()
    assert read(root)[0].providers[0].missing == ("libextra.so.1",)
