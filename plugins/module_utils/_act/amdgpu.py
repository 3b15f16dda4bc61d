# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The amdgpu module in the running kernel: reading its state, taking it out and putting it in."""

from __future__ import annotations

import contextlib
import os
import time

from .._core import kfd
from .._core.errors import DataError, FleetError
from .._core.module_proof import (
    MODULE,
    Loaded,
    OnDisk,
    Wanted,
    parse_on_disk,
    refuse_missing,
    refuse_stale,
)
from .clock import ticks
from .process import run

SYS = "/sys"
PROC = "/proc"
DKMS = "/var/lib/dkms"
# Display and processing accelerator classes of PCI, vendor AMD. source: pci.ids
_CLASSES = ("0x0300", "0x0302", "0x0380", "0x1200")
_VENDOR = "0x1002"


def _read(*parts: str) -> str:
    with contextlib.suppress(OSError), open(os.path.join(*parts), encoding="utf-8", errors="replace") as stream:
        return stream.read().strip()
    return ""


def _list(*parts: str) -> list[str]:
    with contextlib.suppress(OSError):
        return sorted(os.listdir(os.path.join(*parts)))
    return []


def loaded() -> Loaded | None:
    """The module in the kernel; None if there is none. A module built into the kernel has no initstate either."""
    root = os.path.join(SYS, "module", MODULE)
    state = _read(root, "initstate")
    return Loaded(state, _read(root, "version"), _read(root, "srcversion")) if state else None


def on_disk() -> OnDisk:
    """The module that modprobe would load into the running kernel.

    Raises:
        FleetError: there is none.
    """
    kernel = os.uname().release
    links = [name for name in _list(DKMS, MODULE) if name.startswith("kernel-")]
    return parse_on_disk(run(["modinfo", "-k", kernel, MODULE], 60).out, kernel, links)


def holders() -> dict[int, str]:
    """Processes that KFD knows: pid -> command."""
    pids = [int(name) for name in _list(SYS, "class/kfd/kfd/proc") if name.isdigit()]
    return {pid: _read(PROC, str(pid), "comm") for pid in pids}


def _devices() -> dict[str, bool]:
    """AMD GPUs on the PCI bus: address -> bound to amdgpu."""
    root = os.path.join(SYS, "bus/pci/devices")
    found = {}
    for bdf in _list(root):
        if _read(root, bdf, "vendor") == _VENDOR and _read(root, bdf, "class").startswith(_CLASSES):
            driver = os.path.join(root, bdf, "driver")
            found[bdf] = os.path.basename(os.path.realpath(driver)) == MODULE
    return found


def gpus() -> int:
    """How many physical GPUs the KFD topology shows; partitions of one GPU count once."""
    root = os.path.join(SYS, "class/kfd/kfd/topology/nodes")
    nodes = []
    for number in filter(str.isdigit, _list(root)):
        identity = _read(root, number, "gpu_id")
        try:
            properties = kfd.parse_properties(_read(root, number, "properties"))
        except DataError:  # the driver is still writing it
            continue
        node = kfd.node(int(number), int(identity) if identity.isdigit() else 0, properties)
        if node:
            nodes.append(node)
    return len(kfd.partitions(nodes, _devices()))


def _modprobe(*arguments: str, timeout: float) -> None:
    done = run(["modprobe", *arguments], timeout)
    if done.code:
        why = (
            f"did not end within {timeout:.0f} s"
            if done.timed_out
            else " ".join((done.err or done.out).split()).rstrip(".")
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
    _prove(disk, wanted, timeout if step else 0)
    return round(time.monotonic() - start)


def _prove(disk: OnDisk, wanted: Wanted, timeout: float) -> None:
    now, count, gone = loaded(), 0, 0.0
    for gone in ticks(timeout):  # noqa: B007 - the time waited is part of the sentence
        now, count = loaded(), gpus()
        if now and now.initstate == "live" and count == wanted.gpus:
            break
    if now is None or now.initstate != "live":
        state = now.initstate if now else "not loaded"
        raise FleetError(MODULE, f"is {state} after {gone:.0f} s", "read the kernel log (journalctl -k -g amdgpu)")
    refuse_stale(disk, now, "something else loaded a module; reboot")
    refuse_missing(wanted.gpus, count, [bdf for bdf, bound in _devices().items() if not bound], gone)
