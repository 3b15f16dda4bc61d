# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A CDI specification, by which container engines give devices to containers.

Devices have the numbers that AMD's toolkit gives them, and names that no change of other GPUs moves. Unlike the
toolkit's, the specification has no cards, which compute does not need, allows no mknod, and leaves numbers and owners
of nodes to the engine, which reads them when a container starts. So the toolkit calls it invalid: it compares.
source: cncf-tags/container-device-interface SPEC.md, pkg/parser; ROCm/container-toolkit internal/cdi/cdi.go
"""

from __future__ import annotations

import re
import typing as t

from ..errors import FleetError
from .nodes import KFD, render_minors
from .shape import LogicalDevice

KIND = "amd.com/gpu"
# The first that allows names that begin with a digit. A newer one would shut out engines for nothing.
VERSION = "0.5.0"
ALL = "all"
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.:-]*[A-Za-z0-9])?", re.ASCII)


def cdi_spec(devices: t.Sequence[LogicalDevice]) -> dict[str, t.Any]:
    """Return the specification: each device as 3 and as 0000:05:00.0-3, each GPU as 0000:05:00.0, and all.

    Raises:
        FleetError: there is no device, which a specification must have; a render node is not known; or a name is none,
            or would be that of two devices.
    """
    if not devices:
        raise FleetError("CDI specification", "would be without a device, which is none", "remove the file")
    paths = {device: f"/dev/dri/renderD{minor}" for device, minor in zip(devices, render_minors(devices))}
    named = [(str(device.index), [path]) for device, path in paths.items()]
    named += [(f"{device.gpu}-{device.partition}", [path]) for device, path in paths.items()]
    named += [(gpu, [path for device, path in paths.items() if device.gpu == gpu])
              for gpu in dict.fromkeys(device.gpu for device in devices)]
    named.append((ALL, list(paths.values())))
    _refuse_names([name for name, _paths in named])
    return {
        "cdiVersion": VERSION,
        "kind": KIND,
        "devices": [{"name": name, "containerEdits": _edits(group)} for name, group in named],
        "containerEdits": _edits([KFD]),
    }


def _refuse_names(names: t.Sequence[str]) -> None:
    for place, name in enumerate(names):
        if name in names[:place]:
            problem = "is there twice"
        elif not _NAME.fullmatch(name):
            problem = f"does not match {_NAME.pattern}"
        else:
            continue
        raise FleetError("CDI specification", f"the name {name!r} of a device {problem}", "look at the node again")


def _edits(paths: t.Sequence[str]) -> dict[str, t.Any]:
    return {"deviceNodes": [{"path": path, "permissions": "rw"} for path in paths]}
