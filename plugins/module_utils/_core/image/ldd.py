# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What the loader of an image answered of the files that it was asked about. No answer is not a good one."""

from __future__ import annotations

import re
import typing as t

from ..errors import FleetError
from ..formats import engines
from .complaints import refusal

SILENT = "an answer of ldd"  # what a file lacks that nothing was said of
_FILE = re.compile(r"(/\S+):$")
# A library with its address, or one that is not found. A name alone, or "not a dynamic executable", is no answer.
# source: glibc:elf/rtld.c, elf/ldd.bash.in
_LIBRARY = re.compile(r"\s+\S+ => \S|\s+\S+ \(0x[0-9a-f]+\)")
_HINT = "let a layer have ldd and bash (libc-bin and bash of Debian, glibc-common and bash of RHEL)"


def answers(where: str, paths: t.Sequence[str], text: str) -> dict[str, tuple[str, ...]]:
    """What each file lacks, as ``ldd -r`` of all of them says in ``text``; empty: it loads.

    Raises:
        FleetError: of none was anything said, so that there is no ldd, or it does not run.
    """
    answered, path = set(), ""
    for line in text.splitlines():
        head = _FILE.match(line)
        if head:
            path = head.group(1)
        elif _LIBRARY.match(line):
            answered.add(path)
    if not answered & set(paths):
        why = refusal(where, text).what
        raise FleetError(where, f"its loader cannot be asked about {', '.join(paths[:2])}: {why}", _HINT)
    lacks = engines.loaded(text)
    return {path: lacks.get(path, ()) if path in answered else (SILENT,) for path in paths}
