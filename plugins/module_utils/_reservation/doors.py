# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Permissions of device nodes: as they are, and as they should be."""

from __future__ import annotations

import errno
import grp
import os
import re
import stat
import typing as t

from .._core.errors import FleetError
from .._core.reservation.text_access import Access, Node
from .._core.reservation.text_acl import ATTRIBUTE, encoded, granted
from .._core.reservation.text_names import KFD
from .._node.devices import PARTITION
from .._node.machine import Machine

_DRM = "/sys/class/drm"
_NAME = re.compile(r"(card|renderD)\d+", re.ASCII)
_KINDS = {"renderD": "render", "card": "card"}


def nodes(machine: Machine, gpus: t.Collection[str]) -> tuple[Node, ...]:
    """Device nodes of these GPUs and of all partitions, used or not, and that of KFD.

    Raises:
        UnreadableError: the kernel does not say.
    """
    found = [Node(KFD, "kfd")] if machine.exists(KFD) else []
    for name in machine.names(_DRM):
        match, device = _NAME.fullmatch(name), machine.link_name(f"{_DRM}/{name}/device") or ""
        if match and (device in gpus or device.startswith(PARTITION)) and machine.exists(f"/dev/dri/{name}"):
            found.append(Node(f"/dev/dri/{name}", _KINDS[match[1]], device if device in gpus else None))
    return tuple(found)


def seen(path: str) -> Access | None:
    """What a node has; None where it is nothing that we would write, such as an owner that is not root.

    Raises:
        OSError: it cannot be read.
    """
    status, raw = os.stat(path), _list(path)
    gids = () if raw is None else granted(raw)
    if gids is None or status.st_uid:
        return None
    return Access(_name(status.st_gid), stat.S_IMODE(status.st_mode), tuple(sorted(map(_name, gids))))


def put(path: str, wanted: Access) -> None:
    """Set owner, group, mode and list. Meanwhile it is closed.

    Raises:
        OSError: it cannot be set.
        FleetError: there is no such group; nothing is changed.
    """
    gid, gids = _gid(wanted.group), [_gid(name) for name in wanted.groups]
    os.chmod(path, 0)
    os.chown(path, 0, gid)
    if gids:
        os.setxattr(path, ATTRIBUTE, encoded(gids))  # and with it the mode
        return
    if _list(path) is not None:
        os.removexattr(path, ATTRIBUTE)
    os.chmod(path, wanted.mode)


def _list(path: str) -> bytes | None:
    """The access control list; None where there is none, or none can be."""
    try:
        return os.getxattr(path, ATTRIBUTE)
    except OSError as error:
        if error.errno in (errno.ENODATA, errno.EOPNOTSUPP):
            return None
        raise


def _gid(name: str) -> int:
    try:
        return 0 if name == "root" else grp.getgrnam(name).gr_gid
    except KeyError as error:
        raise FleetError(f"group {name}", "does not exist on the node", "run instinct-reservation apply") from error


def _name(gid: int) -> str:
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)
