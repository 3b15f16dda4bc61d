# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated nodes: podman containers that run systemd, know their GPUs, and are reached by ssh."""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses as dc
import json
import shutil
import socket
import subprocess
import time
import typing as t
from pathlib import Path

from . import debs, fleetfile, images, imitations, podman, repository
from .errors import SimError
from .fleetfile import Node
from .paths import LOCAL, SIMULATOR, cache, hand_over, lock

NETWORK = "instinct-sim"
COPIES = "localhost/instinct-sim-copy"
PATIENCE = 120  # seconds until a node that does not come up is given up; a busy machine takes its time
AT_ONCE = 4
WATCHES, WATCHES_ELSEWHERE = 8, 24  # inotify instances: of one node, and what else root may have
Say = t.Callable[[str], None]


@dc.dataclass(frozen=True)
class Seen:
    """A node as podman knows it. The address is empty while it does not run."""

    node: Node
    image: str
    running: bool
    address: str
    repository: Path


def each(action: t.Callable[[t.Any], t.Any], items: t.Iterable[t.Any]) -> list[t.Any]:
    """Do it for all items, some at a time. The first error is raised when all are done."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        futures = [pool.submit(action, item) for item in items]
    return [future.result() for future in futures]


def key() -> Path:
    """The private key for all nodes, made when it is not there."""
    path = LOCAL / "ssh" / "id_ed25519"
    with lock("ssh"):
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "instinct-sim", "-f", path],
                           check=True)
            hand_over(LOCAL)
    return path


def every() -> dict[str, Seen]:
    """All nodes there are, by name."""
    ids = podman.run("ps", "--all", "--quiet", "--filter", f"label={podman.LABEL}").stdout.split()
    if not ids:
        return {}
    return _inspected(*ids)


def _inspected(*names: str) -> dict[str, Seen]:
    found = {}
    # What went meanwhile is an error and is left out: others remove their nodes while we look.
    for raw in json.loads(podman.run("inspect", *names, check=False).stdout or "[]"):
        labels = raw["Config"]["Labels"]
        if "instinct.node" in labels:
            network = raw["NetworkSettings"]["Networks"].get(NETWORK) or {}
            node = Node.of(json.loads(labels["instinct.node"]))
            repo = Path(next(mount["Source"] for mount in raw["Mounts"] if mount["Destination"] == "/srv/repo"))
            address = network.get("IPAddress", "")
            found[node.name] = Seen(node, raw["ImageName"], raw["State"]["Running"], address, repo)
    return dict(sorted(found.items()))


def one(name: str) -> Seen:
    """The node of that name.

    Raises:
        SimError: there is none.
    """
    nodes = _inspected(name)  # it alone: who waits for one of many asks often
    if name not in nodes:
        raise SimError(f"there is no node {name!r}; there are {', '.join(every()) or 'none'}")
    return nodes[name]


def command(name: str, *arguments: str, check: bool = True, **options: t.Any) -> subprocess.CompletedProcess[str]:
    """Run a command in a node."""
    return podman.run("exec", name, *arguments, check=check, **options)


def networked() -> bool:
    """Whether the nodes' network is there."""
    return podman.run("network", "exists", NETWORK, check=False).returncode == 0


@contextlib.contextmanager
def network() -> t.Iterator[None]:
    """Have the nodes' network, and keep it: who removes the last node meanwhile would take it along."""
    while True:
        with lock("network", shared=True):
            if networked():
                yield
                return
        with lock("network"):
            if not networked():
                podman.run("network", "create", NETWORK)


def compiled() -> Path:
    """The folder of what the nodes' Python compiled of modules that Ansible sent: instinct_kept.py of their tree."""
    folder = cache() / "compiled"
    folder.mkdir(exist_ok=True)
    return folder


