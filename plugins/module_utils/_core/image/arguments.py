# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a container of a workload must be given on a node: devices, groups, limits, environment. All of it, and no more.

Groups are numbers: those of the node own the device nodes, and an image may know another of the same name, or none.
source: ROCm/ROCm-docker#116; ROCm/rocm-install-on-linux:docs/how-to/docker.rst
"""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import FleetError
from ..near import hint
from ..partition.cdi import ALL
from ..partition.cdi import KIND as GPU
from ..partition.nodes import KFD
from ..reservation.text_cdi import KIND as TENANT
from ..reservation.text_names import RENDER, group
from ..tuning.setting import ENVIRONMENT
from .argument_rules import DEVICE, Rule, Rules

PODMAN, DOCKER, QUADLET = ENGINES = ("podman", "docker", "quadlet")
GROUP, KEEP = "group", "keep-groups"
_NAME = r"[a-zA-Z0-9][a-zA-Z0-9_./:-]*"
_PINNED = re.compile(rf"(?:{_NAME}@)?sha256:[0-9a-f]{{64}}|[0-9a-f]{{64}}|localhost/{_NAME}:(?!latest$)[a-zA-Z0-9_.-]+")
_OF_TENANT = group("")


@dc.dataclass(frozen=True)
class Workload:
    """What is to run.

    Attributes:
        image: by digest, by id, or one that was built here: localhost/name/layer:tag.
        engine: podman, docker, quadlet.
        devices: names of the CDI specification: all, 3, 0000:05:00.0, 0000:05:00.0-3.
        tenant: whose devices it gets, in place of those.
        rdma: whether it speaks to other nodes by RDMA.
        environment: what it has besides; of the same name it counts.
        rootless: whether a user who is not root starts it.
        cdi: whether the engine gives devices by the specification, or by their paths.
    """

    image: str
    engine: str = PODMAN
    devices: tuple[str, ...] = (ALL,)
    tenant: str = ""
    rdma: bool = False
    environment: t.Mapping[str, str] = dc.field(default_factory=dict)
    rootless: bool = False
    cdi: bool = True


@dc.dataclass(frozen=True)
class Node:
    """Where it is to run.

    Attributes:
        devices: name of the CDI specification to the render nodes behind it.
        owners: path of a device node to the number of its group.
        groups: name to number, of all groups.
        products: of its GPUs; None: not known, and ``unknown`` says why.
        rdma: names of its RDMA devices; None: not known.
    """

    devices: t.Mapping[str, tuple[str, ...]]
    owners: t.Mapping[str, int]
    groups: t.Mapping[str, int]
    products: tuple[str, ...] | None
    unknown: str = ""
    rdma: tuple[str, ...] | None = None


@dc.dataclass(frozen=True)
class Argument:
    """One argument: GROUP or a kind of rules, and its value; NAME=value of an environment variable."""

    kind: str
    value: str


def arguments(workload: Workload, node: Node, rules: Rules) -> tuple[Argument, ...]:
    """What the container must be given, devices first.

    Raises:
        FleetError: the image may be another one tomorrow; a device is not there, or is a tenant's; what decides about
            an argument is not known of the node.
    """
    _refuse(workload, node)
    given, several = _tenants(workload, node) if workload.tenant else _gpus(workload, node)
    chosen = [rule for rule in rules.due(several, workload.rdma) if _fits(rule, node)]
    environment = {rule.name: rule.value for rule in chosen if rule.kind == ENVIRONMENT} | dict(workload.environment)
    return (*given, *(Argument(rule.kind, rule.value) for rule in chosen if rule.kind == DEVICE),
            *(Argument(rule.kind, rule.value) for rule in chosen if rule.kind not in (DEVICE, ENVIRONMENT)),
            *(Argument(ENVIRONMENT, f"{name}={value}") for name, value in environment.items()))


def _refuse(workload: Workload, node: Node) -> None:
    if not _PINNED.fullmatch(workload.image):
        raise FleetError(f"image {workload.image!r}", "may be another one tomorrow",
                         "name it by its digest (name@sha256:...) or by its id")
    if workload.rootless and workload.engine == DOCKER:
        raise FleetError("rocm_run_args", "rootless Docker gives no GPUs by CDI and keeps no groups", "use podman",
                         "ROCm/container-toolkit:docs/container-runtime/requirements.rst")
    if KFD not in node.owners:
        raise FleetError("node", f"has no {KFD}", "load the driver (role gpu_driver), and look with section devices")
    if workload.rdma and not node.rdma:
        raise FleetError("node", "has no RDMA device" if node.rdma is not None else "its RDMA devices are not known",
                         "leave rdma out" if node.rdma is not None else "look with section host")


def _gpus(workload: Workload, node: Node) -> tuple[list[Argument], bool]:
    """Devices by name, with the groups that own them; and whether they are several."""
    paths: list[str] = []
    for name in workload.devices:
        if name not in node.devices:
            raise FleetError("devices", f"the node has no device {name!r}",
                             hint(name, node.devices, f"it has {', '.join(node.devices) or 'none'}"))
        paths += [path for path in node.devices[name] if path not in paths]
    if not paths:
        raise FleetError("devices", "names none", "name devices, or all")
    gids = [_gid(node, path) for path in (KFD, *paths)]
    for path, gid in zip(paths, gids[1:]):
        _refuse_reserved(node, path, gid)
    by_name = [f"{GPU}={name}" for name in dict.fromkeys(workload.devices)]
    given = [Argument(DEVICE, one) for one in (by_name if workload.cdi else (KFD, *paths))]
    return given + _groups(workload, gids), len(paths) > 1


def _refuse_reserved(node: Node, path: str, gid: int) -> None:
    """Refuse a device that is not the pool's. Root's group has what several tenants share, and spares.

    The pool is of the group render, which has /dev/kfd too; a node may have another group for that door.
    """
    names = [name for name, number in node.groups.items() if number == gid]
    tenants = [name[len(_OF_TENANT):] for name in names if name.startswith(_OF_TENANT)]
    if tenants:
        raise FleetError("devices", f"{path} is of tenant {tenants[0]}",
                         f"name other devices, or set tenant to {tenants[0]}")
    if gid == 0 and any(name.startswith(_OF_TENANT) for name in node.groups):
        raise FleetError("devices", f"{path} is a spare, or is shared by tenants", "name other devices, or a tenant")
    if gid not in (node.owners[KFD], node.groups.get(RENDER)):
        whose = names[0] if names else f"number {gid}, which has no name on the node"
        raise FleetError("devices", f"{path} is of group {whose}, and the pool's are of {RENDER} or "
                         f"of the group of {KFD}",
                         "name other devices, or give it back to the pool (udev, or the role gpu_reservation)")


def _tenants(workload: Workload, node: Node) -> tuple[list[Argument], bool]:
    """The devices of a tenant, which its specification alone knows: they may be several."""
    name = group(workload.tenant)
    if name not in node.groups:
        known = sorted(one[len(_OF_TENANT):] for one in node.groups if one.startswith(_OF_TENANT))
        raise FleetError("tenant", f"the node has no group {name}, so {workload.tenant!r} has no device there",
                         f"choose one of {', '.join(known)}" if known else "reserve some (role gpu_reservation)")
    if not workload.cdi:
        raise FleetError("tenant", "the devices of a tenant are given by CDI alone", "leave cdi true")
    given = [Argument(DEVICE, f"{TENANT}={workload.tenant}")]
    return given + _groups(workload, [_gid(node, KFD), node.groups[name]]), True


def _gid(node: Node, path: str) -> int:
    if path not in node.owners:
        raise FleetError("node", f"the group of {path} is not known", "look with section devices, as root")
    return node.owners[path]


def _groups(workload: Workload, gids: t.Sequence[int]) -> list[Argument]:
    """Root's group opens nothing that others may not; a user of podman brings the groups along that it has."""
    if workload.rootless:
        return [Argument(GROUP, KEEP)]
    return [Argument(GROUP, str(gid)) for gid in dict.fromkeys(gids)]


def _fits(rule: Rule, node: Node) -> bool:
    fits = rule.fits(node.products)
    if fits is None:
        raise FleetError(f"argument {rule.id}", "depends on the GPUs of the node, which are not known"
                         + (f": {node.unknown}" if node.unknown else ""), "look with section gpus, or mend that")
    return fits
