# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives of every kind, whole, damaged and hostile: what is read, what is refused, and in how much memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import pathlib
import tarfile
import tracemalloc
import typing as t
import zipfile

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.plugin_utils import bundle_files
from ansible_collections.instinct.fleet.plugins.plugin_utils.bundle_files import entries

FILES = {"a/dmesg.txt": b"one\n" * 50000, "b": b"two\n"}


def read(path: pathlib.Path) -> dict[str, bytes | str]:
    """Name -> content, or why it is not read."""
    return {entry.name: entry.problem or b"".join(entry.chunks) for entry in entries(path)}


def use_up(path: pathlib.Path) -> None:
    """Read everything and keep nothing."""
    for entry in entries(path):
        for _chunk in entry.chunks:
            pass


def tar(path: pathlib.Path, mode: str = "w", files: t.Mapping[str, bytes] | None = None) -> pathlib.Path:
    with tarfile.open(path, mode) as archive:
        for name, data in (files or FILES).items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def zipped(path: pathlib.Path, files: t.Mapping[str, bytes] | None = None, how: int = zipfile.ZIP_DEFLATED) -> pathlib.Path:
    with zipfile.ZipFile(path, "w", how) as archive:
        archive.writestr("empty/", b"")
        for name, data in (files or FILES).items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz", "w:bz2"])
def test_tar_of_every_packing(mode: str, tmp_path: pathlib.Path) -> None:
    assert read(tar(tmp_path / "bundle", mode)) == FILES