def start(node: Node, image: str, repo: Path) -> None:
    """Start a node's container.

    Raises:
        SimError: podman does not start it, twice.
    """
    arguments = [
        "run", "--detach", f"--name={node.name}", f"--hostname={node.name}", f"--network={NETWORK}",
        f"--label={podman.LABEL}", f"--label=instinct.node={json.dumps(dc.asdict(node))}", "--systemd=always",
        # mounts of its own (a writable /sys, trial builds), device nodes, sshd and sudo
        "--cap-add=SYS_ADMIN,MKNOD,AUDIT_WRITE",
        "--security-opt=apparmor=unconfined", f"--volume={repo}:/srv/repo:ro",
        f"--volume={compiled()}:/var/cache/instinct-sim",
        f"--env=INSTINCT_SIM_PRODUCT={node.product}", f"--env=INSTINCT_SIM_GPUS={node.gpus}", image]
    with network():
        try:
            podman.run(*arguments)
        except SimError:  # seen once in a hundred starts on a busy machine, with no cause found
            podman.run("rm", "--force", "--ignore", "--time=0", node.name)
            podman.run(*arguments)


def wait(name: str) -> None:
    """Wait until systemd is up and sshd answers.

    Raises:
        SimError: it does not in time, or services failed.
    """
    end = time.monotonic() + PATIENCE
    state = ""
    while state not in ("running", "degraded"):
        if time.monotonic() > end or not one(name).running:
            log = podman.run("logs", "--tail=3", name, check=False)
            words = " / ".join((log.stdout + log.stderr).strip().splitlines())
            raise SimError(f"node {name} did not come up (systemd: {state or 'no answer'}): {words or 'no word'}")
        time.sleep(0.1)
        state = command(name, "timeout", "20", "systemctl", "is-system-running", "--wait", check=False).stdout.strip()
    if state == "degraded":
        failed = command(name, "systemctl", "--failed", "--plain", "--no-legend", check=False).stdout.split("\n")
        raise SimError(f"node {name}: services failed: {', '.join(line.split()[0] for line in failed if line.strip())}")
    address = one(name).address
    while True:
        try:
            with socket.create_connection((address, 22), timeout=5) as connection:
                if connection.recv(4) == b"SSH-":
                    return
        except OSError:
            if time.monotonic() > end:
                raise SimError(f"node {name}: sshd at {address} does not answer after {PATIENCE} s") from None
            time.sleep(0.1)


def authorize(name: str) -> None:
    """Let this checkout's key in; an older key, of a checkout that is gone, loses its way in."""
    public = key().with_suffix(".pub").read_text(encoding="utf-8").strip()
    command(name, "sh", "-c", 'echo "$1" > /etc/ssh/instinct-sim.keys', "sh", public)


def drivers() -> dict[str, str]:
    """ROCm releases of the repository, and the driver release that belongs to each."""
    return {release["release"]: release["driver"] for release in debs.table()["rocm"]}


def provision(node: Node) -> None:
    """Install a release by hand, as the vendor's instructions say, for nodes that a fleet finds already in use.

    Raises:
        SimError: it cannot be installed.
    """
    if not node.release:
        return
    done = command(node.name, "/usr/share/instinct-sim/provision", node.release, drivers()[node.release], check=False)
    if done.returncode != 0:
        words = (done.stderr or done.stdout).strip().splitlines()
        why = words[-1] if words else "it does not say why"
        raise SimError(f"node {node.name}: release {node.release} cannot be installed: {why}")


def make_room(count: int, say: Say) -> None:
    """Let this many nodes watch files at the same time: systemd in each of them does, and all count as one user."""
    limit = Path("/proc/sys/fs/inotify/max_user_instances")
    need = WATCHES_ELSEWHERE + WATCHES * count
    if int(limit.read_text(encoding="ascii")) < need:
        say(f"raising this machine's fs.inotify.max_user_instances to {need} until it reboots: {count} nodes need it")
        limit.write_text(f"{need}\n", encoding="ascii")


def kinds() -> list[str]:
    """Names of all images: Debian's suites, and imitations of other distributions."""
    return [*images.suites(), *imitations.names()]


