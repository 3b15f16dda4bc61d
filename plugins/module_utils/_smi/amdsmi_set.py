# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The program that sets partition modes. Runs in a child process, with amdsmi.py alone beside it.

Request, beside what amdsmi.py says: ``lock`` (file that one child at a time holds), ``initstate`` (file that says live
when the driver is), ``patience`` (seconds to wait for that), and ``change``: {"kind": compute | memory, "mode": CPX or
NPS4, "bdfs": [...]}.
Answer: for each GPU {"told": {address: {"code": ..., "status": ..., "words": ...}}}, the library's answer, as soon as
there is one, and then {"told": {address: {"now": ..., "unread": ...}}}, the mode that it reads back after it was shut
down and asked anew, or why there is none. Handles are a picture of init, and a stale one may answer for another device;
and a return code alone proves nothing.

A compute mode is of one GPU; a memory mode is asked of one GPU for its whole hive. Whole GPUs alone are asked, since a
second partition supports neither. Memory in use is never asked here: some libraries are clients of the GPU after that.
source: ROCm/rocm-systems:projects/amdsmi/CHANGELOG.md (7.12)
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
import typing as t

from .amdsmi import COMPUTE, DEFECTS, MEMORY, Item, Say, asking, call, primaries, reason, session

_ENUMERATION = {"compute": "AmdSmiComputePartitionType", "memory": "AmdSmiMemoryPartitionType"}
_READ = {"compute": COMPUTE, "memory": MEMORY}
NOT_LISTED = "the library does not list this GPU"
_PAUSE = 0.1  # seconds between two looks at the driver
_SUCCESS = {"code": 0, "status": "AMDSMI_STATUS_SUCCESS", "words": ""}


def work(amdsmi: t.Any, request: Item, say: Say) -> None:
    """Under the lock, set one after the other. A session reads back what the one before it has set.

    The lock is held as long as this process lives, so that one which hangs in the driver keeps others out: the library
    lets two processes set at once. source: ROCm/rocm-systems:projects/amdsmi/CHANGELOG.md (6.4)
    """
    kind, mode, bdfs = (request["change"][name] for name in ("kind", "mode", "bdfs"))
    if not locked(request["lock"], say):
        return
    before: list[str] = []
    for group in [*(hives(amdsmi, bdfs, say) if kind == "memory" else ([bdf] for bdf in bdfs)), []]:
        if before and not driver_is_back(request["initstate"], request["patience"], say):
            return
        with session(amdsmi, say) as handles:
            gpus = primaries(amdsmi, handles)
            for bdf in before:
                say(step=f"reading {bdf} back")
                say(told={bdf: read_back(amdsmi, kind, gpus.get(bdf))})
            if group:
                say(step=f"setting {mode} on {group[0]}")
                answer = attempt(amdsmi, kind, mode, gpus.get(group[0]))
                say(told=dict.fromkeys(group, answer))
        before = group


def locked(path: str, say: Say) -> bool:
    """Wait for the lock and keep it until the process ends; whether it could be opened."""
    say(step=f"waiting for {path}")
    try:
        handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        say(error=f"the lock {path} cannot be opened: {error.strerror}")
        return False
    fcntl.flock(handle, fcntl.LOCK_EX)
    return True


def hives(amdsmi: t.Any, bdfs: t.Sequence[str], say: Say) -> list[list[str]]:
    """Return the GPUs by hive, in their order; one without a hive stands alone."""
    groups: dict[t.Any, list[str]] = {}
    with session(amdsmi, say) as handles:
        gpus = primaries(amdsmi, handles)
        for bdf in bdfs:
            say(step=f"asking the hive of {bdf}")
            groups.setdefault(hive(amdsmi, gpus[bdf]) or bdf if bdf in gpus else bdf, []).append(bdf)
    return list(groups.values())


def hive(amdsmi: t.Any, handle: t.Any) -> int | None:
    """Return the number of a GPU's hive; None if it is in none, or that cannot be told."""
    try:
        number = amdsmi.amdsmi_get_xgmi_info(handle)["xgmi_hive_id"]
    except (amdsmi.AmdSmiException, *DEFECTS):
        return None
    return number if isinstance(number, int) else None


def attempt(amdsmi: t.Any, kind: str, mode: str, handle: t.Any) -> Item:
    """Set a mode and return the library's answer."""
    set_mode = set_compute if kind == "compute" else set_memory
    return answer(amdsmi, handle, lambda gpu: set_mode(amdsmi, gpu, mode))


