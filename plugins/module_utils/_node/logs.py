# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Known lines in the logs of the node: of the kernel, of DKMS, of the package manager. Only what was found is kept.

/dev/kmsg is read first: it needs no program. It is the kernel's ring, and has lost its start if the number of its first
record is not 0; then the journal has more. Without either the program dmesg is asked.
"""

from __future__ import annotations

import re
import typing as t
import zlib

from .._core.faults.scan import Scan
from .._core.formats import klog, plainlog
from .._core.look.shape import Hit, Log, LogRead
from .apart import UnreadableError
from .machine import Machine
from .notes import Notes

Plain = t.Mapping[str, t.Any]
Found = tuple[LogRead, tuple[Hit, ...]]

_SPARE = 1.0  # seconds that are left for the other sections
_FIELDS = "MESSAGE,_BOOT_ID,_TRANSPORT,SYSLOG_IDENTIFIER,_SOURCE_MONOTONIC_TIMESTAMP"
_JOURNAL = ("journalctl", "--quiet", "--no-pager", "--output=json", f"--output-fields={_FIELDS}")
_KERNEL = {"this": ("--dmesg",), "all": ("_TRANSPORT=kernel",)}  # --dmesg implies --boot
_RING = "/dev/kmsg"
_FIRST = re.compile(rb"\d+,(\d+),")
_DKMS = "/var/lib/dkms/amdgpu"
# A log, and its predecessors that count if it is empty: rotation leaves it so.
_PACKAGES = (
    ("/var/log/apt/term.log", "/var/log/apt/term.log.1", "/var/log/apt/term.log.1.gz"),
    ("/var/log/dnf.log", "/var/log/dnf.log.1"), ("/var/log/dnf.rpm.log", "/var/log/dnf.rpm.log.1"),
    ("/var/log/dnf5.log", "/var/log/dnf5.log.1"), ("/var/log/zypp/history",),
)
_MOST_TEXT = 256 << 20  # bytes that a compressed log may become


def read(machine: Machine, patterns: t.Sequence[Plain], boots: str) -> Log:
    """Read the logs for which there are patterns. ``boots`` is this or all."""
    notes = Notes()
    wanted = {pattern["where"] for pattern in patterns}
    readers = {"kernel": _kernel, "dkms": _dkms, "packages": _packages}
    found: list[Found] = []
    for where, reader in readers.items():
        if where in wanted:
            found += notes.attempt(where, [], reader, _Reader(machine, patterns, where, boots, notes))
    return Log(tuple(log for log, _hits in found), tuple(hit for _log, hits in found for hit in hits), notes)


class _Reader:
    """Reads logs of one kind."""

    def __init__(self, machine: Machine, patterns: t.Sequence[Plain], where: str, boots: str, notes: Notes) -> None:
        self.machine, self.boots = machine, boots
        self._patterns, self._where, self._notes = patterns, where, notes

    def scan(self, origin: str, lines: t.Iterable[klog.KernelLine]) -> Found:
        """Return what a log holds; if it cannot be read to its end, what it holds up to there."""
        scan = Scan(self._patterns, self._where, origin, self.boots)
        try:
            for line in lines:
                scan.feed(line)
        except UnreadableError as error:
            read = scan.result()[0].lines
            if not read:
                raise
            self.note(f"{origin} was read for {read} lines only: {error}")
        if scan.note:
            self.note(f"{origin}: {scan.note}")
        return scan.result()

    def note(self, reason: str) -> None:
        """Say why not all is known."""
        self._notes.setdefault(self._where, reason)

    def file(self, path: str) -> t.Iterator[bytes]:
        """Yield the pieces of a file."""
        return self.machine.pieces(path, _SPARE)

    def program(self, *argv: str) -> t.Iterator[bytes]:
        """Yield the pieces of a program's output."""
        return self.machine.stream(argv, _SPARE)


def _kernel(reader: _Reader) -> list[Found]:
    """Return the kernel's log from the first source that has all of it, else from the first that has any."""
    problems: list[str] = []
    ring = _attempt(problems, _lost, reader) if reader.boots == "this" else None
    if ring == 0:
        return [reader.scan("kmsg", klog.lines(reader.file(_RING)))]
    for origin, source in (
            ("journal", lambda: reader.program(*_JOURNAL, *_KERNEL[reader.boots])),
            ("kmsg", lambda: reader.file(_RING)),
            ("dmesg", lambda: reader.program("dmesg", "--raw"))):
        found = _attempt(problems, lambda: reader.scan(origin, klog.lines(source())))  # noqa: B023  called at once
        if found and found[0].lines:
            if reader.boots == "all" and origin != "journal":
                reader.note(f"earlier boots are not known: {problems[0]}")
            return [found]
        if found:
            problems.append(f"{origin} has no line of the kernel")
    raise UnreadableError("; ".join(dict.fromkeys(problems)))


def _attempt(problems: list[str], read: t.Callable[..., t.Any], *arguments: t.Any) -> t.Any:
    """Return what is read; None if it cannot be, and the reason goes to the problems."""
    try:
        return read(*arguments)
    except UnreadableError as error:
        problems.append(str(error))
        return None


def _lost(reader: _Reader) -> int:
    """Return how many records the kernel's ring has lost.

    Raises:
        UnreadableError: it cannot be read, or is no such ring.
    """
    pieces = reader.file(_RING)
    number = _FIRST.match(next(pieces, b""))
    if number is None:
        raise UnreadableError(f"{_RING} has no record")
    return int(number[1])


def _dkms(reader: _Reader) -> list[Found]:
    """Return what the newest log of a build that failed holds: DKMS keeps the folder build of those alone."""
    machine = reader.machine
    logs = [(status.st_mtime, path) for version in machine.names(_DKMS)
            for path in [f"{_DKMS}/{version}/build/make.log"]
            for status in [machine.stat(path)] if status is not None]
    return [reader.scan(path, plainlog.lines(reader.file(path))) for _time, path in sorted(logs)[-1:]]


def _packages(reader: _Reader) -> list[Found]:
    """Return what the logs of the package manager hold.

    Raises:
        UnreadableError: there is none, or one cannot be read.
    """
    found = []
    for names in _PACKAGES:
        path = next((name for name in names if _filled(reader.machine, name)), None)
        if path:
            pieces = reader.file(path)
            found.append(reader.scan(path, plainlog.lines(_unpacked(pieces, path) if path.endswith(".gz") else pieces)))
    if not found:
        raise UnreadableError("there is no log of apt, dnf or zypper")
    return found


def _filled(machine: Machine, path: str) -> bool:
    status = machine.stat(path)
    return status is not None and status.st_size > 0


def _unpacked(pieces: t.Iterator[bytes], path: str) -> t.Iterator[bytes]:
    """Yield the text of a compressed log in pieces; however well it is packed, never much at once."""
    packed = zlib.decompressobj(wbits=31)  # with the header of gzip
    size = 0
    for piece in pieces:
        rest = piece
        while rest:
            try:
                text = packed.decompress(rest, 1 << 20)
            except zlib.error:
                raise UnreadableError(f"{path} is damaged") from None
            size += len(text)
            if size > _MOST_TEXT:
                raise UnreadableError(f"{path} holds more than {_MOST_TEXT >> 20} MiB")
            yield text
            rest = packed.unconsumed_tail
