# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults by name. Each sets plain keys of the state, and keeps what they were before, for heal."""

from __future__ import annotations

import glob
import os
import time
from pathlib import Path

from . import boot_faults, holders, nics, partition_faults
from .errors import SimError
from .machine import Gpu, gpus
from .setters import Arguments, Fault, Setter, each
from .state import State, drop, under

HIDDEN = ".hidden-by-instinct-sim"
JOB = {"ring": "sdma0", "pid": "4711", "name": "python3"}
MINORS = 64  # of each kind that DRM had before Linux 6.14
LIBRARIES = "/opt/rocm*/lib/libamd_smi*.so*"


def _errors(kind: str) -> Setter:
    """Sets an error counter of one RAS block."""

    def setter(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
        block = arguments["block"]
        for gpu in chosen:
            if block not in gpu["ras_blocks"].split(","):
                raise SimError(f"there is no block {block!r}; there are {gpu['ras_blocks'].replace(',', ', ')}")
        return {f"gpu{gpu.index}.ecc.{block}.{kind}": arguments["count"] for gpu in chosen}

    return setter


def _throttled(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    """Something holds these GPUs back."""
    what = arguments["what"]
    known = sorted(key.partition(".")[2] for key in chosen[0].data if key.startswith("violation."))
    if what not in known:
        raise SimError(f"throttled: there is no {what!r}; there are {', '.join(known)}")
    return {f"gpu{gpu.index}.violation.{what}": arguments["percent"] for gpu in chosen}


def _record(severity: int, ids: str) -> Setter:
    """One more error record (CPER) of these GPUs."""

    def setter(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
        when = arguments["time"] or time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
        keys = {}
        for gpu in chosen:
            number = 1 + max([-1, *(int(key[len("cper.") :]) for key in gpu.data if key.startswith("cper."))])
            keys[f"gpu{gpu.index}.cper.{number}"] = f"{severity} {when} {ids}"
        return keys

    return setter


def _probe(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    """The next probe of these GPUs fails; the driver looks at the fault itself."""
    return {}


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


def _firmware_missing(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    """Moves the first firmware file of these GPUs away."""
    root = state.get("node.root", "/")
    names = {gpu["firmware_file"] for gpu in chosen}
    paths = sorted(
        str(path) for name in names for path in Path(root).glob(f"lib/firmware/**/{name}*") if path.suffix != HIDDEN
    )
    if not paths:
        raise SimError(f"{' '.join(sorted(names))}: there is no such firmware to take away")
    for path in paths:
        os.rename(path, path + HIDDEN)
    arguments["moved"] = ":".join(paths)
    return {}


def _drm_full(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    """Another display has the first minor, so that the last partition of a node with 64 has none."""
    known = gpus(state)
    cards = {f"gpu{gpu.index}.card": str(gpu.number("card") + 1) for gpu in known}
    taken = sum(gpu.number("minors") for gpu in known)
    last = {f"gpu{known[-1].index}.minors": str(known[-1].number("minors") - 1)} if taken == MINORS else {}
    return {**cards, **last, "node.ast": "1"}


def _iommu(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    return {"node.iommu": arguments["type"]}


def _status(state: State, chosen: list[Gpu], arguments: Arguments) -> State:
    if not arguments["call"]:
        raise SimError("status: name the call: call=amdsmi_get_temp_metric")
    times = f"*{arguments['times']}" if arguments["times"] else ""
    return {f"status.{arguments['call']}": arguments["code"] + times}


FAULTS: dict[str, Fault] = {
    "probe_enomem": (_probe, {}, "from the next load on, the driver finds no memory for these GPUs"),
    "psp_failed": (_probe, {}, "the same as probe_psp"),
    "firmware_missing": (_firmware_missing, {}, "from the next load on, the first firmware file is not there"),
    "page_fault": (_probe, {"pid": "4711", "name": "python3"}, "a process reads where it may not; the log says so"),
    "ring_timeout": (_probe, JOB, "a job hangs, and the GPU is reset; the log says so"),
    "reset_failed": (_probe, JOB, "a job hangs, and the reset fails; the log says so"),
    "pcie_bad_tlp": (each(aer__bad_tlp="{count}"), {"count": "37"}, "packets arrive damaged: counters and log"),
    "link_degraded": (
        each(pcie__width="{width}", pcie__speed_mts="{speed_mts}"),
        {"width": "8", "speed_mts": "8000"},
        "links trained far too low",
    ),
    "acs_on": (each(acs="{control}"), {"control": "0x1d"}, "the ports above GPUs redirect what goes to a neighbour"),
    "iommu_translated": (_iommu, {"type": "DMA-FQ"}, "the IOMMU translates for all devices; an empty type: none does"),
    "drm_full": (_drm_full, {}, "a baseboard's display has a DRM minor: the last of 64 partitions gets none"),
    "probe_psp": (_probe, {}, "from the next load on, the security processor of these GPUs does not start"),
    "ecc_correctable": (_errors("correctable"), {"count": "12", "block": "umc"}, "errors that were corrected"),
    "ecc_uncorrectable": (_errors("uncorrectable"), {"count": "1", "block": "umc"}, "errors that were not"),
    "bad_pages": (
        each(bad_pages="{count}", bad_pages__pending="{pending}", bad_pages__unreservable="{unreservable}"),
        {"count": "3", "pending": "0", "unreservable": "0"},
        "retired memory pages, and those that wait for a reset",
    ),
    "throttled": (_throttled, {"what": "ppt", "percent": "40"}, "something holds GPUs back, for so much of the time"),
    "clock_stuck": (
        each(clock__gfx__now="{mhz}", activity__gfx="{activity}"),
        {"mhz": "132", "activity": "100"},
        "the clock stays low while the GPU works",
    ),
    "pcie_replays": (
        each(pcie__replays="{count}", pcie__recoveries="{count}", pcie__naks="{count}"),
        {"count": "1200"},
        "packets of PCIe links are sent again",
    ),
    "vram_leak": (each(vram_used_mib="{mib}"), {"mib": "60000"}, "memory in use that no process holds"),
    "cper_fatal": (_record(1, "30"), {"time": ""}, "a fatal error record, of now unless a time is told"),
    "cper_old": (_record(1, "30"), {"time": "2020-01-01T00:00:00"}, "a fatal error record of long before the boot"),
    "xgmi_down": (
        each(xgmi__down="{link}", xgmi__error="1"),
        {"link": "0"},
        "links to other GPUs are down: numbers from 0",
    ),
    "xgmi_crc": (
        each(ecc__xgmi_wafl__correctable="{count}", xgmi__error="1"),
        {"count": "5"},
        "checksum errors on links to other GPUs",
    ),
    "gpu_lost": (each(lost="1"), {}, "GPUs fall off the bus: they read as all ones, and do not come back by a reload"),
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
        each(pcie__width="{width}", pcie__speed_mts="{speed_mts}"),
        {"width": "8", "speed_mts": "16000"},
        "links trained low",
    ),
    "hot": (each(temperature__hotspot="{degrees}"), {"degrees": "108"}, "hotspot temperature"),
    "vf": (each(virtual="1"), {}, "GPUs are virtual functions of a host that is not ours"),
    "setting_refused": (
        each(setting__refused="{code}"),
        {"code": "10"},
        "power, levels, clocks and links of these GPUs cannot be set",
    ),
    "setting_ignored": (each(setting__ignored="1"), {}, "GPUs answer success to what is set, and keep what they have"),
    "power_floor": (each(power__min_uw="{microwatts}"), {"microwatts": "100000000"}, "boards take no cap below"),
    "status": (
        _status,
        {"call": "", "code": "43", "times": ""},
        "a call of the library answers a status, always or so many times",
    ),
    **boot_faults.FAULTS,
    **nics.FAULTS,
    **holders.FAULTS,
    **partition_faults.FAULTS,
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


def inject(state: State, name: str, given: Arguments) -> tuple[list[Gpu], Arguments]:
    """Break something; returns the GPUs and all arguments.

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
    return chosen, arguments


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
        if not value and (not key.startswith("gpu") or ".cper." in key):
            del state[key]
    for path in filter(None, state.get(f"fault.{name}.moved", "").split(":")):
        if os.path.exists(path + HIDDEN):
            os.rename(path + HIDDEN, path)
    for pid in filter(None, state.get(f"fault.{name}.made", "").split(":")):
        holders.end(int(pid))
    drop(state, f"saved.{name}.")
    drop(state, f"fault.{name}.")
