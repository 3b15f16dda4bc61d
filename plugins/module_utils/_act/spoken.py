# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a command of a node says: answers on standard output, what is wrong on the other, and an exit code."""

from __future__ import annotations

import json
import os
import sys
import typing as t

AS_WANTED, NOT_SO, CANNOT_TELL = 0, 1, 2
_ERROR = "<3>"  # how the journal knows a line of an error. source: sd-daemon(3)


def answer(text: str) -> None:
    """Say a line to who asked."""
    sys.stdout.write(f"{text}\n")


def answer_json(data: t.Mapping[str, t.Any]) -> None:
    """Say it to a program."""
    answer(json.dumps(data, sort_keys=True))


def complain(name: str, *sentences: str) -> None:
    """Say what is wrong, a line each; nothing of what is empty. ``name``: of the command."""
    mark = _ERROR if "JOURNAL_STREAM" in os.environ else f"{name}: "
    for text in filter(None, sentences):
        sys.stderr.write(f"{mark}{text}\n")
