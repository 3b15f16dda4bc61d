# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Known lines in one log: read once, line by line, in bounded memory."""

from __future__ import annotations

import collections
import copy
import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from ..findings import NODE
from ..formats.klog import KernelLine
from ..look.log import Hit, LogRead

MOST_HITS = 1000  # different ones; a node of 64 devices with ten faults each has fewer
MOST_NAMES = 50  # processes or packages of one pattern and subject that are kept apart
_EVENT = 50  # lines from what happened to the line that names the process, at most; GPUs write at the same time
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
    """What was met of one pattern, subject and name."""

    first: int = 0
    first_sample: str = ""
    first_time: str = ""
    last: int = 0
    last_sample: str = ""
    last_time: str = ""
    count: int = 0
    groups: dict[str, str] = dc.field(default_factory=dict)
    sums: dict[str, int] = dc.field(default_factory=dict)
    followed: dict[str, int] = dc.field(default_factory=dict)

    def add(self, later: _Met) -> None:
        """Take in what came afterwards."""
        if not self.count:
            self.first, self.first_sample, self.first_time = later.first, later.first_sample, later.first_time
        self.last, self.last_sample, self.last_time = later.last, later.last_sample, later.last_time
        self.count += later.count
        self.groups.update(later.groups)
        for name, number in later.sums.items():
            self.sums[name] = min(self.sums.get(name, 0) + number, _MOST_SUM)
        for ident, lines in later.followed.items():
            self.followed[ident] = min(self.followed.get(ident, lines), lines)


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
            patterns: ``{id, where, words, patterns}`` each, as ``FaultCatalogue.patterns`` makes them; ``keep``: groups
                of which the first that a line has keeps hits apart; ``followed_by``: ids whose lines after ours count.
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
        self._keep = {record["id"]: tuple(record.get("keep", ())) for record in mine}
        self._before: dict[str, list[str]] = {}  # id -> ids of the records that ask whether it follows
        for record in mine:
            for other in record.get("followed_by", ()):
                self._before.setdefault(other, []).append(record["id"])
        self._met: dict[tuple[str, str, str], _Met] = {}
        self._names: collections.Counter[tuple[str, str]] = collections.Counter()
        self._open: dict[tuple[str, str], _Met] = {}  # lines that name nobody yet, and wait for one that does
        self._latest: dict[str, dict[str, _Met]] = {ident: {} for ids in self._before.values() for ident in ids}
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
        for latest in self._latest.values():
            latest.clear()
        if not self._all:
            self._met.clear()
            self._open.clear()
            self._names.clear()
            self.dropped = 0
        if self._where == "kernel" and (first or not self._all):
            # The first second of a boot is there, or what was before is lost; without stamps, a boundary tells.
            known = None if line.boot == 0 else True
            self._complete = known if line.seconds is None else line.seconds < 1

    def _meet(self, ident: str, match: re.Match[str], line: KernelLine, number: int) -> None:
        groups = {name: value[:_VALUE] for name, value in match.groupdict().items() if value is not None}
        subject = _subject(groups, match.string)
        new = _Met(number, line.text[:_SAMPLE], line.time, number, line.text[:_SAMPLE], line.time, line.times, groups)
        for name, value in groups.items():
            if name.startswith("new_") and value.isascii() and value.isdigit():
                new.sums[name] = int(value[:15]) * line.times
        met = self._kept(ident, subject, new)
        if ident in self._latest and met:
            self._latest[ident][subject] = met
        for asking in self._before.get(ident, ()):
            self._follows(ident, subject, self._latest[asking], number)

    def _kept(self, ident: str, subject: str, new: _Met) -> _Met | None:
        """Add a line to what was met; None if there is no room.

        A line that names nobody, where others do, waits for the next one that does: drivers say first what happened.
        """
        place, keep = (ident, subject), self._keep[ident]
        named = not keep or any(name in new.groups for name in keep)
        waiting = self._open.get(place)
        if waiting and new.first - waiting.last > _EVENT:
            del self._open[place]
            self._add(place, "", waiting)
            waiting = None
        if not named:
            if waiting is None and self._full(new):
                return None
            waiting = self._open.setdefault(place, _Met())
            waiting.add(new)
            return waiting
        who = self._name(place, new.groups)
        if waiting:
            del self._open[place]
            self._add(place, who, waiting)
        return self._add(place, who, new)

    def _name(self, place: tuple[str, str], groups: dict[str, str]) -> str:
        """The name that a line is kept under: nobody's, which is taken from its groups too, once there are too many."""
        keep = self._keep[place[0]]
        who = next((groups[name] for name in keep if name in groups), "")
        if (*place, who) in self._met or self._names[place] < MOST_NAMES:
            return who
        for name in keep:
            groups.pop(name, None)
        return ""

    def _add(self, place: tuple[str, str], who: str, new: _Met) -> _Met | None:
        key = (*place, who)
        if key not in self._met:
            if self._full(new):
                return None
            self._names[place] += bool(who)
            self._met[key] = _Met()
        self._met[key].add(new)
        return self._met[key]

    def _full(self, new: _Met) -> bool:
        full = len(self._met) + len(self._open) >= MOST_HITS
        self.dropped += new.count if full else 0
        return full

    @staticmethod
    def _follows(ident: str, subject: str, latest: dict[str, _Met], number: int) -> None:
        """Note how far a line is from the last one before it that asks for such."""
        asking = [met for other, met in latest.items() if subject == other or NODE in (subject, other)]
        met = max(asking, key=lambda met: met.last, default=None)
        if met and met.last < number:
            met.followed[ident] = min(met.followed.get(ident, number), number - met.last)

    def result(self) -> tuple[LogRead, tuple[Hit, ...]]:
        """What was read so far, and what of it is known, in the order of the log."""
        boots = self._boot + 1 if self._where == "kernel" and self._lines else None
        everything = dict(self._met)
        for (ident, subject), met in self._open.items():
            nobody = copy.deepcopy(everything.get((ident, subject, ""), _Met()))
            nobody.add(met)
            everything[ident, subject, ""] = nobody
        hits = (self._hit(ident, subject, met) for (ident, subject, _who), met in everything.items())
        return (LogRead(self._where, self._origin, self._lines, self._complete, boots),
                tuple(sorted(hits, key=lambda hit: (hit.first, hit.id, hit.subject))))

    def _hit(self, ident: str, subject: str, met: _Met) -> Hit:
        samples = tuple(dict.fromkeys((met.first_sample, met.last_sample)))
        return Hit(ident, self._where, self._origin, subject, met.count, met.first, met.last, dict(met.groups),
                   dict(met.sums), samples, met.first_time, met.last_time, dict(met.followed))

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
