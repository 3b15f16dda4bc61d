# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What is wanted of the sections that ask."""

from __future__ import annotations

import dataclasses as dc
import typing as t

Plain = t.Mapping[str, t.Any]


@dc.dataclass(frozen=True)
class Wanted:
    """Wishes of one look. Patterns and names come as plain data: a module takes them as options."""

    files: tuple[str, ...] = ()  # paths
    packages: tuple[str, ...] = ()  # patterns of names
    log_patterns: tuple[Plain, ...] = ()  # id, where, words, patterns
    log_boots: str = "this"  # this, all
    setting_names: tuple[Plain, ...] = ()  # name, kind


NOTHING = Wanted()
