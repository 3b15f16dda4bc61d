# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""An image or a container on this node: reads it, and has it judged."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from .._core.errors import FleetError
from .._core.formats import inspected
from .._core.image import judge, labels, running
from .._core.image.checks import Checks
from .._core.image.host import Host
from .._core.image.judge import Judgement
from .._core.image.running import Needs
from .._node import verbs
from .._node.apart import UnreadableError
from .._node.machine import Machine
from . import container, labelled, store
from .contents import contents
from .tools import Tools


@dc.dataclass(frozen=True)
class Subject:
    """What is checked: one of these. See the options of rocm_container_check."""

    image: str = ""
    rootfs: str = ""
    archive: str = ""
    labels: t.Mapping[str, str] = dc.field(default_factory=dict)
    container: str = ""
    engine: str = "podman"


def check(subject: Subject, host: Host, needs: Needs, checks: Checks, seconds: float) -> Judgement:
    """What is wrong with it on this node. ``host``: as ``on_node`` has it.

    Raises:
        FleetError: it is not there, or does not run.
    """
    machine, tools = Machine(timeout=seconds), Tools(seconds)
    if subject.container:
        pid = container.first_process(subject.container, subject.engine, tools)
        seen, known = contents(f"/proc/{pid}/root", seconds), container.running(machine, pid)
        container.refuse_ended(machine, pid, subject.container)
        tree = judge.by_tree(seen, host, checks, needs.rdma)
        return judge.both(tree, running.judge(known, host, needs, checks))
    if subject.image:
        return _stored(subject.image, host, needs, checks, tools)
    if subject.rootfs:
        if not machine.folder(subject.rootfs):
            raise FleetError(subject.rootfs, "is not a directory", "name the root of an image's tree")
        return judge.by_tree(contents(subject.rootfs, seconds), host, checks, needs.rdma)
    said = labelled.labels(subject.archive) if subject.archive else inspected.texts(subject.labels, "labels")
    return judge.by_labels(labels.told(said), host, checks, needs.rdma)


def _stored(name: str, host: Host, needs: Needs, checks: Checks, tools: Tools) -> Judgement:
    """An image of podman's store: its tree is mounted while it is read."""
    found = store.named(name, tools)
    root = tools.run(name, "podman", "image", "mount", found.id).strip()
    try:
        return judge.by_tree(contents(root, tools.seconds), host, checks, needs.rdma)
    finally:
        tools.tried("podman", "image", "unmount", found.id)


def on_node(host: Host, seconds: float) -> Host:
    """A node as the control machine knows it, with its RDMA devices, which are read here."""
    try:
        return dc.replace(host, verbs=verbs.devices(Machine(timeout=seconds)))
    except UnreadableError as error:
        return dc.replace(host, unknown={**host.unknown, "verbs": str(error)})
