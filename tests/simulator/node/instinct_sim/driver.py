# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Loading and unloading the simulated driver, with the real module file, configuration and firmware of the node."""

from __future__ import annotations

import subprocess
import time

from . import kernellog, kmod, tree
from .errors import SimError
from .machine import Gpu, gpus, loaded, users
from .product import SETTABLE
from .state import State, Store, drop, under
from .sync import sync

NAME = "amdgpu"
PROBE_ERRORS = {"probe_enomem": -12, "probe_psp": -22, "psp_failed": -22}  # errno of the kernel's words
NO_FIRMWARE = -2


def root(state: State) -> str:
    """Folder under which /lib/modules and /lib/firmware of the node lie."""
    return state.get("node.root", "/")


def load(
    store: Store, by_alias: bool = False, parameters: dict[str, str] | None = None, power_on: bool = False
) -> None:
    """Load the driver. Nothing happens when it is loaded; by alias, a blacklisted driver is not loaded either.

    Some faults lose GPUs when the driver is loaded again, not when the machine has just been powered on.

    Raises:
        SimError: there is no module file for the running kernel, or it is for another kernel.
    """
    _wait(store.read())
    with store.change() as state:
        if loaded(state):
            return
        if not power_on:
            _lose(state)
        kernel = state["node.kernel"]
        config = kmod.config(NAME, state.get("node.cmdline", ""), state.get("node.modprobe_d", ""))
        if by_alias and config.blacklisted:
            return
        if config.install and parameters is None:
            subprocess.run(["/bin/sh", "-c", config.install], check=False)
            return
        module = kmod.module(NAME, kernel, root(state))
        if by_alias and not any(module.drives(tree.modalias(gpu)) for gpu in gpus(state)):
            return
        if module.vermagic.split(" ")[0] != kernel:
            raise SimError(f"modprobe: ERROR: could not insert '{NAME}': Exec format error")
        drop(state, "driver.")
        state.update(
            {
                "driver.state": "loaded",
                "driver.version": module.version,
                "driver.srcversion": module.srcversion,
                "driver.path": module.path,
                "driver.kernel": kernel,
            }
        )
        state.update(
            {f"driver.parameter.{key}": value for key, value in {**config.options, **(parameters or {})}.items()}
        )
        kernellog.add(store, *kernellog.loading(module.version))
        for gpu in gpus(state):
            _probe(store, state, gpu, module)
        _changed(state)
    sync(store)


def _probe(store: Store, state: State, gpu: Gpu, module: kmod.Module) -> None:
    """Bind one GPU, or say why not. A driver that drives no GPU is loaded all the same."""
    if not module.drives(tree.modalias(gpu)):
        return
    error, why = (-19 if gpu["lost"] == "1" else 0), ""
    for fault, number in PROBE_ERRORS.items():
        if str(gpu.index) in state.get(f"fault.{fault}.gpus", "").split(","):
            error, why = number, fault
    kernellog.add(store, *kernellog.probing(gpu))
    firmware = gpu["firmware_file"]
    if not error and firmware in module.firmware and not kmod.has_firmware(firmware, state["node.kernel"], root(state)):
        kernellog.add(store, f"amdgpu {gpu.bdf}: Direct firmware load for {firmware} failed with error {NO_FIRMWARE}")
        error = NO_FIRMWARE
    state[f"gpu{gpu.index}.bound"] = str(int(error == 0))
    if error:
        kernellog.add(
            store,
            *kernellog.of_probe(why, gpu),
            f"amdgpu {gpu.bdf}: amdgpu: Fatal error during GPU init",
            f"amdgpu: probe of {gpu.bdf} failed with error {error}",
        )
        return
    if gpu.modes:
        state[f"gpu{gpu.index}.compute"] = gpu[f"auto.{gpu['memory']}"]
    kernellog.add(store, *kernellog.driven(gpu))


def _wait(state: State) -> None:
    """Take the time that loading takes."""
    if not loaded(state):
        time.sleep(int(state.get("node.load_delay_ms", "0")) / 1000)


def _lose(state: State) -> None:
    """GPUs that do not come back from a reload."""
    for gpu in gpus(state):
        if gpu.data.get("reload.lost") == "1":
            state[f"gpu{gpu.index}.lost"] = "1"


def unload(store: Store) -> None:
    """Unload the driver, which applies a requested memory partition mode to the whole hive.

    Raises:
        SimError: something uses it.
    """
    with store.change() as state:
        if not loaded(state):
            return
        if users(state):
            raise SimError(f"modprobe: FATAL: Module {NAME} is in use.")
        _unload(state)
    sync(store)


def reload(store: Store) -> None:
    """Unload and load. Where no kernel runs, the driver that was told to be loaded stays so.

    Raises:
        SimError: it cannot be unloaded, or not be loaded.
    """
    before = store.read()
    unload(store)
    if before.get("node.kernel"):
        load(store)
        return
    time.sleep(int(before.get("node.load_delay_ms", "0")) / 1000)
    with store.change() as state:
        state.update({key: value for key, value in before.items() if key.startswith("driver.")})
        _lose(state)
        for gpu in gpus(state):
            state[f"gpu{gpu.index}.bound"] = str(int(before[f"gpu{gpu.index}.bound"] == "1" and gpu["lost"] == "0"))
            if gpu.modes:
                state[f"gpu{gpu.index}.compute"] = gpu[f"auto.{gpu['memory']}"]
    sync(store)


def _unload(state: State) -> None:
    """The change of the state alone."""
    wanted = state.pop("hive.requested_memory", "")
    drop(state, "driver.")
    state["driver.state"] = "unloaded"
    for gpu in gpus(state):
        ignored = "memory" in gpu.data.get("set.ignored", "").split(",")
        if wanted and wanted in gpu["memory_modes"].split(",") and gpu.bound and not ignored:
            state[f"gpu{gpu.index}.memory"] = wanted
        state[f"gpu{gpu.index}.bound"] = "0"
        state.pop(f"gpu{gpu.index}.kfd_order", None)
        state[f"gpu{gpu.index}.power.cap_uw"] = gpu["power.default_uw"]
        state.update({f"gpu{gpu.index}.{key}": value for key, value in SETTABLE.items()})
    _changed(state)


def _changed(state: State) -> None:
    """KFD counts the changes of its topology."""
    state["kfd.generation"] = str(int(state["kfd.generation"]) + 1)


def power_off(state: State) -> None:
    """What is gone with the power: driver, processes, counters that no memory keeps. Lost GPUs are back."""
    _unload(state)
    drop(state, "proc.")
    drop(state, "client.")
    away = state.get("fault.gpu_lost.gpus", "").split(",")
    for gpu in gpus(state):
        if str(gpu.index) not in away:
            state[f"gpu{gpu.index}.lost"] = "0"
        if not any(key.startswith("ecc_") for key in under(state, "fault.")):
            state.update({f"gpu{gpu.index}.{key}": "0" for key in gpu.data if key.startswith("ecc.")})
