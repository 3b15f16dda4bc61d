# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Why apt ended without success: of all that apt and dpkg print, the line that says so."""

from __future__ import annotations

import re

_FULL = "No space left on device"
_ROOM = "no space is left on the device; make room there, then run again"
_QUOTED = re.compile(r"'(/[^']+)'")
_BARE = re.compile(r"(/[^\s:,']+)")
_ARCHIVES = re.compile(r"^E: You don't have enough free space in (\S+?)/?\.$", re.MULTILINE)
_DPKG = re.compile(r"^dpkg: error processing (?:package|archive) (\S+) \(--\w+\):\n +(.+)$", re.MULTILINE)
_APT = re.compile(r"^E: (?!Sub-process )(.+)$", re.MULTILINE)
_LOCK = re.compile(r"\b(?:get|acquire) (?:the dpkg frontend )?lock\b")
_HELD = re.compile(r"held by (process \d+ \([^)]*\))")


def why(text: str) -> str:
    """The reason in a few words, with the place where there is one; empty if the text has none.

    ``text`` is what apt printed, errors and all, in the locale C.
    """
    archives = _ARCHIVES.search(text)
    if archives:
        return f"{archives[1]}: {_ROOM}"
    full = next((line for line in text.splitlines() if _FULL in line), "")
    if full:
        places = _QUOTED.findall(full) or _BARE.findall(full)
        place = re.sub(r"\.dpkg-(?:new|tmp)$", "", places[-1]) if places else "this node"
        return f"{place}: {_ROOM}"
    dpkg = _DPKG.search(text)
    if dpkg:
        return f"{dpkg[1].rsplit('/', 1)[-1]}: {dpkg[2].strip()}"
    apt = _APT.search(text)
    if not apt:
        return ""
    if _LOCK.search(apt[1]):
        held = _HELD.search(apt[1])
        who = held[1] if held else "another process"
        return f"apt-get: {who} works on packages; wait for it to end, then run again"
    return f"apt-get: {apt[1].strip().rstrip('.')}"
