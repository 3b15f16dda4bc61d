# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which lists of apt are not what their Release file tells."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import apt_lists

SHA = "ab" * 32
MD5 = f"MD5Sum:\n {'c' * 32} 1 main/binary-amd64/Packages\n"
RELEASE = (
    f"Origin: Debian\n{MD5}SHA256:\n {SHA}    900 main/binary-amd64/Packages\n {SHA} 12 main/binary-amd64/Packages.xz\n"
    f" {SHA} 0 non-free_x/binary-amd64/Packages\n {SHA} 7 main/i18n/Translation-en\nAcquire-By-Hash: yes\n"
)
HOST = "deb.example.org_debian_dists_trixie_"
MAIN, OTHER = f"{HOST}main_binary-amd64_Packages", f"{HOST}non-free%5fx_binary-amd64_Packages"


def test_listed() -> None:
    assert apt_lists.listed(RELEASE) == {
        "main/binary-amd64/Packages": (SHA, 900), "main/binary-amd64/Packages.xz": (SHA, 12),
        "non-free_x/binary-amd64/Packages": (SHA, 0), "main/i18n/Translation-en": (SHA, 7),
    }


@pytest.mark.parametrize("text", ["", "Origin: x\n", MD5, "SHA256:\n", f"SHA256:\n {SHA} -1 Packages\n", f"SHA256:\n {SHA[1:]} 1 Packages\n"])
def test_a_release_file_that_lists_nothing(text: str) -> None:
    assert apt_lists.listed(text) == {}


# sizes of lists besides the Release file -> which are torn
SIZES: dict[str, tuple[dict[str, int], list[str]]] = {
    "whole": ({MAIN: 900, OTHER: 0}, []),
    "not fetched": ({}, []),
    "empty": ({MAIN: 0, OTHER: 0}, [MAIN]),
    "cut off": ({MAIN: 512}, [MAIN]),
    "longer, and a name that apt quotes": ({MAIN: 901, OTHER: 1}, [MAIN, OTHER]),
    "kept as it is compressed": ({f"{MAIN}.xz": 0, f"{MAIN}.lz4": 3}, []),
    "not of packages": ({f"{HOST}main_i18n_Translation-en": 0}, []),
    "of another repository": ({"other_dists_trixie_main_binary-amd64_Packages": 0}, []),
}


@pytest.mark.parametrize("release", ["InRelease", "Release"])
@pytest.mark.parametrize(("sizes", "torn"), SIZES.values(), ids=SIZES)
def test_torn(sizes: dict[str, int], torn: list[str], release: str) -> None:
    files = {**sizes, f"{HOST}{release}": 5, "lock": 0, "InRelease": 0, f"{HOST}Release.gpg": 1}
    assert apt_lists.torn(files, {f"{HOST}{release}": RELEASE}.__getitem__) == tuple(torn)


def test_both_release_files_tell_of_a_list_once() -> None:
    files = {MAIN: 0, f"{HOST}InRelease": 5, f"{HOST}Release": 5}
    assert apt_lists.torn(files, lambda _name: RELEASE) == (MAIN,)


def test_a_flat_repository() -> None:
    files = {"_srv_repo_._Packages": 0, "_srv_repo_._InRelease": 1}
    assert apt_lists.torn(files, lambda _name: f"SHA256:\n {SHA} 9 Packages\n") == ("_srv_repo_._Packages",)
