# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual machines: a folder for each, with its overlay, its console and what it was made as."""

from __future__ import annotations

import dataclasses as dc
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import typing as t
from pathlib import Path

from simhost import nodes
from simhost.errors import SimError
from simhost.fleetfile import NAME
from simhost.paths import cache

from . import accel, disk, image, monitor, silicon

MEMORY = 1536  # MiB
PATIENCE = {"kvm": 180, "tcg": 600}  # seconds until a machine that does not come up is given up
ARCHIVES = "10.0.2.80"  # where a machine finds its archives
SERVE = Path(__file__).with_name("serve.py")


@dc.dataclass(frozen=True)
class Machine:
    """One machine.

    Attributes:
        port: of this host's loopback address, that leads to its sshd.
        base: the disk that its overlay is over.
        asleep: memory of the machine whose disk that is, if that one was put to sleep: this one begins awake.
    """

    name: str
    product: str
    gpus: int
    memory: int
    port: int
    base: str
    repository: str
    kernels: str
    asleep: str = ""

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return home() / self.name

    @property
    def disk(self) -> Path:
        """What it has written."""
        return self.folder / "disk.qcow2"

    @property
    def memory_file(self) -> Path:
        """What was in its memory when it was put to sleep."""
        return self.folder / "memory"

    @property
    def monitor(self) -> Path:
        """Socket of its QEMU."""
        return self.folder / "qmp"

    @property
    def away(self) -> Path:
        """While this file exists, its archives do not answer."""
        return self.folder / "archives-away"

    @property
    def console(self) -> Path:
        """What it has said on its serial line, over all boots."""
        return self.folder / "console.log"

    def pid(self) -> int:
        """Process of its QEMU; 0 while it is off."""
        try:
            pid = int((self.folder / "pid").read_text(encoding="ascii"))
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            return 0
        return pid if str(self.disk).encode() in words else 0


def home() -> Path:
    """Where machines lie: they are of this host, not of a checkout."""
    return cache() / "machines"


def every() -> dict[str, Machine]:
    """All machines there are, by name."""
    found = (json.loads(path.read_text(encoding="utf-8")) for path in home().glob("*/machine.json"))
    return {raw["name"]: Machine(**raw) for raw in sorted(found, key=lambda raw: str(raw["name"]))}


def one(name: str) -> Machine:
    """The machine of that name.

    Raises:
        SimError: there is none.
    """
    there = every()
    if name not in there:
        raise SimError(f"there is no machine {name!r}; there are {', '.join(there) or 'none'}")
    return there[name]


