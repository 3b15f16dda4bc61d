# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults by name. Each sets plain keys of the state, and keeps what they were before, for heal."""

from __future__ import annotations

import glob
import os
import signal
import typing as t

from .errors import SimError
from .machine import Gpu, gpus
from .state import State, drop, under

Arguments = dict[str, str]
Setter = t.Callable[[State, list[Gpu], Arguments], State]
HIDDEN = ".hidden-by-instinct-sim"
LIBRARIES = "/opt/rocm*/lib/libamd_smi*.so*"


def _each(**keys: str) -> Setter:
    """Sets keys of each chosen GPU; {count} and the like stand for arguments of that name."""

    def setter(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
        return {
            f"gpu{gpu.index}.{key.replace('__', '.')}": value.format(**arguments)
            for gpu in chosen
            for key, value in keys.items()
        }

    return setter


def _probe(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    """The next probe of these GPUs fails; the driver looks at the fault itself."""
    return {}


def _sleeper() -> int:
    """A process that outlives us and does nothing; its number."""
    quiet = [(os.POSIX_SPAWN_OPEN, number, "/dev/null", os.O_RDWR, 0) for number in range(3)]
    pid = os.posix_spawnp("sleep", ["sleep", "infinity"], os.environ, file_actions=quiet, setsid=True)
    while not _command(pid):  # it is there a moment before its name is
        os.sched_yield()
    return pid


def _command(pid: int) -> bytes:
    """Command line of a process; none if it is gone."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b"" if os.path.exists(f"/proc/{pid}") else b"gone"


def _busy(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    """A process that holds GPUs: one that is told, or a real one made for it."""
    kind = "live"
    pid = arguments["pid"]
    if not pid:
        pid = str(_sleeper())
        arguments["made"] = pid
    elif not os.path.exists(f"/proc/{pid}"):
        kind = "fixed"
    held = ",".join(str(gpu.index) for gpu in chosen)
    return {f"proc.{pid}": f"{arguments['name']}:{arguments['vram']}:{held}:{kind}"}


def _firmware(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    """One firmware block at another version than the product's."""
    block, version = arguments["block"], arguments["version"]
    unknown = [gpu for gpu in chosen if f"firmware.{block}" not in gpu.data]
    if unknown:
        blocks = sorted(key.partition(".")[2] for key in unknown[0].data if key.startswith("firmware."))
        raise SimError(f"firmware_mixed: there is no block {block!r}; there are {', '.join(blocks)}")
    try:
        number = int(version, 0)
    except ValueError:
        raise SimError(f"firmware_mixed: {version!r} is no number") from None
    return {f"gpu{gpu.index}.firmware.{block}": str(number) for gpu in chosen}


def _version(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    return {"library.version": arguments["version"]}


def _slow(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    return {"library.init_delay_ms": str(int(float(arguments["seconds"]) * 1000))}


def _no_library(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    """Moves library files away. Their names are kept in the fault's own arguments."""
    found = {
        os.path.join(os.path.realpath(folder), name)
        for folder, name in map(os.path.split, glob.glob(arguments["path"]))
    }
    paths = sorted(path for path in found if not path.endswith(HIDDEN))  # /opt/rocm leads to another folder of the list
    if not paths:
        raise SimError(f"{arguments['path']}: there is no such library to take away")
    for path in paths:
        os.rename(path, path + HIDDEN)
    arguments["moved"] = ":".join(paths)
    return {}


def _status(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    if not arguments["call"]:
        raise SimError("status: name the call: call=amdsmi_get_temp_metric")
    times = f"*{arguments['times']}" if arguments["times"] else ""
    return {f"status.{arguments['call']}": arguments["code"] + times}


FAULTS: dict[str, tuple[Setter, Arguments, str]] = {
    "probe_enomem": (_probe, {}, "from the next load on, the driver finds no memory for these GPUs"),
    "probe_psp": (_probe, {}, "from the next load on, the security processor of these GPUs does not start"),
    "busy": (_busy, {"pid": "", "name": "python3", "vram": "1073741824"}, "a process holds these GPUs"),
    "ecc_correctable": (_each(ecc__correctable="{count}"), {"count": "12"}, "memory errors that were corrected"),
    "ecc_uncorrectable": (_each(ecc__uncorrectable="{count}"), {"count": "1"}, "memory errors that were not"),
    "bad_pages": (_each(bad_pages="{count}"), {"count": "3"}, "retired memory pages"),
    "xgmi_down": (
        _each(xgmi__down="{link}", xgmi__error="1"),
        {"link": "0"},
        "links to other GPUs are down: numbers from 0",
    ),
    "gpu_lost": (_each(lost="1"), {}, "GPUs fall off the bus: they read as all ones, and do not come back by a reload"),
    "firmware_mixed": (
        _firmware,
        {"block": "PLDM_BUNDLE", "version": "0x01190204"},
        "a firmware block of these GPUs is of another version; 0x01190204 is bundle 01.25.02.04",
    ),
    "no_library": (_no_library, {"path": LIBRARIES}, "the library is not there"),
    "version_mismatch": (_version, {"version": "24.7.1"}, "the library says it is another version"),
    "slow": (_slow, {"seconds": "5"}, "amdsmi_init takes its time"),
    "hang": (_slow, {"seconds": "86400"}, "amdsmi_init does not come back"),
    "pcie_degraded": (
        _each(pcie__width="{width}", pcie__speed_mts="{speed_mts}"),
        {"width": "8", "speed_mts": "16000"},
        "links trained low",
    ),
    "hot": (_each(temperature__hotspot="{degrees}"), {"degrees": "108"}, "hotspot temperature"),
    "vf": (_each(virtual="1"), {}, "GPUs are virtual functions of a host that is not ours"),
    "status": (
        _status,
        {"call": "", "code": "43", "times": ""},
        "a call of the library answers a status, always or so many times",
    ),
}


def _chosen(state: State, word: str) -> list[Gpu]:
    """GPUs by number, address, a list of them, or all.

    Raises:
        SimError: there is no such GPU.
    """
    known = gpus(state)
    if word == "all":
        return known
    names = {name: gpu for gpu in known for name in (str(gpu.index), gpu.bdf)}
    unknown = [part for part in word.split(",") if part not in names]
    if unknown:
        raise SimError(f"there is no GPU {unknown[0]}; there are 0 to {len(known) - 1}")
    return [names[part] for part in word.split(",")]


def inject(state: State, name: str, given: Arguments) -> None:
    """Break something.

    Raises:
        SimError: there is no such fault, argument or GPU.
    """
    if name not in FAULTS:
        raise SimError(f"there is no fault {name!r}; there are {', '.join(FAULTS)}")
    setter, defaults, _words = FAULTS[name]
    unknown = set(given) - {"gpu", *defaults}
    if unknown:
        raise SimError(f"{name}: there is no argument {min(unknown)!r}; there are {', '.join(['gpu', *defaults])}")
    arguments = {**defaults, **given}
    chosen = _chosen(state, arguments.pop("gpu", "0"))
    before = set(filter(None, state.get(f"fault.{name}.gpus", "").split(",")))
    keys = setter(state, chosen, arguments)
    for key, value in keys.items():
        state.setdefault(f"saved.{name}.{key}", state.get(key, ""))
        state[key] = value
    state[f"fault.{name}.gpus"] = ",".join(sorted(before | {str(gpu.index) for gpu in chosen}, key=int))
    for key in ("made", "moved"):
        if arguments.get(key):
            state[f"fault.{name}.{key}"] = ":".join(
                filter(None, [state.get(f"fault.{name}.{key}", ""), arguments[key]])
            )


def active(state: State) -> list[str]:
    """Names of the faults that are there."""
    return [name for name in FAULTS if f"fault.{name}.gpus" in state]


def heal(state: State, name: str) -> None:
    """Make one fault undone.

    Raises:
        SimError: there is no such fault.
    """
    if name not in FAULTS:
        raise SimError(f"there is no fault {name!r}; there are {', '.join(FAULTS)}")
    for key, value in under(state, f"saved.{name}.").items():
        state[key] = value
        if not value and not key.startswith("gpu"):
            del state[key]
    for path in filter(None, state.get(f"fault.{name}.moved", "").split(":")):
        if os.path.exists(path + HIDDEN):
            os.rename(path + HIDDEN, path)
    for pid in filter(None, state.get(f"fault.{name}.made", "").split(":")):
        _end(int(pid))
    drop(state, f"saved.{name}.")
    drop(state, f"fault.{name}.")


def _end(pid: int) -> None:
    """End a process that a fault made, if it is still that one."""
    if _command(pid).startswith(b"sleep\0infinity"):
        os.kill(pid, signal.SIGKILL)
