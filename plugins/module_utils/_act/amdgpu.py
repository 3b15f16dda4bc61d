# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The amdgpu module in the running kernel: reading its state, taking it out and putting it in."""

from __future__ import annotations

import os
import time
import typing as t

from .._core.act.module_proof import MODULE, Loaded, OnDisk, Wanted, parse_on_disk, refuse_missing, refuse_stale
from .._core.errors import DataError, FleetError
from .._core.look import kfd
from .._node import dkms, driver, pci, processes, topology
from .._node.apart import UnreadableError
from .._node.machine import Machine
from .._node.notes import Notes
from .clock import ticks
from .process import run

ROOT = "/"
T = t.TypeVar("T")


def _ask(read: t.Callable[..., T], *arguments: t.Any) -> T:
    """Read something of this machine, as the look reads it.

    Raises:
        FleetError: it cannot be read.
    """
    try:
        return read(Machine(ROOT), *arguments)
    except UnreadableError as error:
        raise FleetError(MODULE, str(error), "run as root (become: true)") from error


def loaded() -> Loaded | None:
    """The module in the kernel; None if there is none. A module built into the kernel has no initstate either."""
    state = _ask(driver.initstate)
    words = (_ask(Machine.word, f"/sys/module/{MODULE}/{name}") or "" for name in ("version", "srcversion"))
    return Loaded(state, *words) if state else None


def on_disk() -> OnDisk:
    """The module that modprobe would load into the running kernel.

    Raises:
        FleetError: there is none.
    """
    kernel = os.uname().release
    return parse_on_disk(run(["modinfo", "-k", kernel, MODULE], 60).out, kernel, _ask(dkms.links))


def kept_out() -> tuple[str, ...]:
    """Lines of modprobe.d by which modprobe runs something else instead. A mere blacklist is for aliases alone."""
    lines = _ask(driver.blacklists, Notes(), MODULE)
    return tuple(f"{path}: {line}" for path, line in lines if line.startswith("install"))


def holders() -> dict[int, str]:
    """Processes that KFD knows: pid -> command.

    Raises:
        FleetError: the loaded driver does not tell.
    """
    seen = _ask(processes.read, True, ())
    if "processes" in seen.unknown:
        what = f"cannot be reloaded: whether processes hold GPUs is unknown: {seen.unknown['processes']}"
        raise FleetError(MODULE, what, "reboot the node instead")
    return {process.pid: process.command or "" for process in seen.processes}


def gpus() -> int:
    """How many physical GPUs the KFD topology shows: partitions of one count once; 0 while it cannot be parsed."""
    bdfs = {function.bdf for function in _ask(pci.read)}
    try:
        return len(bdfs & set(kfd.partitions(_ask(topology.read), bdfs)))
    except DataError:  # the driver is still writing it
        return 0


def on_bus() -> int:
    """How many GPUs are on the PCI bus, driven or not."""
    return len(_ask(pci.read))


def wait(seconds: float) -> None:
    """Wait until the module is live and drives all GPUs of the bus, as at the end of a boot. It is not loaded here."""
    for _gone in ticks(seconds, 1.0) if seconds > 0 else ():
        now = loaded()
        if now and now.initstate == "live" and gpus() >= on_bus() > 0:
            return


def _unbound() -> list[str]:
    """GPUs on the PCI bus without the driver."""
    return [function.bdf for function in _ask(pci.read) if function.attributes.get("driver") != MODULE]


def _modprobe(*arguments: str, timeout: float) -> None:
    done = run(["modprobe", *arguments], timeout)
    if done.code:
        why = (
            f"did not end within {timeout:.0f} s"
            if done.timed_out
            else " ".join((done.err or done.out).split()).rstrip(".").removeprefix("modprobe: ")
        )
        hint = "drain the node first, or reboot it" if "-r" in arguments else "read the kernel log (journalctl -k)"
        raise FleetError("modprobe " + " ".join(arguments), why or f"ended with {done.code}", hint)


def carry_out(step: str, disk: OnDisk, wanted: Wanted, timeout: float) -> int:
    """Load or reload, wait until all GPUs are there, and return the seconds it took. No step: only prove.

    Raises:
        FleetError: modprobe failed, or the proof failed.
    """
    start = time.monotonic()
    if step == "reload":
        _modprobe("-r", MODULE, timeout=timeout)
    if step:
        _modprobe(MODULE, timeout=timeout)
    prove(disk, wanted, timeout if step else 0)
    return round(time.monotonic() - start)


def prove(disk: OnDisk, wanted: Wanted, timeout: float) -> None:
    """Wait until the module on disk is live and all GPUs are there.

    Raises:
        FleetError: it is not so in time.
    """
    now, count, gone = loaded(), 0, 0.0
    for gone in ticks(timeout):  # noqa: B007 - the time waited is part of the sentence
        now, count = loaded(), gpus()
        if now and now.initstate == "live" and count == wanted.gpus:
            break
    if now is None or now.initstate != "live":
        state = now.initstate if now else "not loaded"
        raise FleetError(MODULE, f"is {state} after {gone:.0f} s", "read the kernel log (journalctl -k -g amdgpu)")
    refuse_stale(disk, now, "something else loaded a module; reboot")
    refuse_missing(wanted.gpus, count, _unbound(), gone)


def refuse_fewer(wanted: int, timeout: float) -> None:
    """Wait until so many GPUs are there, whatever module drives them.

    Raises:
        FleetError: there are not as many in time.
    """
    count, gone = 0, 0.0
    for gone in ticks(timeout):  # noqa: B007 - the time waited is part of the sentence
        count = gpus()
        if count >= wanted:
            return
    refuse_missing(wanted, count, _unbound(), gone)
