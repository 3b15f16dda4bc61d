# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the loader of a tree looks."""

from __future__ import annotations

import dataclasses as dc
import pathlib

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import elf
from ansible_collections.instinct.fleet.plugins.module_utils._image.loader import Loader
from ansible_collections.instinct.fleet.plugins.module_utils._image.tree import Tree
from ansible_collections.instinct.fleet.tests.unit.support.providers import provider

TRUSTED = ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib")


def loader(root: pathlib.Path, machine: str | None = "x86_64") -> Loader:
    return Loader(Tree(str(root)), machine)


def written(root: pathlib.Path, files: dict[str, str]) -> pathlib.Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def test_without_a_file_it_looks_in_the_usual_folders(tmp_path: pathlib.Path) -> None:
    assert loader(tmp_path).folders == TRUSTED
    assert loader(tmp_path, "aarch64").folders[0] == "/lib/aarch64-linux-gnu"
    assert loader(tmp_path, None).folders[:4] == (*TRUSTED[:2], "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu")


def test_folders_that_are_links_are_what_they_lead_to(tmp_path: pathlib.Path) -> None:
    (tmp_path / "usr/lib/x86_64-linux-gnu").mkdir(parents=True)
    for name in ("lib", "lib64"):
        (tmp_path / name).symlink_to("usr/lib")
    assert loader(tmp_path).folders == ("/usr/lib/x86_64-linux-gnu", "/usr/lib", "/usr/lib64")


def test_ldconfigs_file_names_more(tmp_path: pathlib.Path) -> None:
    written(tmp_path, {
        "etc/ld.so.conf": "# ours\ninclude ld.so.conf.d/*.conf\n/opt/last/  # a word\nrelative\n\ninclude /etc/none.conf\n",
        "etc/ld.so.conf.d/b.conf": "/opt/b\nhwcap 0 nosegneg\n", "etc/ld.so.conf.d/a.conf": "include more/x.conf\n/opt/a=libc6\n",
        "etc/ld.so.conf.d/c.txt": "/opt/not", "etc/more/x.conf": "/opt/x\n"})
    assert loader(tmp_path).folders == ("/opt/x", "/opt/a", "/opt/b", "/opt/last", *TRUSTED)


def test_a_file_that_includes_itself_ends(tmp_path: pathlib.Path) -> None:
    written(tmp_path, {"etc/ld.so.conf": "/opt/a\0\ninclude ld.so.conf *.conf\n", "etc/b.conf": "/opt/b\ninclude *.conf\n",
                       **{f"etc/{name}.conf": f"/opt/{name}\ninclude *.conf\n" for name in "cdefgh"}})
    assert set(loader(tmp_path).folders) == {"/opt/a", *(f"/opt/{name}" for name in "bcdefgh"), *TRUSTED}


def test_musl_has_a_folder_more(tmp_path: pathlib.Path) -> None:
    written(tmp_path, {"lib/ld-musl-x86_64.so.1": ""})
    assert loader(tmp_path).folders == (*TRUSTED, "/usr/local/lib")


@pytest.mark.parametrize(("path", "found"), [
    ("/usr/lib/x86_64-linux-gnu/libx.so.1", True), ("/usr/lib/x86_64-linux-gnu/glibc-hwcaps/x86-64-v3/libx.so.1", True),
    ("/usr/lib/x86_64-linux-gnu/libibverbs/libx.so.1", False), ("/opt/x/libx.so.1", False)])
def test_a_library_is_found_in_its_folders_alone(tmp_path: pathlib.Path, path: str, found: bool) -> None:
    assert loader(tmp_path).finds(path) is found


@pytest.mark.parametrize(("search", "path", "found"), [
    (("/opt/x",), "/opt/x/liba.so", True), (("/opt/y",), "/opt/x/liba.so", False), (("$ORIGIN",), "/opt/site/liba.so", True),
    (("${ORIGIN}/../x",), "/opt/x/liba.so", True), (("/opt/$LIB",), "/opt/lib64/liba.so", True),
    (("/opt/${LIB}",), "/opt/lib/x86_64-linux-gnu/liba.so", True), (("$PLATFORM/x",), "/x/liba.so", False), (("lib",), "/lib2/liba.so", False),
    (("$ORIGIN/../../../../etc/../x",), "/x/liba.so", True)])
def test_a_file_may_name_folders(tmp_path: pathlib.Path, search: tuple[str, ...], path: str, found: bool) -> None:
    wanted = elf.parse(provider("ionic", 1, 4))
    assert wanted and loader(tmp_path).finds(path, dc.replace(wanted, search=search), "/opt/site") is found


def test_the_first_folder_ranks_first(tmp_path: pathlib.Path) -> None:
    paths = ["/opt/a/l.so", "/usr/lib/l.so", "/opt/b/l.so", "/usr/lib/x86_64-linux-gnu/l.so", "/lib64/l.so"]
    assert sorted(paths, key=loader(tmp_path).rank) == [
        "/usr/lib/x86_64-linux-gnu/l.so", "/lib64/l.so", "/usr/lib/l.so", "/opt/a/l.so", "/opt/b/l.so"]
