# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of changing partitions: what a set call answers and does not do, and what a reload of the driver brings."""

from __future__ import annotations

import typing as t

from .errors import SimError
from .machine import MODES, Gpu
from .setters import Arguments, Fault, each
from .state import State


def _ignored(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    """The call answers that all is well, and the mode stays."""
    kinds = {"compute": "compute", "memory": "memory", "both": "compute,memory"}
    if arguments["what"] not in kinds:
        raise SimError(f"set_ignored: there is no {arguments['what']!r}; there are {', '.join(kinds)}")
    return {f"gpu{gpu.index}.set.ignored": kinds[arguments["what"]] for gpu in chosen}


def _fails(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    """The call answers a status for these GPUs, always or so many times."""
    times = f"*{arguments['times']}" if arguments["times"] else ""
    return {f"gpu{gpu.index}.set.fails": arguments["code"] + times for gpu in chosen}


def _lost_at_reload(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    """GPUs that are gone when the driver is loaded again. What they are now is told for heal."""
    return {
        key: value
        for gpu in chosen
        for key, value in {f"gpu{gpu.index}.reload.lost": "1", f"gpu{gpu.index}.lost": gpu["lost"]}.items()
    }


def _lost_at_set(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    """GPUs that are gone once a compute mode is set."""
    return {
        key: value
        for gpu in chosen
        for key, value in {f"gpu{gpu.index}.set.lost": arguments["code"], f"gpu{gpu.index}.lost": gpu["lost"]}.items()
    }


def _slow_reload(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    return {"node.load_delay_ms": str(int(float(arguments["seconds"]) * 1000))}


def _told(word: str, modes: str, known: t.Collection[str]) -> list[str]:
    """The modes that are told.

    Raises:
        SimError: the product does not have one of them.
    """
    for mode in modes.split(","):
        if mode not in known:
            raise SimError(f"{word}: there is no {mode!r}; there are {', '.join(known)}")
    return modes.split(",")


def _compute_modes(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    """Only these compute modes are offered, whatever the product has."""
    kept = {gpu.index: _told("compute_modes", arguments["modes"], gpu.modes) for gpu in chosen}
    return {
        f"gpu{gpu.index}.lacking": ",".join(mode for mode in MODES if mode not in kept[gpu.index]) for gpu in chosen
    }


def _memory_modes(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    """Only these memory modes are offered, as firmware decides it."""
    return {
        f"gpu{gpu.index}.memory_modes": ",".join(
            _told("memory_modes", arguments["modes"], gpu["memory_modes"].split(","))
        )
        for gpu in chosen
    }


def _key(key: str, value: str) -> t.Callable[[State, list[Gpu], Arguments], State]:
    """Sets one key of the node."""
    return lambda _state, _chosen, arguments: {key: value.format(**arguments)}


FAULTS: dict[str, Fault] = {
    "resetting": (
        each(set__resetting="2*{times}"),
        {"times": "2"},
        "these GPUs are being reset: so many set calls answer that there is no such thing (2)",
    ),
    "no_permission": (_key("library.root", "no"), {}, "the library takes every caller for one who is not root (10)"),
    "set_ignored": (
        _ignored,
        {"what": "compute"},
        "set calls answer success and the mode stays: compute, memory, both",
    ),
    "set_fails": (
        _fails,
        {"code": "30", "times": ""},
        "set calls for these GPUs answer a status, always or so many times; other GPUs take their modes",
    ),
    "gpu_lost_at_set": (
        _lost_at_set,
        {"code": "42"},
        "these GPUs fall off the bus when a compute mode is set; the call answers this status",
    ),
    "gpu_lost_at_reload": (
        _lost_at_reload,
        {},
        "these GPUs are gone when the driver is loaded again; a reboot brings them back",
    ),
    "slow_reload": (_slow_reload, {"seconds": "5"}, "loading the driver takes its time"),
    "module_held": (
        _key("node.module_held", "1"),
        {},
        "something in the kernel uses the driver: it cannot be unloaded, and no process is to blame",
    ),
    "compute_modes": (_compute_modes, {"modes": "SPX"}, "the kernel offers these compute modes and no others"),
    "memory_modes": (_memory_modes, {"modes": "NPS1"}, "firmware offers these memory modes and no others"),
    "busy_per_gpu": (
        _key("kfd.busy_scope", "device"),
        {},
        "the driver is a newer one: a process keeps only the GPUs busy that it holds, not all",
    ),
}
