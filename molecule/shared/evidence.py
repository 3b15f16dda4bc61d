# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What nodes and their scheduler show of an upgrade, read from them by ssh and not from the collection's own word."""

from __future__ import annotations

import concurrent.futures
import datetime
import json
import os
import re
import subprocess
import time
import typing as t
from pathlib import Path

import yaml

SIMFLEET = Path(os.environ["MOLECULE_PROJECT_DIRECTORY"]) / "tests/simulator/fleet/simfleet"
OURS = "instinct.fleet: upgrade"
VOLATILE = {"CPULoad", "FreeMem", "SlurmdStartTime", "LastBusyTime", "BootTime", "OS"}
# What a node is, without times: files that say what is wanted, what is installed and held, what runs and what boots.
SEEN = r"""
import glob, hashlib, json, os, subprocess
def text(path):
    try:
        with open(path) as file: return file.read()
    except OSError: return None
def run(*words): return subprocess.run(words, capture_output=True, text=True).stdout
def plain(path): return json.loads(text(path) or "null")
def digest(path): return hashlib.sha256(text(path).encode()).hexdigest()[:12]
def files():
    for place in ("apt/sources.list.d", "apt/preferences.d", "apt/apt.conf.d", "default/grub.d", "ld.so.conf.d",
                  "profile.d", "ansible/facts.d", "modprobe.d"):
        yield from filter(os.path.isfile, glob.glob(f"/etc/{place}/*"))
kept = "/var/lib/instinct/"
print(json.dumps({
    "note": plain(kept + "upgrade.json"), "health": plain(kept + "health.json"),
    "boot": text("/proc/sys/kernel/random/boot_id"),
    "is": {"files": {path: digest(path) for path in files()}, "record": plain(kept + "release.json"),
           "kernel": os.uname().release, "grub": run("grub-editenv", "/boot/grub/grubenv", "list"),
           "driver": text("/sys/module/amdgpu/initstate"), "rocm": os.path.realpath("/opt/rocm"),
           "packages": run("dpkg-query", "--show", "--showformat=${db:Status-Abbrev} ${Package} ${Version}\n")}}))
"""


class Fleet:
    """Nodes by name, and the one that runs the controller of Slurm."""

    def __init__(self, control: str) -> None:
        told = yaml.safe_load(Path(os.environ["MOLECULE_INSTANCE_CONFIG"]).read_text(encoding="utf-8"))
        self._reached = {one["instance"]: one for one in told}
        self.control = control
        self.names = [name for name in self._reached if name != control]
        self.began = time.time()

    def ssh(self, name: str, command: str, text: str = "") -> str:
        """What a command says on a node, which must succeed."""
        how = self._reached[name]
        options = ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR"]
        done = subprocess.run(["ssh", *options, "-i", how["identity_file"], f"root@{how['address']}", command],
                              input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{name}: {command}: {done.stderr}"
        return done.stdout

    def inside(self, name: str, command: str) -> bool:
        """Run a command on a node that may not be reached; returns whether it went well."""
        words = [str(SIMFLEET), "exec", name, "--", "sh", "-c", command]
        return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0

    def cut_off(self, name: str) -> None:
        """Nobody reaches the node any more, and what was connected is not."""
        stop = "systemctl mask --now --runtime ssh.service ssh.socket"
        assert self.inside(name, f"{stop}; pkill -x sshd; ! pgrep -x sshd")

    def reach_again(self, name: str) -> None:
        """The node is reached as before."""
        assert self.inside(name, "systemctl unmask --runtime ssh.service ssh.socket && systemctl start ssh.service")

    def each(self, names: t.Iterable[str], command: str, text: str = "") -> dict[str, str]:
        """The same on several nodes, side by side."""
        asked = list(names)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            return dict(zip(asked, pool.map(lambda name: self.ssh(name, command, text), asked), strict=True))

    def seen(self, names: t.Iterable[str]) -> dict[str, dict[str, t.Any]]:
        """What nodes show: note, health, journal, boot, and what they are."""
        return {name: json.loads(said) for name, said in self.each(names, "python3 -", SEEN).items()}

    def slurm(self) -> dict[str, dict[str, str]]:
        """What Slurm says of each node: all that does not change by itself."""
        found = {}
        for line in self.ssh(self.control, "scontrol --oneliner show nodes").splitlines():
            words, _mark, reason = line.partition(" Reason=")
            told = [word.partition("=") for word in words.split()]
            node = {key: value for key, equals, value in told if equals and key not in VOLATILE}
            found[node["NodeName"]] = {**node, "Reason": re.sub(r" \[root@.*\]$", "", reason)}
        return {name: found[name] for name in self.names}

    def drains(self) -> list[tuple[float, str, bool]]:
        """When Slurm let a node go out of work (true) or come back (false), in their order, since the tests began."""
        found = []
        pattern = re.compile(r"\[(\S+)\] update_node: node (\S+) state set to (\S+)")
        for when, node, state in pattern.findall(self.ssh(self.control, "cat /var/log/slurm/slurmctld.log")):
            at = datetime.datetime.fromisoformat(when).replace(tzinfo=datetime.UTC).timestamp()
            found.append((at, node, state.startswith("DRAIN")))
        return [one for one in found if one[0] >= self.began]

    def digests(self) -> dict[str, str]:
        """Of all files of each node, with mode, owner, size and time of the last change; of folders without times."""
        leave = " ".join(f"-path {path} -prune -o" for path in ("/tmp", "/run", "/var/log", "/proc", "/sys", "/dev"))
        file, folder = r"%p %y %s %T@ %m %U %G %l\n", r"%p %y %m %U %G\n"
        command = f"find / -xdev {leave} -type d -printf '{folder}' -o -printf '{file}' | LC_ALL=C sort | sha256sum"
        return self.each(self.names, command)


def out_since(drains: t.Iterable[tuple[float, str, bool]]) -> dict[str, float]:
    """When each node was last taken out of work; a reason that is told again takes nobody out."""
    out: set[str] = set()
    found = {}
    for at, node, drained in drains:
        if drained and node not in out:
            found[node] = at
        (out.add if drained else out.discard)(node)
    return found


def works(state: t.Mapping[str, str]) -> bool:
    """Whether Slurm gives the node jobs."""
    return "DRAIN" not in state["State"] and "DOWN" not in state["State"]


def gated(seen: t.Mapping[str, t.Any], since: float) -> bool:
    """Whether the node's own last verdict lets it work, and is newer than that."""
    last = ((seen["health"] or {}).get("profiles") or {}).get("admission")
    if last is None or last["verdict"] not in ("pass", "warn"):
        return False
    return datetime.datetime.fromisoformat(last["when"]).timestamp() >= int(since)  # whole seconds


def most_out_of_work(drains: t.Iterable[tuple[float, str, bool]], since: float, left: t.Container[str] = ()) -> int:
    """How many nodes were out of work at a time, without those that were left so."""
    out: set[str] = set()
    most = 0
    for at, node, drained in drains:
        (out.add if drained else out.discard)(node)
        most = max(most, len(out - set(left))) if at > since else most  # type: ignore[arg-type]
    return most
