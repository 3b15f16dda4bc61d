# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Lines of a kernel log, of any form: repeated ones counted, wrapped ones joined, boots told apart."""

from __future__ import annotations

import re
import typing as t

from .bytelines import text_lines
from .klog_prefix import Parsed, parse


class KernelLine(t.NamedTuple):
    """One line of a log."""

    text: str
    time: str = ""  # as the log has it; "" if it has none
    boot: int = 0  # counts the boots that the log has (of a log of packages: its runs), from 0
    times: int = 1  # how often it was written, where the log says so instead of repeating it
    seconds: float | None = None  # since the boot
    source: str = ""  # kernel, or the program that wrote it; "" if the log does not say


_BOOT = re.compile(r"-- (?:Boot [0-9a-f]{32}|Reboot) --")
_META = re.compile(r"-- (?:(?:Logs|Journal) begins? at .*|No entries|MARK) --|-- MARK --")
_REPEATED = re.compile(r"message repeated (\d{1,9}) times: \[ ?(.*?)\]?$")
_LAST_REPEATED = re.compile(r"(?:\S+ )?last message repeated (\d{1,9}) times?$")
_BANNER = "Linux version "
# A continuation is no message of its own: it names no device and no component, and does not count another.
_OWN = re.compile(r"\S+ (?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]: |\[[a-z]+[\]:]|amdgpu: |"
                  r"last message repeated ")
_WRAPPED_FROM = 60  # characters: nobody wraps shorter lines
_MOST_PARTS = 4
_LONGEST = 4096  # of a joined line
_BACK = 10.0  # seconds that stamps may fall back within a boot: processors write a little out of order


def lines(chunks: t.Iterable[bytes]) -> t.Iterator[KernelLine]:
    """Yield the lines of a kernel log from its bytes, in order, in bounded memory.

    A new boot begins where the journal's boot id changes, at a mark of journalctl, at the kernel's banner, and where
    the seconds since boot fall back to less than half. The wall clock says nothing: it jumps.
    """
    log = _Log()
    for raw in text_lines(chunks):
        line = log.take(raw)
        if line is not None:
            yield line
    if log.pending is not None:
        yield log.pending


class _Log:
    """Holds one line back, since the next may continue or repeat it."""

    def __init__(self) -> None:
        self.pending: KernelLine | None = None
        self._parts = 0  # lines that pending was joined from; 0: nothing may be joined to it
        self._length = 0  # of the last line, as it stands in the file
        self._longest = 0
        self._record = False  # the last line was a record of /dev/kmsg, whose fields follow it
        self._boot = 0
        self._boot_id: str | None = None
        self._latest = 0.0  # seconds since the boot
        self._timed = False  # the lines of this boot have such stamps
        self._empty = True  # no line of this boot yet
        self._opened = False  # something other than the banner said that this boot begins
        self._banner = False

    def take(self, raw: str) -> KernelLine | None:
        """Take the next line; return the one before it if that is complete."""
        length = len(raw)
        self._longest = max(self._longest, length)
        if not raw or raw.isspace():
            return self._push(None)
        if raw.startswith("-- ") and self._mark(raw.strip()):
            return self._push(None)
        if self._record and raw[0] == " " and "=" in raw:
            return None
        parsed = parse(raw)
        if parsed is None and self._joined(raw):
            self._length = length
            return None
        plain = parsed is None
        parsed = parsed or Parsed(raw)
        last = _LAST_REPEATED.match(parsed.text) if "repeated" in parsed.text else None
        if last and self.pending is not None:
            self.pending = self.pending._replace(times=self.pending.times + int(last[1]))
            self._parts = 0
            return None
        line = self._line(parsed)
        self._record = not plain and raw[0].isdigit() and ";" in raw
        done = self._push(line)
        self._parts = 0 if plain else 1
        self._length = length
        return done

    def _push(self, line: KernelLine | None) -> KernelLine | None:
        done, self.pending = self.pending, line
        self._parts = 0
        return done

    def _line(self, parsed: Parsed) -> KernelLine:
        text, times = parsed.text.strip(), 1
        repeated = _REPEATED.match(text) if text.startswith("message repeated") else None
        if repeated:
            times = int(repeated[1])
            inner = parse(repeated[2].strip())
            text = (inner.text if inner else repeated[2]).strip()
        if self._begins(parsed, text):
            self._open(False)
        self._empty = False
        self._boot_id = parsed.boot_id or self._boot_id
        self._banner = self._banner or text.startswith(_BANNER)
        if parsed.seconds is not None:
            self._latest, self._timed = max(parsed.seconds, self._latest), True
        return KernelLine(text, parsed.time, self._boot, times, parsed.seconds, parsed.source)

    def _begins(self, parsed: Parsed, text: str) -> bool:
        """Whether the line is the first of another boot."""
        if parsed.boot_id and self._boot_id:
            self._opened = True
            return parsed.boot_id != self._boot_id
        if parsed.seconds is not None and parsed.seconds < min(self._latest / 2, self._latest - _BACK):
            return True
        if not text.startswith(_BANNER) or (parsed.seconds or 0) >= 1:
            return False
        # Some lines (of early microcode) stand before the banner of their own boot.
        early = self._opened or (self._timed and self._latest < 1)
        return self._banner or not early

    def _open(self, marked: bool) -> None:
        """Begin a boot, unless the one that was begun has no line yet."""
        if not self._empty:
            self._boot += 1
        self._opened = self._empty = True
        self._banner = self._timed = False
        self._latest = 0.0
        if marked:
            self._boot_id = None

    def _mark(self, raw: str) -> bool:
        if _BOOT.fullmatch(raw):
            self._open(True)
            return True
        return bool(_META.fullmatch(raw))

    def _joined(self, raw: str) -> bool:
        """Join a line without a prefix to the one before it, if a terminal or a mail program broke that one."""
        own = self.pending is None or not 0 < self._parts < _MOST_PARTS or self._length < _WRAPPED_FROM
        if own or self.pending is None or _OWN.match(raw):
            return False
        # A terminal breaks at its width, within a word; everything else breaks at a blank.
        hard = self._length == self._longest and self._length % 10 == 0 and not raw[0].isspace()
        text = self.pending.text + ("" if hard else " ") + raw.strip()
        self.pending = self.pending._replace(text=text[:_LONGEST])
        self._parts += 1
        return True
