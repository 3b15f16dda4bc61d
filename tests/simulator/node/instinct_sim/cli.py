# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command instinct-sim, and names under which it stands in: modprobe, rmmod, shutdown, reboot, amd-ctk."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import typing as t

from . import ctk, driver, faults, guard, holders, kernellog, kmod, power, product
from .errors import SimError
from .machine import loaded, to_dict
from .state import Store
from .sync import sync

UNIT = "instinct-sim-reboot.service"
TAKES_VALUE = {"-S", "--set-version", "-d", "--dirname", "-C", "--config"}


def main(arguments: list[str] | None = None) -> int:
    """Run the command by the name it was called with; returns its status."""
    name = os.path.basename(sys.argv[0])
    words = sys.argv[1:] if arguments is None else arguments
    try:
        if name in ("modprobe", "rmmod"):
            return modprobe(name, words)
        if name in ("shutdown", "reboot"):
            return stand_in_for_reboot(name, words)
        if name == ctk.PLACE.name:
            return ctk.main(words)
        return run(words)
    except SimError as error:
        print(error if str(error).startswith(("modprobe:", "rmmod:")) else f"instinct-sim: {error}", file=sys.stderr)
        return 1


def parser() -> argparse.ArgumentParser:
    """All commands."""
    top = argparse.ArgumentParser(prog="instinct-sim", description="A simulated node with AMD Instinct GPUs.")
    top.add_argument("--state", help="state file; default: $INSTINCT_SIM_STATE, else /var/lib/instinct-sim/state")
    commands = top.add_subparsers(dest="command", required=True)
    made = commands.add_parser("create", help="make a new node: nothing is left of the old one")
    made.add_argument("--product", required=True, help=", ".join(product.names()))
    made.add_argument("--gpus", type=int)
    made.add_argument("--sysfs", default="", help="folder that plays /sys; default: none")
    made.add_argument("--dev", default="", help="folder that plays /dev; default: none")
    made.add_argument(
        "--loaded", metavar="VERSION", help="as if a driver of this version were loaded: for tests of the library alone"
    )
    commands.add_parser(
        "boot", help="power on: makes the node on its first start, from /etc/instinct-sim.conf or the environment"
    )
    reboot = commands.add_parser("reboot", help="power off and on")
    reboot.add_argument("--now", action="store_true", help="here and now, not by the unit")
    commands.add_parser("sysfs", help="bring /sys and /dev in step with the state")
    commands.add_parser("reload", help="unload the driver and load it again")
    shown = commands.add_parser("show", help="the node")
    shown.add_argument("--json", action="store_true")
    broken = commands.add_parser("fault", help="break something: " + ", ".join(faults.FAULTS))
    broken.add_argument("name")
    broken.add_argument("arguments", nargs="*", metavar="key=value", help="gpu=0|0,3|<address>|all and the fault's own")
    healed = commands.add_parser("heal", help="mend one fault, or all")
    healed.add_argument("names", nargs="*")
    commands.add_parser("faults", help="all faults and their arguments")
    commands.add_parser("install-ctk", help=f"a stand-in for amd-ctk of the container toolkit, as {ctk.PLACE}")
    probed = commands.add_parser("modprobe", help="as modprobe does")
    probed.add_argument("words", nargs=argparse.REMAINDER)
    return top


def run(words: list[str]) -> int:
    """One command."""
    options = parser().parse_args(words)
    store = Store(options.state)
    if store.exists() and options.command not in ("create", "show", "faults"):
        guard.check(store.read())
    handlers: dict[str, t.Callable[[Store, argparse.Namespace], int | None]] = {
        "create": create,
        "boot": boot,
        "reboot": reboot,
        "sysfs": lambda store, _: sync(store),
        "reload": lambda store, _: driver.reload(store),
        "show": show,
        "fault": fault,
        "heal": heal,
        "faults": list_faults,
        "install-ctk": lambda _store, _: ctk.install(os.path.realpath(sys.argv[0])),
        "modprobe": lambda store, options: modprobe("modprobe", options.words, store),
    }
    return handlers[options.command](store, options) or 0


def create(store: Store, options: argparse.Namespace) -> None:
    """Make a node's state."""
    state = product.new_state(options.product, options.gpus)
    state.update({"node.sysfs": options.sysfs, "node.dev": options.dev, "node.command": command()})
    if options.loaded:
        state.update(
            {
                "driver.state": "loaded",
                "driver.version": options.loaded,
                "driver.srcversion": "51A0000000000000000000A",
                "driver.path": "",
                **{f"gpu{gpu}.bound": "1" for gpu in range(int(state["node.gpus"]))},
            }
        )
    guard.check(state)
    store.create(state)
    sync(store)


def command() -> str:
    """How the library calls us."""
    return os.path.realpath(sys.argv[0]) if os.path.basename(sys.argv[0]) == "instinct-sim" else ""


def boot(store: Store, options: argparse.Namespace) -> None:
    """Power on, making the node when there is none yet.

    Raises:
        SimError: nothing says which product.
    """
    if not store.exists():
        if not guard.marked():
            raise SimError(f"this machine is not a simulated one ({guard.MARKER} is missing)")
        told = configured()
        state = product.new_state(told["product"], int(told["gpus"]) if told.get("gpus") else None)
        store.create({**state, "node.sysfs": "/sys", "node.dev": "/dev", "node.command": "/usr/sbin/instinct-sim"})
    power.boot(store)


