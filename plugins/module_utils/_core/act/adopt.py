# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Modules of another hand: which belong together, and where they are put."""

from __future__ import annotations

import re
import typing as t

from ..errors import DataError
from ..plan.driver_adopt import ADOPTED

# The modules of AMD's driver. source: ROCm/amdgpu:drivers/gpu/drm/amd/dkms/dkms.conf
_MODULE = re.compile(r"^(?:amdgpu|amdttm|amdkcl|amd-sched|amd-backport|amdxcp|amddrm_\w+)\.ko(?:\.(?:xz|zst|gz))?$")
_PATH = re.compile(r"^/(?:usr/)?lib/modules/(?P<kernel>[A-Za-z0-9][A-Za-z0-9.+~_-]*)/(?P<rest>[A-Za-z0-9._/+-]+)$")


def siblings(names: t.Iterable[str]) -> tuple[str, ...]:
    """Those of the names in a directory that are modules of the driver."""
    return tuple(name for name in names if _MODULE.match(name))


def kernel_of(path: str) -> str:
    """The kernel that a module file belongs to.

    Raises:
        DataError: it is not a file below a kernel's directory, or one of the kernel's own.
    """
    match = _PATH.match(path)
    if match is None or ".." in path.split("/") or match["rest"].startswith("kernel/"):
        raise DataError(path, "is not a module of another hand", "give a path below /lib/modules/<kernel>, not kernel/")
    return match["kernel"]


def destination(path: str) -> str:
    """Where the file is put: kernel and path as they were."""
    return f"{ADOPTED}/{kernel_of(path)}/{path.partition('/lib/modules/')[2].partition('/')[2]}"