def answer(amdsmi: t.Any, handle: t.Any, act: t.Callable[[t.Any], str | None]) -> Item:
    """Return what the library answers to an act on a handle; ``code`` is None where it gave no answer.

    ``act`` returns why it did not ask for anything, if it did not.
    """
    if handle is None:
        return _none(NOT_LISTED)
    try:
        problem = act(handle)
    except amdsmi.AmdSmiLibraryException as error:
        return failure(amdsmi, error)
    except amdsmi.AmdSmiException as error:
        return _none(reason(error))
    except DEFECTS as error:
        return _none(f"{type(error).__name__} {error}")
    return _none(problem) if problem else dict(_SUCCESS)


def set_compute(amdsmi: t.Any, handle: t.Any, mode: str) -> str | None:
    """Set a compute mode; return why it was not asked for, if it was not.

    By its name, as long as the binding has that call: it writes one attribute, and the answer is the kernel's. The
    call that the next major version leaves takes the index of a profile, which depends on the modes that a GPU has;
    finding it writes to sysfs once for each profile, needs root even to look, and fails with a mistake of the binding
    where there is no profile (up to 7.0.2). source: amdsmi_interface.py of 6.4.4, 7.0.2 and 10.1; amd_smi.cc
    """
    if hasattr(amdsmi, "amdsmi_set_gpu_compute_partition"):
        amdsmi.amdsmi_set_gpu_compute_partition(handle, member(amdsmi, "compute", mode))
        return None
    profiles = amdsmi.amdsmi_get_gpu_accelerator_partition_profile_config(handle)["profiles"]
    index = {profile["profile_type"]: profile["profile_index"] for profile in profiles}
    if mode not in index:
        return f"the library has no profile {mode} for this GPU, but {', '.join(index) or 'none at all'}"
    amdsmi.amdsmi_set_gpu_accelerator_partition_profile(handle, index[mode])
    return None


def set_memory(amdsmi: t.Any, handle: t.Any, mode: str) -> None:
    """Set a memory mode. Both names are one call of the library; 10.0 warns of the old one."""
    names = ("amdsmi_set_gpu_memory_partition_mode", "amdsmi_set_gpu_memory_partition")
    name = next(name for name in names if hasattr(amdsmi, name) or name == names[-1])
    getattr(amdsmi, name)(handle, member(amdsmi, "memory", mode))


def member(amdsmi: t.Any, kind: str, mode: str) -> t.Any:
    """Return a mode as the binding has it; by name, since the numbers behind them changed."""
    return getattr(getattr(amdsmi, _ENUMERATION[kind]), mode)


def failure(amdsmi: t.Any, error: t.Any) -> Item:
    """Return an error of the library: its code, the name of it, and what the binding says beside.

    An exception says "unknown error" for a code that its table lacks, as 55 is in 6.2.4; the enumeration has it.
    """
    code = error.get_error_code()
    said, _dash, words = reason(error).removeprefix(f"error {code} ").partition(" - ")
    status = getattr(amdsmi.amdsmi_wrapper, "amdsmi_status_t__enumvalues", {}).get(code, said)
    return {"code": code, "status": status, "words": words if said == status else ""}


def read_back(amdsmi: t.Any, kind: str, handle: t.Any) -> Item:
    """Return the mode now; where that is not told, why."""
    if handle is None:
        return {"now": None, "unread": NOT_LISTED}
    item: Item = {"unknown": {}}
    call(amdsmi, asking(handle), "now", _READ[kind], item)
    now = item.get("now")
    return {"now": now if now != "N/A" else None, "unread": item["unknown"].get("now", "the library says N/A")}


def driver_is_back(path: str, patience: float, say: Say) -> bool:
    """Whether the driver is there, now or within so many seconds: a library may have loaded it anew.

    Some libraries loop without it. Up to 6.2 they do not wait for it themselves.
    """
    say(step="waiting for the driver")
    end = time.monotonic() + patience
    while True:
        with contextlib.suppress(OSError), open(path) as file:
            if file.read().strip() == "live":
                return True
        if time.monotonic() > end:
            say(error=f"amdgpu is not loaded {patience:.0f} s after the change")
            return False
        time.sleep(_PAUSE)


def _none(words: str) -> Item:
    return {"code": None, "status": "", "words": words}
