# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Known lines in one log: read once, line by line, in bounded memory."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from ..findings import NODE
from ..formats.klog import KernelLine
from ..look.log import Hit, LogRead

MOST_HITS = 1000  # different ones; a node of 64 devices with ten faults each has fewer
_LONGEST = 2000  # characters of a line that are matched: patterns cost up to the square of that
_SAMPLE = 300
_VALUE = 200
_MOST_SUM = 10**15
_ADDRESS = r"(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]"
_DEVICE = re.compile(rf"(?:[\w.-]+ )?({_ADDRESS})[: ]")  # "amdgpu 0000:05:00.0: ...": the driver core's prefix
_PARTS = re.compile(r"(?:([0-9a-f]{1,8}):)?([0-9a-f]{1,2}):([0-9a-f]{1,2})[.:]([0-7])")


def address(text: str) -> str | None:
    """The PCI address as sysfs writes it (0000:05:00.0), of any form: 05:00.0, 0:b7:0:0; None if the text is none."""
    match = _PARTS.fullmatch(text.lower().strip("."))
    if not match:
        return None
    domain, bus, device, function = match.groups()
    return f"{int(domain or '0', 16):04x}:{int(bus, 16):02x}:{int(device, 16):02x}.{function}"


@dc.dataclass
class _Met:
    """What was met of one pattern and subject."""

    first: int
    first_sample: str
    first_time: str
    last: int = 0
    last_sample: str = ""
    last_time: str = ""
    count: int = 0
    groups: dict[str, str] = dc.field(default_factory=dict)
    sums: dict[str, int] = dc.field(default_factory=dict)


class Scan:
    """One log's worth of known lines.

    Attributes:
        dropped: matches that were not kept, since there were more than MOST_HITS different ones.
    """

    def __init__(
        self, patterns: t.Iterable[t.Mapping[str, t.Any]], where: str, origin: str, boots: str = "this",
    ) -> None:
        """Prepare.

        Args:
            patterns: ``{id, where, words, patterns}`` each, as ``FaultCatalogue.patterns`` makes them.
            where: kind of the log; only patterns of that kind count.
            origin: kmsg, journal, or the path of the file.
            boots: this: only the lines of the last boot (or run) count; all: all lines do.

        Raises:
            DataError: a pattern is no regular expression.
        """
        self.dropped = 0
        self._where, self._origin, self._all = where, origin, boots == "all"
        mine = [record for record in patterns if record["where"] == where]
        self._known = {record["id"]: _compiled(record) for record in mine}
        # Word -> ids of the records that may meet a line with it.
        self._ids = {word: [r["id"] for r in mine if word in r["words"]] for record in mine for word in record["words"]}
        self._any = _any_of(self._ids)
        self._met: dict[tuple[str, str], _Met] = {}
        self._lines = 0
        self._boot = 0
        self._complete: bool | None = None

    def feed(self, line: KernelLine | str) -> None:
        """Take the next line."""
        if isinstance(line, str):
            line = KernelLine(line)
        number, self._lines = self._lines, self._lines + 1
        if number == 0 or line.boot != self._boot:
            self._begin(line, number == 0)
        if self._where == "kernel" and line.source not in ("", "kernel"):
            return  # a program can write what it likes
        text = line.text[:_LONGEST]
        lower = text.lower()
        if not self._any.search(lower):
            return
        for ident in dict.fromkeys(i for word, ids in self._ids.items() if word in lower for i in ids):
            match = next(filter(None, (pattern.search(text) for pattern in self._known[ident])), None)
            if match:
                self._meet(ident, match, line, number)

    def _begin(self, line: KernelLine, first: bool) -> None:
        self._boot = line.boot
        if not self._all:
            self._met.clear()
            self.dropped = 0
        if self._where == "kernel" and (first or not self._all):
            # The first second of a boot is there, or what was before is lost; without stamps, a boundary tells.
            known = None if line.boot == 0 else True
            self._complete = known if line.seconds is None else line.seconds < 1

    def _meet(self, ident: str, match: re.Match[str], line: KernelLine, number: int) -> None:
        groups = {name: value[:_VALUE] for name, value in match.groupdict().items() if value is not None}
        subject = _subject(groups, match.string)
        met = self._met.get((ident, subject))
        if met is None:
            if len(self._met) >= MOST_HITS:
                self.dropped += line.times
                return
            met = self._met[ident, subject] = _Met(number, line.text[:_SAMPLE], line.time)
        met.count += line.times
        met.last, met.last_sample, met.last_time = number, line.text[:_SAMPLE], line.time
        met.groups.update(groups)
        for name, value in groups.items():
            if name.startswith("new_") and value.isascii() and value.isdigit():
                met.sums[name] = min(met.sums.get(name, 0) + int(value[:15]) * line.times, _MOST_SUM)

    def result(self) -> tuple[LogRead, tuple[Hit, ...]]:
        """What was read so far, and what of it is known, in the order of the log."""
        boots = self._boot + 1 if self._where == "kernel" and self._lines else None
        hits = (self._hit(ident, subject, met) for (ident, subject), met in self._met.items())
        return (LogRead(self._where, self._origin, self._lines, self._complete, boots),
                tuple(sorted(hits, key=lambda hit: (hit.first, hit.id, hit.subject))))

    def _hit(self, ident: str, subject: str, met: _Met) -> Hit:
        samples = tuple(dict.fromkeys((met.first_sample, met.last_sample)))
        return Hit(ident, self._where, self._origin, subject, met.count, met.first, met.last, dict(met.groups),
                   dict(met.sums), samples, met.first_time, met.last_time)

    @property
    def note(self) -> str | None:
        """Why the hits are not all that there was; None if they are."""
        if not self.dropped:
            return None
        return f"{self.dropped} further lines matched: only the first {MOST_HITS} different ones are kept"


def _compiled(record: t.Mapping[str, t.Any]) -> tuple[re.Pattern[str], ...]:
    try:
        return tuple(re.compile(pattern) for pattern in record["patterns"])
    except re.error as error:
        raise DataError(f"pattern {record['id']}", f"is no regular expression: {error}", "correct it") from error


def _any_of(words: t.Collection[str]) -> re.Pattern[str]:
    """An expression that finds any of the words. Beginnings are shared: four times as fast as a list of words."""
    tree: dict[str, t.Any] = {}
    for word in words:
        node = tree
        for letter in word:
            node = node.setdefault(letter, {})
        node[""] = {}  # a word ends here; longer ones that begin with it need not be told apart

    def text(node: dict[str, t.Any]) -> str:
        if "" in node:
            return ""
        ways = [re.escape(letter) + text(rest) for letter, rest in sorted(node.items())]
        return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"

    return re.compile(text(tree) if words else r"(?!)")


def _subject(groups: t.Mapping[str, str], text: str) -> str:
    device = _DEVICE.match(text)
    return address(groups.get("bdf", "")) or (address(device[1]) if device else None) or NODE
