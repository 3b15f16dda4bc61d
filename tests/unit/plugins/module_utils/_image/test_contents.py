# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tree of an image holds."""

from __future__ import annotations

import os
import pathlib
import shutil

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Contents, Distribution
from ansible_collections.instinct.fleet.plugins.module_utils._image.contents import contents
from ansible_collections.instinct.fleet.plugins.module_utils._image.tree import Tree
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.tests.unit.support.device_code import COMPRESSED, hip, library
from ansible_collections.instinct.fleet.tests.unit.support.image_trees import LIB, STATUS, image_tree, of_machine
from ansible_collections.instinct.fleet.tests.unit.support.providers import provider


def test_a_whole_image(tmp_path: pathlib.Path) -> None:
    found = contents(str(image_tree(tmp_path)))
    assert (found.os, found.os_version, found.machine) == ("debian", "12", "x86_64")
    assert found.packages == {"libibverbs1": "44.0-2"}
    assert (found.rdma.libibverbs, found.rdma.private, [one.name for one in found.rdma.providers]) == (
        f"{LIB}/libibverbs.so.1", 34, ["ionic"])
    assert (found.groups, found.rocm, found.gfx) == ({"root": 0, "render": 109}, "7.0.2", ("gfx90a", "gfx942"))
    assert (found.missing, found.caches, found.unknown) == ({}, (), {})


def test_an_empty_tree(tmp_path: pathlib.Path) -> None:
    assert contents(str(tmp_path)) == Contents(unknown={"packages": "it has neither a database of dpkg nor one of rpm"})


def test_packages_of_python_are_told(tmp_path: pathlib.Path) -> None:
    note = image_tree(tmp_path) / "opt/v/lib/python3.12/site-packages/numpy-2.1.0.dist-info/METADATA"
    note.parent.mkdir(parents=True)
    note.write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 2.1.0\n")
    assert contents(str(tmp_path)).python == (Distribution("numpy", "2.1.0", "/opt/v/lib/python3.12/site-packages"),)
    note.write_text("Name: numpy\n")
    found = contents(str(tmp_path))
    assert (found.python, list(found.unknown)) == ((), ["python"])


