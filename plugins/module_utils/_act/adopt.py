# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Moving modules of another hand away, to where they can be found and put back."""

from __future__ import annotations

import os
import shutil

from .._core.act.adopt import destination, siblings
from .._core.errors import FleetError
from .process import run

ROOT = "/"


def present(path: str) -> tuple[str, ...]:
    """The module and what belongs to it in the same directory, as far as it is there."""
    directory = os.path.dirname(ROOT.rstrip("/") + path)
    names = sorted(os.listdir(directory)) if os.path.isdir(directory) else []
    return tuple(os.path.join(os.path.dirname(path), name) for name in siblings(names))


def move(path: str, kernel: str, timeout: float) -> None:
    """Move one file away, and tell the kernel's index.

    Raises:
        FleetError: it cannot be moved, or depmod failed.
    """
    target = ROOT.rstrip("/") + destination(path)
    try:
        os.makedirs(os.path.dirname(target), mode=0o755, exist_ok=True)
        shutil.move(ROOT.rstrip("/") + path, target)
    except OSError as error:
        what = f"cannot be moved to {target}: {error.strerror}"
        raise FleetError(path, what, "run as root (become: true)") from error
    done = run(["depmod", kernel], timeout)
    if done.code:
        raise FleetError(f"depmod {kernel}", f"ended with {done.code}: {' '.join(done.err.split())}", "run it by hand")