def test_tar_of_the_oldest_form(tmp_path: pathlib.Path) -> None:
    data = bytearray(tar(tmp_path / "new").read_bytes())
    for at in (0, 512 * (1 + -(-len(FILES["a/dmesg.txt"]) // 512))):
        data[at + 257:at + 265] = bytes(8)
        data[at + 148:at + 156] = b"%06o\0 " % (sum(data[at:at + 148]) + 8 * 32 + sum(data[at + 156:at + 512]))
    (tmp_path / "old").write_bytes(data)
    assert read(tmp_path / "old") == FILES


def test_zip(tmp_path: pathlib.Path) -> None:
    assert read(zipped(tmp_path / "bundle.zip")) == FILES


def test_directory_in_order_without_links_and_devices(tmp_path: pathlib.Path) -> None:
    (tmp_path / "node/sub").mkdir(parents=True)
    (tmp_path / "node/b.txt").write_bytes(b"two")
    (tmp_path / "node/sub/a.txt").write_bytes(b"one")
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "node/link").symlink_to(tmp_path / "secret")
    (tmp_path / "node/away").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(tmp_path / "node/pipe")
    assert read(tmp_path / "node") == {
        "b.txt": b"two", "link": "a link, which is not followed", "pipe": "not a regular file", "sub/a.txt": b"one"}


@pytest.mark.parametrize(("name", "data", "expected"), [
    ("dmesg.txt", b"one", {"dmesg.txt": b"one"}),
    ("dmesg.txt.gz", gzip.compress(b"one", mtime=0) + gzip.compress(b"two", mtime=0), {"dmesg.txt": b"onetwo"}),
    ("dmesg.txt.xz", lzma.compress(b"one" * 100000), {"dmesg.txt": b"one" * 100000}),
    ("dmesg.txt.bz2", bz2.compress(b"one") + bytes(64), {"dmesg.txt": b"one"}),
    ("empty", b"", {"empty": b""}),
    ("half a block", b"x" * 512, {"half a block": b"x" * 512}),
    ("numbers", b"1" * 512, {"numbers": b"1" * 512}),
])
def test_one_file(name: str, data: bytes, expected: dict[str, bytes], tmp_path: pathlib.Path) -> None:
    (tmp_path / name).write_bytes(data)
    assert read(tmp_path / name) == expected


def cut(path: pathlib.Path) -> pathlib.Path:
    """The first two thirds of a file."""
    data = path.read_bytes()
    path.write_bytes(data[:len(data) * 2 // 3])
    return path


RANDOM = {"a": bytes((number * 197 ^ number >> 3) & 0xFF for number in range(200000)), "b": b"two\n"}


@pytest.mark.parametrize("make", [
    lambda path: cut(tar(path, files=RANDOM)), lambda path: cut(tar(path, "w:gz", RANDOM)),
    lambda path: cut(tar(path, "w:xz", RANDOM)), lambda path: cut(tar(path, "w:bz2", RANDOM)),
    lambda path: cut(zipped(path, RANDOM)),
], ids=["tar", "gzip", "xz", "bzip2", "zip"])
def test_archive_that_is_cut_off_is_refused_in_one_sentence(
        make: t.Callable[[pathlib.Path], pathlib.Path], tmp_path: pathlib.Path) -> None:
    with pytest.raises(FleetError, match=r"is cut off or damaged: .*; pack it again with tar czf$"):
        read(make(tmp_path / "bundle"))


@pytest.mark.parametrize("magic", [b"\x1f\x8b", b"\xfd7zXZ\0", b"BZh9", b"PK\x03\x04"])
def test_junk_behind_a_magic_number_is_refused(magic: bytes, tmp_path: pathlib.Path) -> None:
    (tmp_path / "bundle").write_bytes(magic + bytes(range(256)) * 8)
    with pytest.raises(FleetError, match="is cut off or damaged"):
        read(tmp_path / "bundle")


def test_damage_inside_one_file_is_refused_where_it_is_read(tmp_path: pathlib.Path) -> None:
    data = bytearray(zipped(tmp_path / "bundle", {"a": b"one" * 100}, zipfile.ZIP_STORED).read_bytes())
    data[data.index(b"oneone")] ^= 1
    (tmp_path / "bundle").write_bytes(data)
    with pytest.raises(FleetError, match="is cut off or damaged: Bad CRC"):
        read(tmp_path / "bundle")


def test_wrong_path_and_unreadable_file(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FleetError, match=r"nothing: cannot be read: No such file or directory; name a directory"):
        read(tmp_path / "nothing")
    (tmp_path / "file").write_bytes(b"x")
    real = os.open

    def refuse(path: t.Any, *more: t.Any, **named: t.Any) -> int:
        if str(path).endswith("/file"):
            raise PermissionError(13, "Permission denied")
        return real(path, *more, **named)

    monkeypatch.setattr(os, "open", refuse)
    assert read(tmp_path) == {"file": "Permission denied"}


def test_directory_that_may_not_be_listed(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: t.Any) -> t.NoReturn:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(FleetError, match="cannot be read: Permission denied"):
        read(tmp_path)


def test_members_that_are_no_files_are_named_and_not_followed(tmp_path: pathlib.Path) -> None:
    with tarfile.open(tmp_path / "bundle", "w") as archive:
        for name, kind in (("soft", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE), ("device", tarfile.CHRTYPE),
                           ("pipe", tarfile.FIFOTYPE), ("folder", tarfile.DIRTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/shadow"
            archive.addfile(member)
        member = tarfile.TarInfo("../../up\x1b[2J")
        member.size = 3
        archive.addfile(member, io.BytesIO(b"one"))
    assert read(tmp_path / "bundle") == {
        "soft": "a link, which is not followed", "hard": "a link, which is not followed", "device": "not a regular file",
        "pipe": "not a regular file", "../../up?[2J": b"one"}
    assert not (tmp_path.parent / "up").exists()


def test_members_of_zip_that_are_not_read(tmp_path: pathlib.Path) -> None:
    with zipfile.ZipFile(tmp_path / "bundle", "w") as archive:
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/shadow")
        archive.writestr(zipfile.ZipInfo("packed"), b"x" * 100, zipfile.ZIP_LZMA)
    assert read(tmp_path / "bundle") == {
        "link": "not a regular file", "packed": "encrypted, or packed in a way that is not read"}


def test_zip_with_a_large_table_of_contents_is_refused(tmp_path: pathlib.Path) -> None:
    data = bytearray(zipped(tmp_path / "bundle").read_bytes())
    at = data.rindex(b"PK\x05\x06")
    data[at + 12:at + 16] = (2**31).to_bytes(4, "little")
    (tmp_path / "bundle").write_bytes(data)
    with pytest.raises(FleetError, match="table of contents that is larger than is read"):
        read(tmp_path / "bundle")


def test_too_many_files_are_refused(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle_files, "MOST_MEMBERS", 100)
    with pytest.raises(FleetError, match="holds more than 100 files"):
        read(tar(tmp_path / "bundle", files={f"f{number}": b"" for number in range(101)}))


@pytest.mark.parametrize("pack", [
    lambda path, data: tar(path, "w:gz", {"a": data}), lambda path, data: tar(path, "w:xz", {"a": data}),
    lambda path, data: zipped(path, {"a": data}),
    lambda path, data: path.write_bytes(gzip.compress(data)),
], ids=["tar.gz", "tar.xz", "zip", "gz"])
def test_bomb_is_stopped_before_it_fills_memory(
        pack: t.Callable[[pathlib.Path, bytes], t.Any], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack(tmp_path / "bomb", bytes(64 * 1024**2))
    monkeypatch.setattr(bundle_files, "MOST_BYTES", 32 * 1024**2)
    tracemalloc.start()
    try:
        with pytest.raises(FleetError, match="unpacks to more than 32 MiB"):
            use_up(tmp_path / "bomb")
        assert tracemalloc.get_traced_memory()[1] < 16 * 1024**2  # xz keeps a dictionary of 8
    finally:
        tracemalloc.stop()


def test_bomb_that_nobody_reads_is_stopped_too(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle_files, "MOST_BYTES", 1024**2)
    with pytest.raises(FleetError, match="unpacks to more than 1 MiB"):
        list(entries(tar(tmp_path / "bomb", "w:gz", {"a": bytes(4 * 1024**2), "b": b""})))


def test_header_of_a_file_that_is_a_bomb_is_stopped(tmp_path: pathlib.Path) -> None:
    with tarfile.open(tmp_path / "bomb", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("a")
        member.pax_headers = {"comment": "x" * (64 * 1024**2)}
        archive.addfile(member)
    tracemalloc.start()
    try:
        with pytest.raises(FleetError, match="what it says of a file is larger than is read"):
            read(tmp_path / "bomb")
        assert tracemalloc.get_traced_memory()[1] < 8 * 1024**2
    finally:
        tracemalloc.stop()


def test_dictionary_that_asks_for_too_much_memory_is_refused(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle_files, "LZMA_MEMORY", 1024**2)
    with pytest.raises(FleetError, match="Memory usage limit exceeded"):
        read(tar(tmp_path / "bundle", "w:xz"))
