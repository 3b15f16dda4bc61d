# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What stands before the text of one line of a kernel log: the forms of dmesg, /dev/kmsg, syslog and the journal.

source: dmesg(1) (-x, -T, -e, -d, -r, --time-format iso), Documentation/ABI/testing/dev-kmsg, journalctl(1) (-o short,
short-precise, short-iso, short-monotonic, short-full, short-unix, json), systemd.journal-fields(7)
"""

from __future__ import annotations

import json
import re
import typing as t


class Parsed(t.NamedTuple):
    """One line, taken apart."""

    text: str
    time: str = ""  # as the log has it
    seconds: float | None = None  # since the boot
    source: str = ""  # who wrote it: kernel, or an identifier; "" if the line does not say
    boot_id: str | None = None


_CALLER = r"(?: ?\[ *[TC]\d+\])?"  # CONFIG_PRINTK_CALLER
_STAMP = re.compile(r"\[ *(\d+\.\d+)(?: <[ \d.]+>)?\]" + _CALLER + r" ?")
# dmesg -T in any language; -e: "[Jan 7 10:00]", "[  +0.000012]"
_CLOCK = re.compile(r"\[([^\W\d]{2,4}\.? [^\W\d]{2,5}\.? {1,2}\d{1,2} \d\d:\d\d:\d\d \d{4}|"
                    r"[A-Z][a-z]{2} ?\d{1,2} \d\d:\d\d| *\+\d+\.\d+)(?: <[ \d.+]+>)?\]" + _CALLER + r" ?")
_LEVEL = re.compile(r"(kern|user|mail|daemon|auth|syslog|lpr|news|uucp|cron|authpriv|ftp|local\d) *:"
                    r"(?:emerg|alert|crit|err|warn|notice|info|debug) *: ?")
_PRIORITY = re.compile(r"<(\d{1,3})>")
_RECORD = re.compile(r"(\d{1,4}),\d+,(\d+),[^;]{0,80};")
_ISO = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?) ")
_SYSLOG = re.compile(r"([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,6})?) ")
_FULL = re.compile(r"([A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})? [A-Z]{1,5}[+-]?\d{0,4}) ")
_UNIX = re.compile(r"(\d{9,11}\.\d{6}) ")
# Host and program. A kernel text may look alike ("kfd kfd: ..."), so that after a bare stamp only the sure forms count.
_PROGRAM = re.compile(r"\S+ ([^\s:\[\]]+)(?:\[\d+\])?: ?")
_SURE_PROGRAM = re.compile(r"\S+ (?:(kernel)|([^\s:\[\]]+)\[\d+\]): ?")
_HEX = re.compile(r"\\x([0-9a-fA-F]{2})")
_JSON_TEXT = re.compile(r'"MESSAGE"\s*:\s*"((?:[^"\\]|\\.){0,4000})')


def parse(line: str) -> Parsed | None:
    """Take a line apart; None if nothing stands before its text."""
    head = line[:1]
    if head == "[":
        return _bracket(line)
    if head == "{":
        return _journal(line)
    if head == "<":
        match = _PRIORITY.match(line)
        return _kernel_or(line[match.end():], "kernel" if int(match[1]) < 8 else "other") if match else None
    if head.isdigit():
        return _digits(line)
    match = _LEVEL.match(line)
    if match:
        return _kernel_or(line[match.end():], "kernel" if match[1] == "kern" else match[1])
    match = _SYSLOG.match(line) or _FULL.match(line)
    return _hosted(line[match.end():], match[1]) if match else None


def _bracket(line: str) -> Parsed | None:
    match = _STAMP.match(line)
    if not match:
        match = _CLOCK.match(line)
        return Parsed(line[match.end():], match[1]) if match else None
    text, seconds = line[match.end():], float(match[1])
    program = _SURE_PROGRAM.match(text) if "]: " in text or " kernel: " in text else None
    if program:
        return Parsed(text[program.end():], match[1], seconds, program[1] or program[2])
    return Parsed(text, match[1], seconds)


def _kernel_or(text: str, source: str) -> Parsed:
    """What follows a priority: a line with a stamp, or a bare one."""
    inner = _bracket(text)
    if inner is None:
        match = _ISO.match(text)
        inner = Parsed(text[match.end():], match[1]) if match else Parsed(text)
    return inner._replace(source=inner.source or source)


def _digits(line: str) -> Parsed | None:
    match = _RECORD.match(line)
    if match:
        text = _HEX.sub(lambda found: chr(int(found[1], 16)), line[match.end():])
        seconds = int(match[2]) / 1e6
        return Parsed(text, f"{seconds:.6f}", seconds, "kernel" if int(match[1]) < 8 else "other")
    match = _ISO.match(line)
    if match and "," in match[1]:  # dmesg; the journal and syslog name the host, and write a point
        return Parsed(line[match.end():], match[1])
    match = match or _UNIX.match(line)
    return _hosted(line[match.end():], match[1]) if match else None


def _hosted(rest: str, time: str) -> Parsed:
    program = _PROGRAM.match(rest)
    if not program:
        return Parsed(rest, time)
    text = rest[program.end():]
    stamp = _STAMP.match(text) if program[1] == "kernel" else None
    if stamp:
        return Parsed(text[stamp.end():], time, float(stamp[1]), program[1])
    return Parsed(text, time, None, program[1])


def _journal(line: str) -> Parsed | None:
    """A record of the journal as JSON; one that was cut still has its text, since MESSAGE is what counts."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        match = _JSON_TEXT.search(line)
        return Parsed(_unescaped(match[1])) if match else None
    if not isinstance(record, dict) or not {"MESSAGE", "_BOOT_ID", "__CURSOR"} & set(record):
        return None
    stamps = (_microseconds(record.get(key)) for key in ("_SOURCE_MONOTONIC_TIMESTAMP", "__MONOTONIC_TIMESTAMP"))
    seconds = next((stamp / 1e6 for stamp in stamps if stamp is not None), None)
    real = _microseconds(record.get("__REALTIME_TIMESTAMP"))
    transport, identifier, boot_id = (record.get(key) for key in ("_TRANSPORT", "SYSLOG_IDENTIFIER", "_BOOT_ID"))
    source = "kernel" if transport == "kernel" else identifier if isinstance(identifier, str) else ""
    if source == "kernel" and isinstance(transport, str) and transport != "kernel":
        source = transport  # a program that calls itself kernel
    time = f"{real / 1e6:.6f}" if real is not None else f"{seconds:.6f}" if seconds is not None else ""
    return Parsed(_message(record.get("MESSAGE")), time, seconds, source, boot_id if isinstance(boot_id, str) else None)


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def _microseconds(value: object) -> int | None:
    text = str(value) if isinstance(value, (int, str)) else ""
    return int(text) if re.fullmatch(r"\d{1,18}", text, re.ASCII) else None


def _message(value: object) -> str:
    """Text; or an array of bytes, which the journal writes for what is not UTF-8; or an array of those."""
    if isinstance(value, list) and all(isinstance(item, int) and 0 <= item < 256 for item in value):
        value = bytes(value).decode("utf-8", "replace")
    elif isinstance(value, list):
        value = " ".join(_message(item) for item in value if isinstance(item, str))
    return value if isinstance(value, str) else ""
