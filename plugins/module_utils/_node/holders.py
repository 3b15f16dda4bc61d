# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Processes on GPUs with every name that the node has for them, and what each holds of every device."""

from __future__ import annotations

import contextlib
import functools
import os
import pwd
import time
import typing as t

from .._core.formats import cgroup, text
from .._core.look.shape import Process, Processes
from .._core.reservation.verdict_holder import Held, Hold, Holder
from . import opened
from .apart import UnreadableError
from .machine import Machine
from .notes import Notes
from .processes import KFD, listed

KFD_NODE = "/dev/kfd"
# <namespace>_<name>_<uid>. source: kubernetes:pkg/kubelet/kuberuntime/helpers.go, BuildPodLogsDirectory
_PODS = "/var/log/pods"
_LABEL = "org.instinct.tenant"
_ENGINES = ("podman", "docker")
_LINE = 200  # letters of a command line that are kept
_ASK = 10.0  # seconds for an engine or for Slurm to answer


def read(machine: Machine, loaded: bool, devices: t.Mapping[str, str], library: Processes,
         doors: t.Mapping[str, str]) -> Held:
    """Return all of them.

    Args:
        machine: the node.
        loaded: whether amdgpu is.
        devices: KFD's id of a device -> its id here.
        library: what the GPU library lists. Of those that KFD does not list it is believed, for they draw or decode;
            root's are left out, for a monitor opens every GPU.
        doors: id of a device here -> its render node.
    """
    notes = Notes()
    asked = _Asked(machine)
    pids = notes.attempt("processes", (), listed, machine, loaded)
    found = [asked.holder(int(pid), _holds(machine, pid, devices), doors) for pid in pids]
    found = [holder for holder in found if machine.exists(f"{KFD}/{holder.pid}")]
    known = {holder.pid for holder in found}
    others = (_other(asked, process, devices) for process in library.processes
              if process.pid not in known and machine.exists(f"/proc/{process.pid}"))
    found += [holder for holder in others if holder.uid != 0]
    return Held(tuple(sorted(found, key=lambda holder: holder.pid)), notes)


def _holds(machine: Machine, pid: str, devices: t.Mapping[str, str]) -> tuple[Hold, ...]:
    """What KFD says: a device of which it says nothing is not held, and one that cannot be read may be."""
    folder = f"{KFD}/{pid}"
    try:
        names = machine.names(folder)
        queues = [machine.word(f"{folder}/queues/{queue}/gpuid") for queue in machine.names(f"{folder}/queues")]
    except UnreadableError:
        return tuple(map(Hold, devices.values()))
    found = ((number, device) for number, device in devices.items() if f"vram_{number}" in names)
    return tuple(Hold(device, _bytes(machine, f"{folder}/vram_{number}"),
                      queues.count(number) if "queues" in names else None) for number, device in found)


def _bytes(machine: Machine, path: str) -> int | None:
    with contextlib.suppress(UnreadableError):
        word = machine.word(path) or ""
        return int(word) if word.isdigit() else None
    return None


def _other(asked: _Asked, process: Process, devices: t.Mapping[str, str]) -> Holder:
    held = tuple(Hold(device) for device in devices.values() if device.partition("-")[0] in process.gpus)
    return asked.holder(process.pid, held)


class _Asked:
    """Asks of each process; what many have in common is asked once."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._own = machine.text("/proc/1/cgroup") or ""
        self._booted = text.boot_seconds(machine.text("/proc/stat") or "")
        self._label = functools.lru_cache(None)(self._ask_label)
        self._account = functools.lru_cache(None)(self._ask_account)

    def holder(self, pid: int, holds: tuple[Hold, ...], doors: t.Mapping[str, str] | None = None) -> Holder:
        """One process. ``doors``: where KFD alone says that it holds them, what it then has open."""
        notes, read = Notes(), self._machine.text
        status = notes.attempt("user", "", read, f"/proc/{pid}/status") or ""
        stat = notes.attempt("started", "", read, f"/proc/{pid}/stat") or ""
        group = notes.attempt("cgroup", "", read, f"/proc/{pid}/cgroup") or ""
        if not status and not notes:
            notes["cgroup"] = "it is gone, and KFD still has it"
        elif doors is not None:
            wanted = [KFD_NODE, *(doors[hold.device] for hold in holds if hold.real and hold.device in doors)]
            notes.attempt("open", None, opened.refuse_other, self._machine, pid, wanted)
        place = cgroup.place(group, self._own)
        uid, started = text.status_uid(status), text.stat_started(stat)
        outside = place.engine in _ENGINES
        if place.container and not outside and not place.pod:
            notes["label"] = f"{place.engine} is not asked for labels"
        return Holder(
            pid, started, self._since(started), uid, None if uid is None else self._user(uid),
            None if place.login is None else self._user(place.login), place.units, place.engine, place.container,
            notes.attempt("label", None, self._label, place.engine, place.container) if outside else None, place.boxed,
            place.pod, notes.attempt("namespace", None, self._namespace, place.pod) if place.pod else None,
            place.slurm_job,
            notes.attempt("slurm_account", None, self._account, place.slurm_job) if place.slurm_job else None,
            notes.attempt("command", None, self._machine.word, f"/proc/{pid}/comm"),
            notes.attempt("line", None, self._line, pid), text.status_state(status), holds, notes)

    def _since(self, started: int | None) -> str | None:
        if started is None or self._booted is None:
            return None
        seconds = self._booted + started // os.sysconf("SC_CLK_TCK")
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))

    def _user(self, uid: int) -> str:
        name = self._machine.user(uid)
        if name.isdigit():
            with contextlib.suppress(KeyError):  # the node's own file does not have it: a directory may
                return pwd.getpwuid(uid).pw_name
        return name

    def _line(self, pid: int) -> str | None:
        words = (self._machine.head(f"/proc/{pid}/cmdline", 4 * _LINE) or "").replace("\0", " ").strip()
        return "".join(letter if letter.isprintable() else "?" for letter in words)[:_LINE] or None

    def _namespace(self, pod: str) -> str:
        for name in self._machine.names(_PODS):
            if name.endswith(f"_{pod}"):
                return name.partition("_")[0]
        raise UnreadableError(f"{_PODS} has no pod {pod}")

    def _ask_label(self, engine: str, container: str) -> str:
        form = f'{{{{ index .Config.Labels "{_LABEL}" }}}}'
        said = self._answer(engine, "inspect", "--type", "container", "--format", form, container)
        return "" if said == "<no value>" else said

    def _ask_account(self, job: str) -> str:
        said = self._answer("squeue", "--noheader", "--states=all", f"--jobs={job}", "--format=%a")
        return said.splitlines()[0].strip() if said else ""

    def _answer(self, *argv: str) -> str:
        ran = self._machine.run(*argv, most=_ASK)
        if ran.code:
            words = ran.stderr.strip().splitlines()
            raise UnreadableError(f"{argv[0]}: {words[-1] if words else f'it ends with {ran.code}'}")
        return ran.stdout.strip()
