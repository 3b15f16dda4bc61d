# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults that are processes: those that hold GPUs, as real ones in a unit or a container, and those that ended."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

from .errors import SimError
from .machine import Gpu
from .setters import Arguments, Fault, Setter
from .state import State, Store

# Where control groups are told: one tree, or with systemd's older ways one of its own or two that must agree.
CGROUPS = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/systemd"), Path("/sys/fs/cgroup/unified"))


def _holder(prefix: str) -> Setter:
    """A process that holds GPUs: one that is told, or a real one made for it, where it is told to be."""

    def setter(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
        kind = "live"
        pid = arguments["pid"]
        if not pid:
            groups = _groups(arguments["unit"], arguments["cgroup"])
            pid = str(_sleeper())
            arguments["made"] = pid
            for group in groups:
                group.mkdir(parents=True, exist_ok=True)
                (group / "cgroup.procs").write_text(pid, encoding="utf-8")
        elif not os.path.exists(f"/proc/{pid}"):
            kind = "fixed"
        held = ",".join(str(gpu.index) for gpu in chosen)
        return {f"{prefix}.{pid}": f"{arguments['name']}:{arguments['vram']}:{held}:{kind}"}

    return setter


def _groups(unit: str, told: str) -> list[Path]:
    """The folders of a control group: of a running unit, or by its path below the root of all.

    Raises:
        SimError: the unit does not run, or this machine has no control groups.
    """
    if not unit and not told:
        return []
    if unit:
        command = ["systemctl", "show", "--property=ControlGroup", "--value", "--", unit]
        told = subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip()
        if not told:
            raise SimError(f"{unit} does not run: start it first")
    found = [root / told.lstrip("/") for root in CGROUPS if (root / "cgroup.procs").exists()]
    if not found:
        raise SimError("this machine has no control groups")
    return found


def _sleeper() -> int:
    """A process that outlives us and does nothing but to have all GPUs open, as programs of ROCm do; its number.

    A container refuses to open them; a descriptor of the path alone is of the same device.
    """
    quiet = [(os.POSIX_SPAWN_OPEN, number, "/dev/null", os.O_RDWR, 0) for number in range(3)]
    doors = [path for path in (Path("/dev/kfd"), *sorted(Path("/dev/dri").glob("renderD*"))) if path.exists()]
    opened = [(os.POSIX_SPAWN_OPEN, 3 + number, str(path), os.O_PATH, 0) for number, path in enumerate(doors)]
    pid = os.posix_spawnp("sleep", ["sleep", "infinity"], os.environ, file_actions=quiet + opened, setsid=True)
    while not _command(pid):  # it is there a moment before its name is
        os.sched_yield()
    return pid


def watch(store: Store, pid: str) -> None:
    """Bring /sys in step when a process ends, by whomever: KFD would no longer list it. Outlives us."""
    state = store.read()
    if not state.get("node.command") or not os.path.exists(f"/proc/{pid}"):
        return
    quiet = [(os.POSIX_SPAWN_OPEN, number, "/dev/null", os.O_RDWR, 0) for number in range(3)]
    script = 'tail --pid="$1" --sleep-interval=0.1 --follow /dev/null; exec "$2" --state "$3" sysfs'
    words = ["sh", "-c", script, "sh", pid, state["node.command"], str(store.path)]
    os.posix_spawnp("sh", words, os.environ, file_actions=quiet, setsid=True)


def _command(pid: int) -> bytes:
    """Command line of a process; none if it is gone."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b"" if os.path.exists(f"/proc/{pid}") else b"gone"


def end(pid: int) -> None:
    """End a process that a fault made, if it is still that one."""
    if _command(pid).startswith(b"sleep\0infinity"):
        os.kill(pid, signal.SIGKILL)


def _zombie(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    """A process that ended and that KFD still has: gone altogether, or defunct because nobody waits for it."""
    pid = arguments["pid"]
    if arguments["how"] == "defunct":
        pid, arguments["made"] = _defunct()
    elif arguments["how"] != "gone":
        raise SimError(f"zombie: there is no how {arguments['how']!r}; there are gone, defunct")
    elif os.path.exists(f"/proc/{pid}"):
        raise SimError(f"zombie: process {pid} lives")
    held = ",".join(str(gpu.index) for gpu in chosen)
    return {f"proc.{pid}": f"{arguments['name']}:{arguments['vram']}:{held}:zombie"}


def _defunct() -> tuple[str, str]:
    """Make a process that ended and its parent that does not wait for it; their numbers."""
    read, write = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, write, 1), (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_RDWR, 0)]
    # The shell has become a program that does not wait before its child ends.
    script = "sleep 0.1 & echo $!; exec sleep infinity >/dev/null"
    parent = os.posix_spawnp("sh", ["sh", "-c", script], os.environ, file_actions=actions, setsid=True)
    os.close(write)
    with os.fdopen(read) as pipe:
        child = pipe.readline().strip()
    while not _ended(child):
        os.sched_yield()
    return child, str(parent)


def _ended(pid: str) -> bool:
    """Whether a process ended and still has its number."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[0] == "Z"


_WHERE = {"pid": "", "unit": "", "cgroup": ""}

FAULTS: dict[str, Fault] = {
    "busy": (
        _holder("proc"),
        {"name": "python3", "vram": "1073741824", **_WHERE},
        "a process computes on these GPUs: a real one, in a running unit or a control group if one is told",
    ),
    "client": (
        _holder("client"),
        {"name": "Xorg", "vram": "67108864", **_WHERE},
        "a process has opened these GPUs and does not compute: the library lists it, KFD does not",
    ),
    "zombie": (
        _zombie,
        {"pid": "4194000", "how": "gone", "name": "python3", "vram": "1073741824"},
        "a process ended, and KFD still has it: gone, or defunct",
    ),
}