def up(wanted: t.Sequence[Node], say: Say) -> list[str]:
    """Make the nodes that are not there and start those that do not run; returns the names of those it touched.

    Raises:
        SimError: a node exists with another description, or cannot be made.
    """
    products = sorted(path.stem for path in (SIMULATOR / "products").glob("*.json") if "." not in path.stem)
    fleetfile.check(wanted, {"image": kinds(), "product": products, "release": list(drivers())})
    there = every()
    for node in wanted:
        if node.name in there and there[node.name].node != node:
            old = there[node.name].node
            raise SimError(f"node {node.name} exists and is another ({old.product}, {old.gpus} GPUs, {old.image}); "
                           f"remove it first: simfleet rm {node.name}")
    asked = sorted({node.image for node in wanted})
    suites = [name for name in asked if name in images.suites()]
    tags = {image.suite: image.node for image in each(lambda suite: images.build(suite, say), suites)}
    repo = repository.build(say)
    imitated = {it.name: it for it in (imitations.build(name, say) for name in asked if name not in suites)}
    tags.update({name: it.node for name, it in imitated.items()})
    make_room(len(there.keys() | {node.name for node in wanted}), say)

    def bring(node: Node) -> str:
        if node.name in there and there[node.name].running:
            authorize(node.name)
            return ""
        if node.name in there:
            with network():
                podman.run("start", node.name)
        else:
            start(node, tags[node.image], imitated[node.image].root if node.image in imitated else repo)
        wait(node.name)
        authorize(node.name)
        if node.name not in there:
            provision(node)
        say(f"node {node.name}: up")
        return node.name

    return [name for name in each(bring, wanted) if name]


def copy(model: str, names: t.Sequence[str], say: Say) -> None:
    """Make nodes that begin as another one is now: from its files, with its host key and machine id.

    Raises:
        SimError: there is no such node, or one of the names is taken or none.
    """
    seen = one(model)
    wanted = [Node.of({**dc.asdict(seen.node), "name": name}) for name in names]
    taken = sorted(every().keys() & set(names))
    if taken:
        raise SimError(f"node {taken[0]} exists; remove it first: simfleet rm {taken[0]}")
    image = f"{COPIES}:{model}-{time.time_ns()}"  # of its own: nodes may be left from an earlier one
    make_room(len(every()) + len(wanted), say)

    def bring(node: Node) -> None:
        start(node, image, seen.repository)
        wait(node.name)
        say(f"node {node.name}: up")

    with lock("copies", shared=True):  # until its first node is there, the image is one that nobody needs
        podman.run("commit", "--quiet", model, image)
        each(bring, wanted)


def prune() -> list[str]:
    """Remove images, kernels and repositories that neither this checkout nor any node uses; returns their names."""
    current, there = [images.names(suite) for suite in images.suites()], every().values()
    imitated = [imitations.of(name) for name in imitations.names()]
    keep = {name for image in current for name in (image.base, image.node)} | {seen.image for seen in there}
    keep |= {it.node for it in imitated}
    used = {(LOCAL / "repo").resolve(), *(image.kernels for image in current), *(seen.repository for seen in there)}
    used |= {it.root for it in imitated}
    machines = (cache() / "machines").glob("*/machine.json")  # virtual machines install from the same repositories
    used |= {Path(json.loads(path.read_text(encoding="utf-8"))["repository"]) for path in machines}
    listed = podman.run("images", "--format={{.Repository}}:{{.Tag}}", "--filter=reference=localhost/instinct-sim-*")
    old = [name for name in listed.stdout.split() if name not in keep]
    gone = [name for name in old if podman.run("rmi", name, check=False).returncode == 0]
    made = (("kernels", "*-*"), ("packages", "*"), ("rpms", "*"))
    for folder in [path for name, pattern in made for path in (cache() / name).glob(pattern)]:
        if folder not in used:
            shutil.rmtree(folder)
            gone.append(str(folder))
    return gone


def remove(names: t.Sequence[str]) -> None:
    """Remove nodes; what is not there is not missed. Images of copies go with these, the network with the last node."""
    if names:
        podman.run("rm", "--force", "--ignore", "--volumes", "--time=0", *names)
    with lock("copies"):
        there = every()
        listed = podman.run("images", "--format={{.Repository}}:{{.Tag}}", f"--filter=reference={COPIES}")
        for image in set(listed.stdout.split()) - {seen.image for seen in there.values()}:
            podman.run("rmi", image, check=False)
    with lock("network"):
        if not every():
            podman.run("network", "rm", NETWORK, check=False)
