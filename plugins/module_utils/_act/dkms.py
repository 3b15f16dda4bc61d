# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Telling DKMS to build, install and remove versions of the driver, each within a time."""

from __future__ import annotations

import contextlib
import os
import shutil
import typing as t

from .._core.act import dkms_build as core
from .._core.act.trial import why_not
from .._core.errors import FleetError
from .._core.look.shape import DkmsModule
from .._node import dkms
from .._node.machine import Machine
from .process import clean_end, run

ROOT = "/"
TREE = "/var/lib/dkms"


def modules() -> tuple[DkmsModule, ...]:
    """What DKMS knows.

    Raises:
        FleetError: that cannot be read.
    """
    seen = dkms.Question(Machine(ROOT)).answer()
    if seen.unknown:
        raise FleetError("DKMS", next(iter(seen.unknown.values())), "run as root (become: true)")
    return seen.modules


def install(version: str, kernel: str, timeout: float) -> None:
    """Build the version and install it for the kernel. What is on disk for the kernel stays until that is built.

    Raises:
        FleetError: it does not build, or does not end.
    """
    machine = os.uname().machine
    with clean_end():
        shutil.rmtree(os.path.join(TREE, core.MODULE, version, kernel, machine), ignore_errors=True)
        for command in core.commands(version, kernel, machine):
            _run(command, version, f"for {kernel}", timeout)
    core.refuse_unproved(modules(), version, kernel)


def _run(command: t.Sequence[str], version: str, where: str, timeout: float) -> None:
    done = run(command, timeout)
    if done.timed_out:
        what = f"of {core.MODULE} {version} {where} did not end within {timeout:.0f} s"
        raise FleetError(" ".join(command[:2]), what, "read /var/lib/dkms/amdgpu and run again")
    if done.code:
        directory = os.path.join(TREE, core.MODULE, version, "build")
        log = ""
        with contextlib.suppress(OSError), open(os.path.join(directory, "make.log"), encoding="utf-8",
                                                errors="replace") as stream:
            log = stream.read()
        why = why_not(done.code, log, done.out + "\n" + done.err, directory)
        raise FleetError(" ".join(command[:2]), f"of {core.MODULE} {version} {where} failed: {why}",
                         f"read {directory}/make.log")


def forget(version: str, timeout: float) -> None:
    """Remove a version from DKMS and from every kernel. A tree without source goes without dkms, which refuses it.

    What such a tree has installed stays on disk, for it may be all that works.

    Raises:
        FleetError: dkms does not remove it.
    """
    if core.broken(modules(), version):
        _drop(version)
    else:
        _run(["dkms", "remove", "-m", core.MODULE, "-v", version, "--all"], version, "from all kernels", timeout)
    left = core.state(modules(), version, None)
    if left:
        raise FleetError(f"{core.MODULE} {version}", f"is still in DKMS: {left}", "read /var/lib/dkms/amdgpu")


def _drop(version: str) -> None:
    above = os.path.join(TREE, core.MODULE)
    shutil.rmtree(os.path.join(above, version))
    for name in os.listdir(above):
        path = os.path.join(above, name)
        if os.path.islink(path) and not os.path.exists(path):
            os.unlink(path)
