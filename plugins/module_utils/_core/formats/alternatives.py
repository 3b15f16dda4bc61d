# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The files in which update-alternatives keeps its groups."""

from __future__ import annotations

import dataclasses as dc
import re


@dc.dataclass(frozen=True)
class Group:
    """What one file says: the link that programs use, and what it may lead to."""

    link: str
    choices: tuple[str, ...]


def parse_group(text: str) -> Group | None:
    """Read one file of the folder of update-alternatives; None if it is of another form.

    First the mode, the link, and a name and a link for each follower; after an empty line, for each choice its path,
    its priority and a path for each follower. A choice may begin with its family between at-signs.
    source: lib of dpkg's update-alternatives.c, chkconfig's alternatives.c
    """
    head, _blank, body = text.partition("\n\n")
    mode, *names = head.splitlines() or [""]
    if mode not in ("auto", "manual") or not names:
        return None
    lines, step = body.splitlines(), 2 + len(names) // 2
    found = [re.sub(r"^@[^@]*@", "", line) for line in lines[::step]]
    return Group(names[0], tuple(path for path in found if path.startswith("/")))
