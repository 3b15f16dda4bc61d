# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Known lines in the logs of the node."""

from __future__ import annotations

import typing as t

from .._core.look.shape import Log
from .machine import Machine

Plain = t.Mapping[str, t.Any]


def read(machine: Machine, patterns: t.Sequence[Plain], boots: str) -> Log:
    """Read the section."""
    return Log(unknown={"*": "not read yet"})
