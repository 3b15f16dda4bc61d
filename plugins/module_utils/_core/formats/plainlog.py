# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Lines of logs that are no kernel log: of package managers, of builds, of programs.

apt writes one block for each run into term.log, dnf and zypper mark where a run begins. What was wrong in an earlier
run may be mended by a later one, so runs are told apart as boots are: a later run that touches the driver or ROCm
counts alone. One that does not (somebody installs an editor) says nothing of them, and leaves what was seen as it is.
"""

from __future__ import annotations

import re
import typing as t

from .bytelines import text_lines
from .klog import KernelLine

# apt's term.log and history.log; dnf 4 and 5; zypper's history.
_RUN = re.compile(r"(?:Log started|Start-Date): |.{0,60}--- (?:logging initialized|DNF5 launched) ---|"
                  r"[\d-]{10} [\d:]{8}\|command\|")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ] ?\d\d:\d\d:\d\d(?:Z|[+-]\d{4})?")
_OURS = ("amdgpu", "rocm", "dkms")


def lines(chunks: t.Iterable[bytes]) -> t.Iterator[KernelLine]:
    """Yield the lines of a log, in order, in bounded memory; ``boot`` counts the runs that touch the driver or ROCm."""
    run, seen, pending, time = 0, False, False, ""
    for raw in text_lines(chunks):
        text = raw.strip()
        if not text:
            continue
        start = _RUN.match(text)
        stamp = _TIME.search(text[:80]) if start or text[0].isdigit() else None
        time = stamp[0] if stamp else time
        pending = pending or bool(start)
        if pending and any(word in text.lower() for word in _OURS):
            run += seen
            pending, seen = False, True
        yield KernelLine(text, time, run)