def test_sizes_count_each_file_once(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a").write_bytes(bytes(1000))
    os.link(tmp_path / "a", tmp_path / "b")
    (tmp_path / "c").symlink_to("a")
    assert contents(str(tmp_path)).size_bytes == 1000


@pytest.mark.parametrize(("path", "size", "found"), [
    ("var/cache/apt/pkgcache.bin", 8192, ("/var/cache/apt",)), ("var/lib/apt/lists/x_Packages", 4096, ("/var/lib/apt/lists",)),
    ("root/.cache/pip/wheels/w", 5000, ("/root/.cache/pip",)), ("var/cache/dnf/x.solv", 5000, ("/var/cache/dnf",)),
    ("var/cache/apt/lock", 0, ()), ("var/cache/fontconfig/f", 9000, ())])
def test_caches_that_are_left(tmp_path: pathlib.Path, path: str, size: int, found: tuple[str, ...]) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_bytes(bytes(size))
    assert contents(str(tmp_path)).caches == found


@pytest.mark.parametrize(("package", "version", "rocm"), [
    ("libhsa-runtime64-1", "5.2.3-3", "5.2.3"), ("rocm-core", "7.0.2.70002-56~22.04", "7.0.2"), ("rocm-core", "rolling", None),
    ("rocminfo", "5.2.3-3", None)])
def test_packages_tell_rocm_where_no_file_does(tmp_path: pathlib.Path, package: str, version: str, rocm: str | None) -> None:
    (tmp_path / "var/lib/dpkg").mkdir(parents=True)
    (tmp_path / "var/lib/dpkg/status").write_text(
        f"Package: {package}\nStatus: install ok installed\nArchitecture: amd64\nVersion: {version}\n")
    assert contents(str(tmp_path)).rocm == rocm


def test_an_installation_without_a_version_says_none(tmp_path: pathlib.Path) -> None:
    (tmp_path / "opt/rocm/lib").mkdir(parents=True)
    assert contents(str(tmp_path)).rocm is None


def test_databases_that_cannot_be_read_are_unknown(tmp_path: pathlib.Path) -> None:
    (tmp_path / "var/lib/dpkg").mkdir(parents=True)
    (tmp_path / "var/lib/dpkg/status").write_text("nonsense\n")
    assert contents(str(tmp_path)).unknown["packages"].startswith("dpkg database: a stanza has no Package")


def test_packages_of_rpm_are_asked_of_rpm(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "var/lib/rpm").mkdir(parents=True)
    asked: list[tuple[str, ...]] = []
    answers = [Ran(0, "libibverbs\t(none)\t48.0\t1.el9\tx86_64\t1700000000\n", ""), Ran(1, "", "no such database\n")]
    monkeypatch.setattr(Tree, "run", lambda _self, *argv: (asked.append(argv), answers.pop(0))[1])
    assert contents(str(tmp_path)).packages == {"libibverbs": "48.0-1.el9"}
    assert asked[0][:3] == ("rpm", "--root", str(tmp_path))
    assert contents(str(tmp_path)).unknown == {"packages": "rpm failed: no such database"}


def test_without_time_all_is_unknown_and_nothing_absent(tmp_path: pathlib.Path) -> None:
    found = contents(str(image_tree(tmp_path)), seconds=0)
    assert set(found.unknown) >= {"machine", "packages", "rdma", "missing", "gfx", "caches", "size_bytes", "groups", "rocm", "os"}


def put(root: pathlib.Path, path: str, data: bytes = b"", mode: int = 0o644) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(data)
    (root / path).chmod(mode)


def test_without_a_shell_libraries_and_programs_tell_the_architecture(tmp_path: pathlib.Path) -> None:
    """As in images without a distribution, and where the shell is broken."""
    put(tmp_path, "usr/lib/libarm.so", of_machine(provider("ionic", 1, 4), 183))
    for name in ("a", "b"):
        put(tmp_path, f"usr/bin/{name}", library(b""), 0o755)
    assert contents(str(tmp_path)).machine == "x86_64"
    put(tmp_path, "bin/sh", provider("ionic", 1, 4)[:200])
    assert contents(str(tmp_path)).machine == "x86_64"


# As wheels of PyTorch have it: ROCm in folders of Python, and no version of it anywhere.
TORCH = "usr/lib/python3/dist-packages/torch/lib"


@pytest.mark.parametrize(("files", "gfx", "unknown"), [
    ({f"{TORCH}/libamdhip64.so.7": b""}, (), {
        "rocm": f"/{TORCH}/libamdhip64.so.7 is there, and nothing tells the version of its ROCm",
        "gfx": f"/{TORCH}/libamdhip64.so.7 is there, and no file that is known to have code for GPUs"}),
    ({f"{TORCH}/libhsa-runtime64.so.1": b""}, (), {
        "rocm": f"/{TORCH}/libhsa-runtime64.so.1 is there, and nothing tells the version of its ROCm"}),
    ({f"{TORCH}/libtorch_hip.so": library(hip("gfx942", "gfx950"))}, ("gfx942", "gfx950"), {}),
    ({f"{TORCH}/libtorch_hip.so": library(hip("gfx942")), f"{TORCH}/rocblas/library/Kernels_gfx90a.co": b"",
      f"{TORCH}/librccl.so.1": library(COMPRESSED)}, ("gfx90a", "gfx942"), {}),
    ({f"{TORCH}/librccl.so.1": library(COMPRESSED)}, (), {"gfx": f"the code for GPUs in /{TORCH}/librccl.so.1 is compressed or of another form"}),
    ({f"{TORCH}/librccl.so.1": library(COMPRESSED), f"{TORCH}/liba.so": library(COMPRESSED)}, (), {
        "gfx": f"the code for GPUs in /{TORCH}/liba.so and 1 more is compressed or of another form"}),
    ({"usr/lib/libc.so.6": b""}, (), {}),
])
def test_rocm_that_does_not_tell_is_unknown(tmp_path: pathlib.Path, files: dict[str, bytes], gfx: tuple[str, ...], unknown: dict[str, str]) -> None:
    put(tmp_path, "var/lib/dpkg/status", STATUS.encode())
    for path, data in files.items():
        put(tmp_path, path, data)
    found = contents(str(tmp_path))
    assert (found.rocm, found.gfx, found.unknown) == (None, gfx, unknown)


@pytest.mark.parametrize(("packages", "rocm", "unknown"), [
    ({"torch": "2.8.0+rocm7.0.2.git245bf6ed"}, "7.0.2", None), ({"torch": "2.8.0+rocm6.4"}, None, "nothing tells the version of its ROCm"),
    ({"rocm_sdk_core": "7.9.0rc20251008", "rocm": "7.9.0rc20251008"}, "7.9.0", None), ({"torch": "2.8.0"}, None, "nothing tells"),
    ({"rocm-sdk-core": "7.10.0", "torch": "2.9.1+rocm7.0.2"}, None, "packages of Python are of ROCm 7.0.2 and 7.10.0"),
    ({"numpy": "7.0.2"}, None, "nothing tells"),
])
def test_packages_of_python_tell_rocm(tmp_path: pathlib.Path, packages: dict[str, str], rocm: str | None, unknown: str | None) -> None:
    put(tmp_path, f"{TORCH}/libamdhip64.so")
    for name, version in packages.items():
        put(tmp_path, f"opt/v/lib/python3.12/site-packages/{name}-{version}.dist-info/METADATA", f"Name: {name}\nVersion: {version}\n\n".encode())
    found = contents(str(tmp_path))
    assert found.rocm == rocm and (unknown or "") in found.unknown.get("rocm", "") and (unknown is None) == ("rocm" not in found.unknown)


def test_no_link_leads_out_of_the_tree(tmp_path: pathlib.Path) -> None:
    """Whatever is a link in it: folders, databases, libraries, files of the loader and of libibverbs."""
    root, outside = tmp_path / "tree", image_tree(tmp_path / "outside")
    put(outside, "etc/ld.so.conf", b"/opt/outside\n")
    for folder in ("etc/libibverbs.d", "opt", "bin", "usr/lib/x86_64-linux-gnu", "var/lib"):
        (root / folder).mkdir(parents=True)
    up = "../" * 12
    for number, path in enumerate(("etc/os-release", "etc/group", "etc/ld.so.conf", "etc/libibverbs.d/ionic.driver", "var/lib/dpkg", "bin/sh", "opt/rocm",
                                   "usr/lib/x86_64-linux-gnu/libibverbs.so.1", "usr/lib/x86_64-linux-gnu/libibverbs")):
        there = outside / path
        (root / path).symlink_to(f"{up}{str(there)[1:]}" if number % 2 else str(there))
    assert contents(str(root)) == Contents(unknown={"packages": "it has neither a database of dpkg nor one of rpm"})


def test_no_shell_and_no_library_is_no_machine(tmp_path: pathlib.Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/sh").write_text("#!/bin/true\n")
    assert contents(str(tmp_path)).machine is None
    shutil.rmtree(tmp_path / "bin")
    os.mkfifo(tmp_path / "pipe")
    assert contents(str(tmp_path)).size_bytes == 0
