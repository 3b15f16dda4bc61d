# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What several playbooks do is one file of tasks: nobody would mend the other one."""

from __future__ import annotations

import collections
import re

from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT, files

RUN = 18  # lines
_WHOSE = re.compile(r"fleet_(plan|gate|diagnose|partition|upgrade|rollback)_")


def lines(path: str) -> list[str]:
    """Lines of tasks, whatever playbook their variables are of; without comments."""
    text = (ROOT / path).read_text(encoding="utf-8")
    bare = (re.sub(r"(^|\s+)#.*$", "", line).strip() for line in text.splitlines())
    return [_WHOSE.sub("fleet_x_", line) for line in bare if line not in ("", "---")]


def test_no_eighteen_lines_are_written_twice() -> None:
    where: dict[tuple[str, ...], set[str]] = collections.defaultdict(set)
    for path in files("playbooks/tasks/*.yml"):
        all_of_it = lines(path)
        for first in range(len(all_of_it) - RUN + 1):
            where[tuple(all_of_it[first:first + RUN])].add(path)
    assert {tuple(sorted(paths)) for paths in where.values() if len(paths) > 1} == set()
