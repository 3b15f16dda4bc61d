# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of the next boots: kernels that panic, hang, or take their time."""

from __future__ import annotations

import re

from .errors import SimError
from .grub import Entry
from .machine import Gpu
from .setters import Arguments, Fault
from .state import State

ANY = "any"
PANIC = re.compile(r"(?:^|\s)panic=(-?\d+)(?=\s|$)")


def _panics(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    return {"node.boot.panics": arguments["kernel"] or ANY}


def _hangs(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    return {"node.boot.hangs": arguments["kernel"] or ANY}


def _slow(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    return {"node.boot.delay_ms": str(int(float(arguments["seconds"]) * 1000))}


def _is(state: State, key: str, entry: Entry) -> bool:
    return state.get(f"node.boot.{key}") in (ANY, entry.release)


def panics(state: State, entry: Entry) -> bool:
    """Whether this kernel panics, and starts the machine anew.

    Raises:
        SimError: it panics, and stays where it is.
    """
    if not _is(state, "panics", entry):
        return False
    told = PANIC.findall(entry.arguments)
    if not told or told[-1] == "0":
        raise SimError(f"kernel {entry.release} panics, and nothing starts the machine anew")
    return True


def refuse_hanging(state: State, entry: Entry) -> None:
    """Refuse to come up with a kernel that hangs.

    Raises:
        SimError: it does.
    """
    if _is(state, "hangs", entry):
        raise SimError(f"kernel {entry.release} hangs: the node does not answer")


def delay(state: State) -> float:
    """Seconds that a boot takes longer."""
    return int(state.get("node.boot.delay_ms") or 0) / 1000


FAULTS: dict[str, Fault] = {
    "kernel_panics": (_panics, {"kernel": ""}, "from the next boot on, this kernel, or any, panics"),
    "boot_hangs": (_hangs, {"kernel": ""}, "from the next boot on, this kernel, or any, hangs"),
    "boot_slow": (_slow, {"seconds": "5"}, "boots take longer"),
}
