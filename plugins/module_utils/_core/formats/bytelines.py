# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From chunks of bytes to lines of text, whatever the bytes are and in bounded memory."""

from __future__ import annotations

import re
import typing as t

# Of one line, in bytes and then in characters. A record of the journal with its fields has some 2 kB; what is longer (a
# core dump in the journal, a hole of zeros that a crash left) holds nothing that is looked for.
MOST = 65536
_STRANGE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]|#033")
# Colours and other terminal sequences; rsyslog writes their first byte as #033.
_ESCAPES = re.compile(r"(?:\x1b|#033)(?:\[[0-9;?]{0,30}[ -/]{0,5}[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\^_])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def text_lines(chunks: t.Iterable[bytes]) -> t.Iterator[str]:
    """Yield the lines, without their ends.

    A carriage return within a line begins a new one, as it does on a terminal. Bytes that are not UTF-8 become U+FFFD,
    control characters and colours are taken out, a line that is too long is cut.
    """
    rest = b""
    first = True
    for chunk in chunks:
        # Once a line is cut, what follows of it is not kept.
        more = chunk if len(rest) < MOST else chunk[chunk.find(b"\n"):] if b"\n" in chunk else b""
        whole, newline, tail = (rest + more).rpartition(b"\n")
        rest = tail[:MOST]
        if newline:
            yield from _clean(whole.removeprefix(b"\xef\xbb\xbf") if first else whole)
            first = False
    if rest:
        yield from _clean(rest)


def _clean(block: bytes) -> t.Iterator[str]:
    text = block.decode("utf-8", "replace")
    if not _STRANGE.search(text):
        for line in text.split("\n"):
            yield line[:MOST]
        return
    for line in _CONTROLS.sub("", _ESCAPES.sub("", text)).split("\n"):
        parts = [part for part in line.split("\r") if part]
        yield from (part[:MOST] for part in parts or [""])
