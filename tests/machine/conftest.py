# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual machines for tests, and the collection's playbooks run on them.

Every story begins with the disk and the memory of one machine that site.yml has brought to the first release, so it
costs no boot. A story that goes wrong leaves its console and the output of every playbook in the folder of its test.
"""

from __future__ import annotations

import dataclasses as dc
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import time
import typing as t
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "tests" / "simulator" / folder) for folder in ("fleet", "machine")]

from simmachine import image, machines, recipe  # noqa: E402

FIRST = "rocm-7.0.2"
PRODUCT, GPUS = "mi300x", 2
# Two workers share this list, half each: the first settles the machine that all but the products begin with.
ORDER = ("test_rollback", "test_boot", "test_products", "test_reservation", "test_upgrade", "test_power")
LONGEST = 1500  # seconds for one playbook on an emulated processor of a busy machine


@dc.dataclass(frozen=True)
class Played:
    """How a playbook ended."""

    status: int
    text: str


@dc.dataclass(frozen=True)
class Lab:
    """One machine, and the way to it."""

    machine: machines.Machine
    kernels: recipe.Kernels
    folder: Path

    def begin(self, playbook: str, *arguments: str, **variables: t.Any) -> subprocess.Popen[str]:
        """Start a playbook on the machine."""
        name = self.machine.name
        hosts = self.folder / "hosts.yml"
        subprocess.run([ROOT / "tests/simulator/machine/simvm", "inventory", name, "-o", hosts], check=True)
        variables = {"gpu_release_catalogue_dirs": [str(HERE / "site" / "catalogue")], **variables}
        command = ["ansible-playbook", f"instinct.fleet.{playbook}", "-i", HERE / "site" / "groups.yml", "-i", hosts,
                   "-e", json.dumps(variables), *arguments]
        settings = {"ANSIBLE_GATHERING": "explicit", "ANSIBLE_PIPELINING": "true", "ANSIBLE_HOST_KEY_CHECKING": "false",
                    "ANSIBLE_SSH_CONTROL_PATH_DIR": str(self.folder / "ssh"), "ANSIBLE_SSH_TIMEOUT": "30",
                    # Without -C: to unpack is dear on an emulated processor.
                    "ANSIBLE_SSH_ARGS": "-o ControlMaster=auto -o ControlPersist=120s"}
        with open(self.folder / f"{time.time():.0f}-{playbook}.log", "w", encoding="utf-8") as log:
            return subprocess.Popen(command, env={**os.environ, **settings}, stdout=log, stderr=log, text=True,
                                    start_new_session=True)

    def end(self, running: subprocess.Popen[str]) -> Played:
        """Wait for it."""
        status = running.wait(timeout=LONGEST)
        log = max(self.folder.glob("*.log"), key=lambda path: path.stat().st_mtime_ns)
        return Played(status, log.read_text(encoding="utf-8"))

    def play(self, playbook: str, *arguments: str, **variables: t.Any) -> Played:
        """Run a playbook on the machine."""
        return self.end(self.begin(playbook, *arguments, **variables))

    def run(self, *words: str, status: int | None = 0) -> str:
        """What a command in the machine prints; it must end as it should, where that is said."""
        done = machines.ssh(self.machine, *words)
        assert status in (None, done.returncode), f"{words}: {done.stdout}{done.stderr}"
        return done.stdout.strip()

    def state(self) -> dict[str, t.Any]:
        """What a kernel, GRUB and the packages say. Read by one command, for each costs a second."""
        text = machines.ssh(self.machine, "python3", "-", input=LOOK).stdout
        (self.folder / f"{time.time():.0f}-state.json").write_text(text, encoding="utf-8")
        found: dict[str, t.Any] = json.loads(text)
        return found

    def digest(self) -> str:
        """Of all that an upgrade may change."""
        return machines.ssh(self.machine, "python3", "-", input=DIGEST).stdout.strip()

    def until(self, condition: t.Callable[[], bool], running: subprocess.Popen[str]) -> None:
        """Wait for a moment in a playbook's run."""
        end = time.monotonic() + LONGEST
        while not condition():
            assert running.poll() is None, "the playbook has ended before that moment"
            assert time.monotonic() < end, "that moment did not come"
            time.sleep(0.2)

    def until_inside(self, command: str, running: subprocess.Popen[str]) -> None:
        """Wait until a command in the machine succeeds. It asks itself: from outside a question takes seconds."""
        asking = subprocess.Popen([*machines.ssh_command(self.machine), f"until {command}; do sleep 1; done"])
        try:
            self.until(lambda: asking.poll() is not None, running)
            assert asking.returncode == 0, "the machine does not answer"
        finally:
            asking.kill()
            asking.wait()

    def blackout(self, running: subprocess.Popen[str]) -> None:
        """The power goes, of the machine and of the one that the playbook runs on; then the machine's comes back."""
        machines.cut(self.machine)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        machines.start(self.machine)
        machines.wait(self.machine)

    def console(self) -> str:
        """All that it has said on its serial line."""
        return self.machine.console.read_text(encoding="utf-8", errors="replace")


