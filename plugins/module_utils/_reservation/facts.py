# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What of a node decides what its settings are worth."""

from __future__ import annotations

import posixpath
import re

from .._core.reservation.text_marks import Facts
from .._core.reservation.text_slurm import Slurm
from .._node.apart import UnreadableError
from .._node.machine import Machine
from .._node.system import CONTAINED

_CGROUP = "/sys/fs/cgroup"
_CONF = "slurm.conf"
_PLUGIN = re.compile(r"(?im)^\s*TaskPlugin\s*=\s*(\S+)")


def seen(machine: Machine, slurm: Slurm) -> Facts:
    """Look. A container has no say over devices. Slurm's own file lies beside those that are written."""
    host = not any(map(machine.exists, CONTAINED))
    controllers = _text(machine, f"{_CGROUP}/cgroup.controllers").split()
    conf = _text(machine, posixpath.join(posixpath.dirname(slurm.cgroup or slurm.gres), _CONF))
    plugins = (_PLUGIN.findall(conf) or [""])[-1].lower().split(",")
    return Facts(policies=host and bool(controllers or machine.folder(f"{_CGROUP}/devices")),
                 cpusets=host and "cpuset" in controllers, constrains="task/cgroup" in plugins)


def _text(machine: Machine, path: str) -> str:
    try:
        return machine.text(path) or "" if path.startswith("/") else ""
    except UnreadableError:
        return ""
