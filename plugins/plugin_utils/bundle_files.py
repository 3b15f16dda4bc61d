# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Files of a directory or an archive on the control machine, one after another and in pieces: nothing is unpacked to
disk, no link is followed, and number, size and memory are bounded whatever the archive says of itself.
"""

from __future__ import annotations

import bz2
import collections
import contextlib
import lzma
import os
import pathlib
import stat
import tarfile
import typing as t
import zipfile
import zlib

from ..module_utils._core.errors import FleetError

CHUNK = 65536
MOST_MEMBERS = 100_000
MOST_BYTES = 4 * 1024**3  # unpacked, of all files together
MOST_HEADER = 1024**2  # of what an archive says of one file: names may be of any length
LZMA_MEMORY = 128 * 1024**2  # a dictionary may ask for 4 GiB; xz -9 needs 65 MiB
MOST_ZIP_DIRECTORY = 16 * 1024**2
_PACK_AGAIN = "pack it again with tar czf"
_PLAIN_ZIP = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

Chunks = t.Iterator[bytes]


class Entry(t.NamedTuple):
    """One regular file. ``chunks`` is to be used up, or left, before the next entry is asked for."""

    name: str
    chunks: Chunks
    problem: str = ""  # why it is not read


def entries(path: pathlib.Path) -> t.Iterator[Entry]:
    """Yield the files of a directory, an archive (tar, also packed with gzip, xz or bzip2, or zip), or a file alone.

    Raises:
        FleetError: it is not there, cannot be read, is cut off, or holds more than is read.
    """
    with _in_words(path):
        if path.is_dir():
            yield from _within(path, _of_directory(path), packed=False)
        else:
            with path.open("rb") as file:
                yield from _within(path, _of_file(path, file), packed=True)


@contextlib.contextmanager
def _in_words(path: pathlib.Path) -> t.Iterator[None]:
    try:
        yield
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, lzma.LZMAError, zlib.error, ValueError, OSError) as error:
        if isinstance(error, OSError) and error.strerror:  # bzip2 has no error of its own
            raise FleetError(str(path), f"cannot be read: {error.strerror}",
                             "name a directory or an archive that can be") from error
        raise FleetError(str(path), f"is cut off or damaged: {error}"[:160], _PACK_AGAIN) from error


def _within(path: pathlib.Path, found: t.Iterator[Entry], packed: bool) -> t.Iterator[Entry]:
    budget = _Budget(path)
    for number, entry in enumerate(found):
        if number >= MOST_MEMBERS:
            raise FleetError(str(path), f"holds more than {MOST_MEMBERS} files", "leave out what is not of the node")
        chunks = budget.counted(entry.chunks)
        yield entry._replace(name=_clean(entry.name), chunks=chunks)
        if packed:  # what nobody read is unpacked to reach the next file, and counts
            collections.deque(chunks, 0)


class _Budget:
    """Bytes that may still be unpacked."""

    def __init__(self, path: pathlib.Path) -> None:
        self._path, self._left = path, MOST_BYTES

    def counted(self, chunks: t.Iterable[bytes]) -> Chunks:
        """The same pieces. They are read where they are used, so what goes wrong is said here, too."""
        with _in_words(self._path):
            for chunk in chunks:
                self._left -= len(chunk)
                if self._left < 0:
                    raise FleetError(str(self._path), f"unpacks to more than {MOST_BYTES // 1024**2} MiB",
                                     "leave out what is not of the node")
                yield chunk


def _clean(name: str) -> str:
    """A name for people: without what would move their cursor."""
    return "".join(letter if letter.isprintable() else "?" for letter in name.removeprefix("./"))[:300]


def _pieces(read: t.Callable[[int], bytes]) -> Chunks:
    while chunk := read(CHUNK):
        yield chunk


def _of_directory(root: pathlib.Path) -> t.Iterator[Entry]:
    for folder, folders, names in os.walk(root, onerror=_raise):
        folders.sort()
        for name in sorted(names):
            path = pathlib.Path(folder, name)
            yield _of_disk(path, path.relative_to(root).as_posix())


def _raise(error: OSError) -> t.NoReturn:
    raise error


def _of_disk(path: pathlib.Path, name: str) -> Entry:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        return Entry(name, iter(()), "a link, which is not followed" if path.is_symlink() else error.strerror or "")
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return Entry(name, iter(()), "not a regular file")
    return Entry(name, _closing(handle))


def _closing(handle: int) -> Chunks:
    with os.fdopen(handle, "rb", buffering=0) as file:
        yield from _pieces(file.read)


def _of_file(path: pathlib.Path, file: t.IO[bytes]) -> t.Iterator[Entry]:
    head = file.read(512)
    file.seek(0)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        yield from _of_zip(path, file)
        return
    unpacked = _Unpacked(file, head)
    start = unpacked.peek(512)
    if start[257:262] == b"ustar" or _is_old_tar(start):
        yield from _of_tar(unpacked)
    elif unpacked.packed:
        yield Entry(path.stem, _pieces(unpacked.read))
    else:
        yield Entry(path.name, _pieces(unpacked.read))


def _is_old_tar(block: bytes) -> bool:
    """Whether a block is a header of tar without a name of its form: its checksum fits."""
    try:
        return len(block) == 512 and block[0] != 0 and int(block[148:156].strip(b"\0 ") or b"-1", 8) == (
            sum(block) - sum(block[148:156]) + 8 * 32)
    except ValueError:
        return False


class _Unpacked:
    """A packed file as its content; each call unpacks no more than is asked for."""

    def __init__(self, file: t.IO[bytes], head: bytes) -> None:
        self._file, self._unpack, self._rest, self._peeked = file, _unpacker(head), b"", b""
        self.packed = self._unpack is not None
        self.left: int | None = None  # bytes that may be read until this is set again
        self._head = head

    def peek(self, size: int) -> bytes:
        """Return the first bytes, which stay to be read."""
        while len(self._peeked) < size and (chunk := self._next(size)):
            self._peeked += chunk
        return self._peeked[:size]

    def read(self, size: int = CHUNK) -> bytes:
        """Return at most ``size`` bytes; none at the end.

        Raises:
            EOFError: the packed file is cut off.
        """
        taken, self._peeked = self._peeked[:size], self._peeked[size:]
        taken = taken or self._next(size)
        if self.left is not None:
            self.left -= len(taken)
            if self.left < 0:
                raise EOFError("what it says of a file is larger than is read")
        return taken

    def _next(self, size: int) -> bytes:
        if self._unpack is None:
            return self._file.read(size)
        while True:
            if self._unpack.eof:
                left = self._unpack.unused_data or self._file.read(CHUNK)
                if not left.strip(b"\0"):
                    return b""
                self._unpack, self._rest = _unpacker(self._head), left  # another part behind the first
            packed = self._rest or (self._file.read(CHUNK) if self._unpack.hungry else b"")
            self._rest = b""
            if not packed and self._unpack.hungry:
                raise EOFError("its end is missing")
            chunk = self._unpack.some(packed, size)
            if chunk:
                return chunk


class _Unpacker:
    """gzip, xz and bzip2 under one face."""

    def __init__(self, inner: t.Any) -> None:
        self._inner = inner
        self._tail = b""

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data)

    @property
    def hungry(self) -> bool:
        return not self._tail and bool(getattr(self._inner, "needs_input", True))

    def some(self, packed: bytes, size: int) -> bytes:
        """Return at most ``size`` unpacked bytes."""
        chunk = bytes(self._inner.decompress(self._tail + packed, size))
        self._tail = getattr(self._inner, "unconsumed_tail", b"")
        return chunk


def _unpacker(head: bytes) -> _Unpacker | None:
    if head.startswith(b"\x1f\x8b"):
        return _Unpacker(zlib.decompressobj(wbits=31))
    if head.startswith(b"\xfd7zXZ\0"):
        return _Unpacker(lzma.LZMADecompressor(memlimit=LZMA_MEMORY))
    return _Unpacker(bz2.BZ2Decompressor()) if head.startswith(b"BZh") else None


def _of_tar(unpacked: _Unpacked) -> t.Iterator[Entry]:
    """Read in order: the archive is never sought in, and of its headers only one at a time is kept."""
    unpacked.left = MOST_HEADER
    with tarfile.open(fileobj=t.cast(t.IO[bytes], unpacked), mode="r|", errorlevel=0) as archive:
        while (member := archive.next()) is not None:
            archive.members = []  # type: ignore[attr-defined]
            unpacked.left = None
            file = archive.extractfile(member) if member.isreg() else None
            rest = _pieces(file.read) if file else iter(())
            if not member.isdir():
                link = "a link, which is not followed" if member.issym() or member.islnk() else "not a regular file"
                yield Entry(member.name, rest, "" if file else link)
            unpacked.left = MOST_HEADER


def _of_zip(path: pathlib.Path, file: t.IO[bytes]) -> t.Iterator[Entry]:
    _check_zip(path, file)
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            kind = member.external_attr >> 16
            if member.is_dir():
                continue
            if member.flag_bits & 1 or member.compress_type not in _PLAIN_ZIP:
                yield Entry(member.filename, iter(()), "encrypted, or packed in a way that is not read")
            elif stat.S_IFMT(kind) not in (0, stat.S_IFREG):
                yield Entry(member.filename, iter(()), "not a regular file")
            else:
                with archive.open(member) as inside:
                    yield Entry(member.filename, _pieces(inside.read))


def _check_zip(path: pathlib.Path, file: t.IO[bytes]) -> None:
    """Refuse a table of contents that would not fit into memory; zipfile reads it at once."""
    file.seek(0, os.SEEK_END)
    size = file.tell()
    file.seek(max(0, size - 65557))
    tail = file.read(65557)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) < at + 22:
        raise zipfile.BadZipFile("its table of contents is missing")
    count, length = int.from_bytes(tail[at + 10:at + 12], "little"), int.from_bytes(tail[at + 12:at + 16], "little")
    if tail[max(0, at - 20):at].startswith(b"PK\x06\x07") or count == 0xFFFF or length > MOST_ZIP_DIRECTORY:
        raise FleetError(str(path), "has a table of contents that is larger than is read", _PACK_AGAIN)
    file.seek(0)
