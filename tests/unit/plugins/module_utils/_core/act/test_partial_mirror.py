# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a repository is kept, from what apt prints and its lists say."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act import partial_mirror
from ansible_collections.instinct.fleet.plugins.module_utils._core.act.partial_mirror import Archive, Index
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError

SHA = "ab" * 32
URI = "https://repo.radeon.com/amdgpu/30.10.2/ubuntu"
LIST = "/var/lib/apt/lists/repo.radeon.com_amdgpu_30.10.2_ubuntu_dists_noble_main_binary-amd64_Packages"
INDEX = Index(URI, "noble", "main/binary-amd64/Packages", LIST)
FLAT = Index("file:/srv/kernel", "./", "Packages", "/var/lib/apt/lists/_srv_kernel_._Packages")
RELEASE = f"Origin: x\nMD5Sum:\n 00 1 a/Packages\nSHA256:\n {SHA} 12 main/binary-amd64/Packages\n none 1 x\n 1 2\nSHA512:\n 11 1 y\n"
STANZA = f"Package: amdgpu-dkms\nArchitecture: all\nVersion: 1:6.14_x%y\nFilename: pool/a/amdgpu-dkms_6.14_all.deb\nSize: 12\nSHA256: {SHA}\n"


def test_lists_of_our_sources_are_found():
    ours, other = "/etc/apt/sources.list.d/instinct-amdgpu.sources", "/etc/apt/sources.list.d/distro.sources"
    text = (f"{other}:1\tfile:/srv/kernel/\t./\tPackages\t{FLAT.path}\n"
            f"{ours}:1\t{URI}/\tnoble\tmain/binary-amd64/Packages\t{LIST}\n")
    assert partial_mirror.parse_targets(text, ["instinct-amdgpu.sources"]) == (INDEX,)
    assert partial_mirror.parse_targets(text, ["instinct-amdgpu.sources", "distro.sources"]) == (FLAT, INDEX)


@pytest.mark.parametrize("line", ["", "W: something", "/etc/x\tfile:/x\tnoble\tPackages\t/l"])
def test_what_apt_prints_besides_is_refused(line: str):
    with pytest.raises(DataError, match="which is no list"):
        partial_mirror.parse_targets(line + "\n", ["/etc/x"])


def test_where_release_files_are():
    lists = "/var/lib/apt/lists/"
    assert (INDEX.below, INDEX.signed) == ("dists/noble/", f"{lists}repo.radeon.com_amdgpu_30.10.2_ubuntu_dists_noble_")
    assert (FLAT.below, FLAT.signed) == ("", f"{lists}_srv_kernel_._")


@pytest.mark.parametrize(("uri", "wanted", "folder"), [
    (f"{URI}/", URI, "https_repo.radeon.com_amdgpu_30.10.2_ubuntu"),
    ("file:///srv/repo/rocm", "file:/srv/repo/rocm", "file_srv_repo_rocm"),
    ("file:/srv/repo/rocm/", "file:/srv/repo/rocm", "file_srv_repo_rocm"),
    ("copy:///../x", "copy:/../x", "copy_.._x"),
])
def test_addresses_are_written_as_apt_does(uri: str, wanted: str, folder: str):
    assert (partial_mirror.canonical(uri), partial_mirror.folder(uri)) == (wanted, folder)


def test_only_what_is_signed_is_kept():
    hashes = {"main/binary-amd64/Packages": (SHA, 12)}
    partial_mirror.refuse_unlisted(INDEX, SHA, hashes)
    with pytest.raises(FleetError, match="is not the list that its Release file tells of; remove the lists"):
        partial_mirror.refuse_unlisted(INDEX, "cd" * 32, hashes)
    with pytest.raises(FleetError, match="only signed as it is compressed"):
        partial_mirror.refuse_unlisted(INDEX, SHA, {"main/binary-amd64/Packages.gz": (SHA, 12)})


def test_archives_are_read_from_lists():
    found = partial_mirror.parse_packages(f"\n\n{STANZA}Description: x\n\n", URI)
    archive = Archive("amdgpu-dkms", "1:6.14_x%y", "all", "pool/a/amdgpu-dkms_6.14_all.deb", 12, SHA, URI)
    assert found == {("amdgpu-dkms", "1:6.14_x%y", "all"): archive}
    assert (archive.cached, archive.asked) == ("amdgpu-dkms_1%3a6.14%5fx%25y_all.deb", "amdgpu-dkms=1:6.14_x%y")


@pytest.mark.parametrize(("old", "new", "said"), [
    (f"SHA256: {SHA}", "", "has no SHA256"), (SHA, "xy", "has the digest 'xy'"), ("pool/a/", "../", "no place of it"),
    ("pool/a/", "/etc/", "no place of it"), ("pool/a/", "pool//", "no place of it"), ("Size: 12", "Size: -1", "no place of it"),
])
def test_hostile_lists_are_refused(old: str, new: str, said: str):
    with pytest.raises(DataError, match=said):
        partial_mirror.parse_packages(STANZA.replace(old, new), URI)


REFUSED = [
    (partial_mirror.refuse_lists, (["https://x"], ""), "https://x: is in none of apt's lists, so what is installed from it cannot be kept; let"),
    (partial_mirror.refuse_lists, (["https://x"], "no route"), "https://x: is in none of apt's lists, so what is installed from it cannot be kept: no"),
    (partial_mirror.refuse_unkept, (["a 1"],), "a 1: is installed and on offer in no source of the release"),
    (partial_mirror.refuse_unkept, (["a 1", "b 2"],), "a 1, b 2: are installed and on offer in no source"),
    (partial_mirror.refuse_room, ("/var", 3 << 20, 2 << 20), "/var: has 2 MiB left, and to keep what is installed takes 3 MiB; make room"),
]


@pytest.mark.parametrize(("refuse", "arguments", "said"), REFUSED)
def test_refusals(refuse, arguments, said: str):
    with pytest.raises(FleetError) as error:
        refuse(*arguments)
    assert error.value.sentence.startswith(said)


def test_what_is_there_is_not_refused():
    partial_mirror.refuse_lists([], "no route")
    partial_mirror.refuse_unkept([])
    partial_mirror.refuse_room("/var", 2, 2)


def test_digests_are_as_apt_writes_them():
    assert partial_mirror.digest(b"x") == "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
