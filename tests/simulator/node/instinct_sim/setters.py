# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a fault is made of: something that tells which keys of the state it sets."""

from __future__ import annotations

import typing as t

from .machine import Gpu
from .state import State

Arguments = dict[str, str]
Setter = t.Callable[[State, list[Gpu], Arguments], State]
Fault = tuple[Setter, Arguments, str]  # with its arguments and their defaults, and words


def each(**keys: str) -> Setter:
    """Sets keys of each chosen GPU; {count} and the like stand for arguments of that name."""

    def setter(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
        return {
            f"gpu{gpu.index}.{key.replace('__', '.')}": value.format(**arguments)
            for gpu in chosen
            for key, value in keys.items()
        }

    return setter
