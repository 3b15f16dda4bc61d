# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Values that other files set after ours, so that they and not ours would hold."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from .setting import SYSCTL, Setting

EVERYBODY = "*"


@dc.dataclass(frozen=True)
class Line:
    """One value in one file. ``kind`` and ``name`` are as those of a setting."""

    path: str
    kind: str
    name: str
    value: str


def sysctl_lines(path: str, text: str) -> tuple[Line, ...]:
    """What a file of sysctl.d sets. source: sysctl.d(5)"""
    found = []
    for line in text.splitlines():
        name, equals, value = line.strip().partition("=")
        if equals and not name.startswith(("#", ";")):
            name = name.strip().removeprefix("-").strip().replace("/", ".")
            found.append(Line(path, SYSCTL, name, spaced(value)))
    return tuple(found)


def limit_lines(path: str, text: str, kind: str) -> tuple[Line, ...]:
    """What a file of limits.d sets for everybody. source: limits.conf(5)"""
    rows = (line.partition("#")[0].split() for line in text.splitlines())
    return tuple(Line(path, kind, row[2], "unlimited" if row[3] in ("-1", "infinity") else row[3]) for row in rows
                 if len(row) == 4 and row[0] == EVERYBODY and row[1] in ("soft", "hard", "-"))


def spaced(value: str) -> str:
    """A value with one blank between its parts: the kernel answers with tabs."""
    return " ".join(value.split())


def overriding(setting: Setting, later: t.Iterable[Line]) -> FleetError | None:
    """The value of a file that is read after ours and says otherwise, as a refusal."""
    for line in later:
        if (line.kind, line.name) == (setting.kind, setting.name) and line.value != setting.value:
            return FleetError(
                line.path, f"sets {line.name} to {line.value} after setting {setting.id}, which wants {setting.value}",
                f"take it out there, or name {setting.id} in host_tuning_skip")
    return None
