# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Where a process belongs, by its control group: system's units, login, container, pod, job of Slurm.

A path is trusted from its root on only as far as the system's own manager, or an engine, made it. What stands below a
service, a scope or a container is its own work: whoever runs there can call it whatever they like.
"""

from __future__ import annotations

import dataclasses as dc
import re

from .text import cgroup_paths

# source: systemd.slice(5), org.freedesktop.systemd1(5): nested slices, then one service or scope
_LOGIN = re.compile(r"user-([0-9]+)\.slice")
# source: podman-run(1) and the paths of docker, containerd and cri-o under the cgroup drivers systemd and cgroupfs
_CONTAINER = re.compile(
    r"(?:^|[/:-])(?P<engine>docker|cri-containerd|crio|libpod|containerd)(?:[-:/]|-payload-)(?P<id>[0-9a-f]{12,64})")
_LEAF = re.compile(r".*?[^/]\.(?:service|scope)(?=/|$)")
_UID = r"[0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}"
_POD = re.compile(rf"^/(?:[^/]+/)*?kubepods[^/]*/(?:[^/]+/)*?[^/]*pod({_UID})")
_BARE = re.compile(rf"/[^/]*pod{_UID}/(?P<id>[0-9a-f]{{64}})")
# source: slurm.schedmd.com/cgroup_v2.html; with cgroup v1: /slurm/uid_1000/job_12
_SLURM = re.compile(r"^(?:/system\.slice)?/(?:[^/]*slurmstepd\.scope|slurm[^/.]*)(?:/uid_[0-9]+)?/job_([0-9]+)(?:/|$)")
_ENGINES = {"libpod": "podman", "crio": "cri-o", "cri-containerd": "containerd"}


@dc.dataclass(frozen=True)
class Place:
    """What a control group tells.

    Attributes:
        units: the slices, and the service or scope in them, of the system's manager; outermost first.
        login: user id of the login slice.
        engine: podman, docker, containerd, cri-o.
        container: its id.
        pod: uid of a pod of Kubernetes.
        slurm_job: id of a job.
        boxed: whether it says of itself that it is a container, below a service.
    """

    units: tuple[str, ...] = ()
    login: int | None = None
    engine: str | None = None
    container: str | None = None
    pod: str | None = None
    slurm_job: str | None = None
    boxed: bool = False


def place(cgroup: str, own: str = "") -> Place:
    """Read a /proc/<pid>/cgroup text. ``own``: that of process 1, for a machine that is a container itself.

    Containers, pods and jobs within a login are not believed: their user has made that path.
    """
    paths = cgroup_paths(cgroup, own)
    units = max(map(_units, paths), key=len, default=())
    login = next((int(found[1]) for found in map(_LOGIN.fullmatch, units) if found), None)
    if login is not None:
        return Place(units, login)
    pod = engine = container = None
    for path in map(_trusted, paths):
        found = _CONTAINER.search(path) or _BARE.search(path)
        inside = _POD.search(path[:found.end()] if found else path)
        if found and container is None:
            container = found["id"]
            engine = found.groupdict().get("engine")
        pod = pod or (inside[1] if inside else None)
    job = next((found[1] for found in map(_SLURM.search, paths) if found), None)
    boxed = container is None and any(_CONTAINER.search(path) or _BARE.search(path) for path in paths)
    return Place(units, None, _ENGINES.get(engine, engine) if engine else None, container,
                 pod.replace("_", "-") if pod else None, job, boxed)


def _trusted(path: str) -> str:
    """A path as far as the first service or scope."""
    found = _LEAF.match(path)
    return found[0] if found else path


def _units(path: str) -> tuple[str, ...]:
    found: list[str] = []
    for name in path.strip("/").split("/"):
        if not name.endswith((".slice", ".service", ".scope")):
            break
        found.append(name)
        if not name.endswith(".slice"):
            break
    return tuple(found)