LOOK = r"""
import glob, json, os, pathlib, subprocess
def text(path):
    try:
        return pathlib.Path(path).read_text().strip()
    except OSError:
        return ""
def run(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout.strip()
kernel = os.uname().release
env = dict(line.split("=", 1) for line in run("grub-editenv", "list").splitlines() if "=" in line)
note = text("/var/lib/instinct/upgrade.json")
print(json.dumps({
    "kernel": kernel, "boot_id": text("/proc/sys/kernel/random/boot_id"),
    "version": text("/sys/module/amdgpu/version"), "loaded": text("/sys/module/amdgpu/srcversion"),
    "on_disk": run("modinfo", "-k", kernel, "-F", "srcversion", "amdgpu"),
    "bound": len(glob.glob("/sys/bus/pci/drivers/amdgpu/0000:*")), "render": len(glob.glob("/dev/dri/renderD*")),
    "saved": env.get("saved_entry", ""), "next": env.get("next_entry", ""),
    "packages": run("dpkg-query", "-W", "-f", "${Package} ${Version} ${db:Status-Status} ${db:Status-Want}\n",
                    "amdgpu*", "linux-image-*", "linux-headers-*").splitlines(),
    "unfinished": run("dpkg", "--audit"), "note": json.loads(note) if note else {},
}))
"""

DIGEST = r"""
import glob, hashlib, pathlib
total = hashlib.sha256(pathlib.Path("/var/lib/dpkg/status").read_bytes())
for folder in ["/etc", "/boot", "/lib/modules", "/var/lib/dkms", *sorted(glob.glob("/usr/src/amdgpu-*"))]:
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file() and not path.is_symlink():
            total.update(str(path).encode() + path.read_bytes())
print(total.hexdigest())
"""


def settle(folder: Path) -> str:
    """The name of a machine that sleeps at the first release; made once, whoever needs it first."""
    name = "machine-settled"
    image.build()
    with open(folder / "settled.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (folder / "settled").exists():
            return name
        if name in machines.every():
            machines.remove(machines.one(name))
        made = machines.create(name, PRODUCT, GPUS, machines.MEMORY, "", lambda text: None)
        machines.start(made)
        machines.wait(made)
        played = Lab(made, image.build().names, folder).play("site", gpu_release_name=FIRST)
        assert played.status == 0, played.text
        machines.sleep(made)
        (folder / "settled").touch()
    return name


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Bring the stories into their order."""
    items.sort(key=lambda item: ORDER.index(item.path.stem))


@pytest.fixture(scope="session")
def settled(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> str:
    """See settle()."""
    base = tmp_path_factory.getbasetemp()
    return settle(base if worker_id == "master" else base.parent)


@pytest.fixture
def new_lab(tmp_path: Path, request: pytest.FixtureRequest) -> t.Iterator[t.Callable[..., Lab]]:
    """Makes a machine of one's own and starts it; gone when the test ends."""
    name = "machine-" + re.sub(r"[^a-z0-9]+", "-", request.node.name.removeprefix("test_")).strip("-")
    names = image.build().names

    def make(product: str, gpus: int, base: str = "") -> Lab:
        if name in machines.every():
            machines.remove(machines.one(name))
        made = machines.create(name, product, gpus, machines.MEMORY, base, lambda text: None)
        machines.start(made)
        machines.wait(made)
        return Lab(made, names, tmp_path)

    yield make
    if name in machines.every():
        made = machines.one(name)
        (tmp_path / "console.log").write_bytes(made.console.read_bytes())
        machines.remove(made)


@pytest.fixture
def lab(settled: str, new_lab: t.Callable[..., Lab]) -> Lab:
    """A machine that is on and at the first release."""
    return new_lab(PRODUCT, GPUS, settled)