def configured() -> dict[str, str]:
    """Product and number of GPUs, from the environment, else from /etc/instinct-sim.conf.

    Raises:
        SimError: neither says it.
    """
    told = {}
    if os.path.exists("/etc/instinct-sim.conf"):
        with open("/etc/instinct-sim.conf", encoding="utf-8") as file:
            told = dict(line.strip().split("=", 1) for line in file if "=" in line and not line.startswith("#"))
    told.update(
        {
            key: os.environ[name]
            for key, name in (("product", "INSTINCT_SIM_PRODUCT"), ("gpus", "INSTINCT_SIM_GPUS"))
            if os.environ.get(name)
        }
    )
    if "product" not in told:
        raise SimError("no product: say product=mi300x in /etc/instinct-sim.conf or set INSTINCT_SIM_PRODUCT")
    return told


def reboot(store: Store, options: argparse.Namespace) -> int:
    """Power off and on: by the unit, or in place."""
    if options.now:
        power.reboot(store)
        return 0
    return subprocess.run(["systemctl", "start", "--no-block", UNIT], check=False).returncode


def show(store: Store, options: argparse.Namespace) -> None:
    """The node, for people or programs."""
    node = to_dict(store.read())
    if options.json:
        print(json.dumps(node, indent=2))
        return
    loaded_driver = node["driver"]
    said = (
        f"{loaded_driver['version'] or 'in-tree'} from {loaded_driver['path']}"
        if loaded_driver["loaded"]
        else "not loaded"
    )
    print(f"{len(node['gpus'])} x {node['product']}, kernel {node['kernel']}, amdgpu {said} (simulated)")
    for gpu in node["gpus"]:
        mode = f"{gpu['compute']}/{gpu['memory']} {gpu['partitions']} partition(s)" if gpu["compute"] else "no modes"
        words = ["driven" if gpu["bound"] else "no driver", mode, *(["lost"] if gpu["lost"] else [])]
        print(f"  GPU {gpu['index']} {gpu['bdf']} {gpu['device_id']} {', '.join(words)}")
    if node["requested_memory_partition"]:
        print(f"  {node['requested_memory_partition']} is requested: it comes with the next load of the driver")
    for process in node["processes"]:
        print(f"  process {process['pid']} {process['name']} on GPU {', '.join(map(str, process['gpus']))}")
    for process in node["clients"]:
        print(f"  client {process['pid']} {process['name']} on GPU {', '.join(map(str, process['gpus']))}")
    for name in faults.active(store.read()):
        print(f"  fault {name} on GPU {node['faults'][f'{name}.gpus']}")


def fault(store: Store, options: argparse.Namespace) -> None:
    """Break something."""
    with store.change() as state:
        chosen, arguments = faults.inject(state, options.name, kmod.pairs(options.arguments))
    kernellog.add(store, *kernellog.of_fault(options.name, chosen, arguments))
    sync(store)
    if options.name in ("busy", "client"):
        holders.watch(store, arguments.get("made") or arguments["pid"])


def heal(store: Store, options: argparse.Namespace) -> None:
    """Mend what is named, or everything."""
    with store.change() as state:
        for name in options.names or faults.active(state):
            faults.heal(state, name)
    sync(store)


def list_faults(store: Store, options: argparse.Namespace) -> None:
    """Every fault with its arguments and what it does."""
    for name, (_setter, defaults, words) in faults.FAULTS.items():
        print(f"{name:18}{words}" + "".join(f" {key}={value}" for key, value in defaults.items()))


def modprobe(name: str, words: list[str], store: Store | None = None) -> int:
    """modprobe and rmmod: amdgpu is simulated, every other module is the real kmod's business.

    Raises:
        SimError: modprobe's own words, when amdgpu cannot be loaded or unloaded.
    """
    store = store or Store()
    flags, names = split(words)
    if driver.NAME not in names[:1] and not (flags & {"-a", "--all"} and driver.NAME in names):
        return real(name, words, names)
    if flags & {"-n", "--dry-run", "--show", "-D", "--show-depends", "-R", "--resolve-alias"} or not store.exists():
        return real(name, words, names)
    guard.check(store.read())
    if name == "rmmod" or flags & {"-r", "--remove"}:
        if name == "rmmod" and not loaded(store.read()):
            raise SimError(f"rmmod: ERROR: Module {driver.NAME} is not currently loaded")
        driver.unload(store)
        return 0
    parameters = kmod.pairs(names[1:])
    driver.load(
        store,
        by_alias=bool(flags & {"-b", "--use-blacklist"}),
        parameters=parameters if parameters or flags & {"-i", "--ignore-install"} else None,
    )
    return 0


def split(words: list[str]) -> tuple[set[str], list[str]]:
    """Options, one letter each, and the other words."""
    flags: set[str] = set()
    names: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in TAKES_VALUE:
            next(rest, None)
        elif word.startswith("--"):
            flags.add(word.partition("=")[0])
        elif word.startswith("-") and len(word) > 1:
            flags.update(f"-{letter}" for letter in word[1:])
        else:
            names.append(word)
    return flags, names


def real(name: str, words: list[str], names: list[str]) -> int:
    """The real kmod. That a container may load no module is no failure of a module that there is."""
    done = subprocess.run([name, *words], executable=kmod.tool(), check=False, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0 and names and kmod.run("modinfo", "-n", names[0])[0] == 0:
        return 0
    sys.stderr.write(done.stderr)
    return done.returncode


def stand_in_for_reboot(name: str, words: list[str]) -> int:
    """shutdown -r and reboot restart the simulated machine, at once; everything else is systemctl's business."""
    flags, _names = split(words)
    if (name == "reboot" and not flags & {"-p", "--poweroff", "--halt", "-w", "--wtmp-only", "--help"}) or flags & {
        "-r",
        "--reboot",
    }:
        return subprocess.run(["systemctl", "start", "--no-block", UNIT], check=False).returncode
    return subprocess.run([name, *words], executable="/bin/systemctl", check=False).returncode
