# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Power on, and off and on again: the next kernel, a new boot, the driver by its alias."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
import uuid
from pathlib import Path

from . import boot_faults, driver, faults, grub, kernellog
from .errors import SimError
from .state import State, Store
from .sync import sync

RUN = Path("/run/instinct-sim")


def boot(store: Store, run: Path = RUN) -> None:
    """Start the machine: what ran before is over.

    Raises:
        SimError: GRUB finds no kernel that it could start, or the one that it starts does not come up.
    """
    with store.change() as state:
        entry = _come_up(state)
        for name in {"busy", "client"} & set(faults.active(state)):
            faults.heal(state, name)
        driver.power_off(state)
        state["node.kernel"] = entry.release
        state["node.cmdline"] = f"BOOT_IMAGE={entry.image} {entry.arguments}".rstrip()
        state["node.boot_id"] = str(uuid.uuid4())
        state["node.booted"] = f"{time.time():.3f}"
        _tell(
            run, {"osrelease": state["node.kernel"], "cmdline": state["node.cmdline"], "boot_id": state["node.boot_id"]}
        )
    time.sleep(boot_faults.delay(store.read()))
    kernellog.begin(store)
    sync(store)
    try:
        driver.load(store, by_alias=True, power_on=True)
    except SimError as error:  # udev's modprobe is quiet, too
        kernellog.add(store, str(error))


def _come_up(state: State) -> grub.Entry:
    """The menu entry whose kernel comes up: one that panics starts the machine anew if it was told to.

    Raises:
        SimError: none does.
    """
    folder = Path(driver.root(state)) / "boot"
    entry = grub.choose(folder)
    if boot_faults.panics(state, entry):
        entry = grub.choose(folder)
        if boot_faults.panics(state, entry):
            raise SimError(f"kernel {entry.release} panics again and again: the node does not start")
    boot_faults.refuse_hanging(state, entry)
    return entry


def _tell(run: Path, texts: dict[str, str]) -> None:
    """Write what /proc says, into the same files: they are mounted there."""
    run.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        with open(run / name, "w", encoding="utf-8") as file:
            file.write(f"{text}\n")


def reboot(store: Store) -> None:
    """Stop every service, start the machine anew, and start the services again. Runs as a unit that survives that.

    Raises:
        SimError: it does not start. It answers nobody then, until somebody restarts it.
    """
    subprocess.run(["systemctl", "isolate", "instinct-sim-off.target"], check=False)
    _end_sessions()
    for path in Path("/run").glob("reboot-required*"):
        path.unlink()
    boot(store)
    subprocess.run(["systemctl", "isolate", "default.target"], check=False)


def _end_sessions() -> None:
    """End what a real reboot would: sessions, and what services left behind."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            groups = (folder / "cgroup").read_text(encoding="utf-8")
        except OSError:
            continue
        if any(word in groups for word in ("ssh.service", "ssh@", "/session-", "user.slice")):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(folder.name), 9)