def free_port() -> int:
    """A port of the loopback address that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def create(name: str, product: str, gpus: int, memory: int, base: str, say: t.Callable[[str], None]) -> Machine:
    """Make a machine, off.

    Args:
        base: name of a machine that is off or asleep and whose disk it begins with; empty for the image.

    Raises:
        SimError: there is one of that name, or what it is to be made of is missing.
    """
    if not NAME.fullmatch(name):
        raise SimError(f"a machine's name must be like mi300x-a, not {name!r}")
    if name in every():
        raise SimError(f"machine {name} exists; remove it first: simvm rm {name}")
    silicon.parameters(product, gpus)  # refuses what there is none of, before anything is made
    found = image.build(say)
    start, asleep = found.disk, ""
    if base:
        start, kept = one(base).disk, one(base).memory_file
        asleep = str(kept) if kept.exists() else ""
    made = Machine(name, product, gpus, memory, free_port(), str(start), str(found.repository), str(found.kernels),
                   asleep)
    made.folder.mkdir(parents=True, exist_ok=True)
    disk.run("qemu-img", "create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", start, made.disk)
    (made.folder / "machine.json").write_text(json.dumps(dc.asdict(made), indent=2) + "\n", encoding="utf-8")
    return made


def arguments(machine: Machine, way: str) -> list[str]:
    """The command line of QEMU."""
    places = silicon.processors(machine.product)
    share = machine.memory // places
    key = nodes.key().with_suffix(".pub").read_text(encoding="utf-8").strip()
    told = {"name": machine.name, "key": key, "product": f"{machine.product} {machine.gpus}",
            "bus": silicon.parameters(machine.product, machine.gpus)}
    serve = f"{SERVE} {machine.repository} {machine.kernels} {machine.away}"
    net = ",".join([f"user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:{machine.port}-:22",
                    f"guestfwd=tcp:{ARCHIVES}:80-cmd:{serve}"])
    command = [
        accel.QEMU, "-name", machine.name, "-machine", "pc", *accel.WAYS[way], "-smp", "1", "-m", str(share * places),
        "-display", "none", "-nodefaults", "-no-user-config", "-daemonize", "-pidfile", str(machine.folder / "pid"),
        # writes that the guest has asked to be on the disk survive a power cut, others may not
        "-drive", f"file={machine.disk},format=qcow2,if=virtio,cache=writeback",
        "-netdev", net, "-device", "virtio-net-pci,netdev=net,romfile=", "-device", "virtio-rng-pci",
        "-chardev", f"file,id=console,append=on,path={machine.console}", "-serial", "chardev:console",
        "-qmp", f"unix:{machine.monitor},server=on,wait=off"]
    for node in range(places):
        command += ["-object", f"memory-backend-ram,id=m{node},size={share}M",
                    "-numa", f"node,memdev=m{node}" + (",cpus=0" if node == 0 else "")]
    for name, text in told.items():
        command += ["-fw_cfg", f"name=opt/instinct.fleet/{name},string={text.replace(',', ',,')}"]
    return command


def start(machine: Machine) -> None:
    """Power on; the first time, a machine that begins awake goes on where the other one was put to sleep.

    Raises:
        SimError: QEMU does not start.
    """
    if machine.pid():
        return
    command = arguments(machine, accel.chosen())
    woken = machine.folder / "woken"
    if not machine.asleep or woken.exists():
        disk.run(*command)
        return
    woken.touch()
    disk.run(*command, "-incoming", f"exec:cat {machine.asleep}")
    monitor.moved(machine.monitor)
    monitor.ask(machine.monitor, "cont")


def sleep(machine: Machine) -> None:
    """Keep what is in its memory, and take the power: machines that are made from it begin awake.

    Raises:
        SimError: the memory cannot be written.
    """
    pid = machine.pid()
    monitor.ask(machine.monitor, "stop", "migrate", uri=f"exec:cat > {machine.memory_file}")
    monitor.moved(machine.monitor)
    monitor.ask(machine.monitor, "quit")
    if pid and not _gone(machine, 30):
        cut(machine)


def ssh_command(machine: Machine) -> list[str]:
    """What leads into it; the words of a command follow."""
    return ["ssh", "-q", "-i", str(nodes.key()), "-p", str(machine.port), "-o", "StrictHostKeyChecking=no",
            "-o", "UserKnownHostsFile=/dev/null", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=30",
            "root@127.0.0.1"]


def ssh(machine: Machine, *words: str, **options: t.Any) -> subprocess.CompletedProcess[str]:
    """Run a command in it; the status is that of the command, 255 where it cannot be reached."""
    command = [*ssh_command(machine), *words]
    return subprocess.run(command, check=False, text=True, **{"capture_output": True, **options})


def wait(machine: Machine, seconds: int = 0) -> None:
    """Wait until it lets us in; its clock is ours from then on, also that of a machine that has slept.

    Raises:
        SimError: it does not in time, or has ended.
    """
    end = time.monotonic() + (seconds or PATIENCE[accel.chosen()])
    while ssh(machine, "date", "-s", f"@{time.time():.0f}").returncode != 0:
        if not machine.pid() or time.monotonic() > end:
            lines = machine.console.read_text(encoding="utf-8", errors="replace").splitlines()
            last = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", " / ".join(lines[-3:]))
            raise SimError(f"machine {machine.name} did not come up: {last} (console: {machine.console})")
        time.sleep(1)


def cut(machine: Machine) -> None:
    """Take the power away: nothing is told to it, and what it has not asked to be written may be gone."""
    pid = machine.pid()
    if pid:
        os.kill(pid, signal.SIGKILL)
        _gone(machine, 10)


def stop(machine: Machine) -> None:
    """Shut down in order; the power goes after two minutes."""
    if machine.pid():
        ssh(machine, "systemctl", "poweroff")
        if not _gone(machine, 120):
            cut(machine)


def prune(current: image.Image) -> list[str]:
    """Remove layers of the image that neither this checkout nor any machine uses; returns their names."""
    there = every().values()
    used = {str(current.disk), str(current.kernels), *(it.base for it in there), *(it.kernels for it in there)}
    keep = {Path(path).stem.partition("-")[2] for path in used if "kernels-" in path}
    gone = []
    for path in sorted(current.disk.parent.iterdir()):
        if str(path) in used or (path.name.startswith("tree-") and path.stem.partition("-")[2] in keep):
            continue
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        gone.append(str(path))
    return gone


def _gone(machine: Machine, seconds: int) -> bool:
    end = time.monotonic() + seconds
    while machine.pid() and time.monotonic() < end:
        time.sleep(0.2)
    return not machine.pid()


def remove(machine: Machine) -> None:
    """Take the power and the disk."""
    cut(machine)
    shutil.rmtree(machine.folder)
