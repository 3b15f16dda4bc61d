# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Podman and Docker of a node, and the files that they read."""

from __future__ import annotations

from .._act.files import see
from .._core.errors import FleetError
from .._core.image.runtime import PATHS, PODMAN, Seen, docker_version
from .._node.apart import UnreadableError
from .._node.machine import Machine

ROOT = "/"
_PROGRAMS = ("/usr/bin", "/usr/sbin", "/usr/local/bin")
# In the order in which podman reads them. source: containers.conf(5)
_BEFORE = ("/usr/share/containers/containers.conf", "/etc/containers/containers.conf")
_FOLDER = "/etc/containers/containers.conf.d"


def seen() -> Seen:
    """What is there.

    Raises:
        FleetError: something cannot be read, or Docker does not say its version.
    """
    machine = Machine(ROOT)
    try:
        drop_ins = (f"{_FOLDER}/{name}" for name in sorted(machine.names(_FOLDER)) if name.endswith(".conf"))
        texts = ((path, machine.text(path)) for path in (*_BEFORE, *drop_ins) if path != PODMAN)
        others = tuple((path, text) for path, text in texts if text is not None)
        docker = docker_version(machine.run("dockerd", "--version").stdout) if _installed(machine, "dockerd") else None
        files = {path: see(machine.outside(path)) for path in PATHS}
        return Seen(_installed(machine, "podman"), docker, others, files)
    except UnreadableError as error:
        raise FleetError("this node", str(error), "run as root (become: true)") from error


def _installed(machine: Machine, program: str) -> bool:
    return any(machine.exists(f"{folder}/{program}") for folder in _PROGRAMS)
