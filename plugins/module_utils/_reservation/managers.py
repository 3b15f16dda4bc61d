# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What reads the texts when it is told to: systemd, and udev where it runs."""

from __future__ import annotations

import os
import typing as t

from .._act import process
from .._core.errors import FleetError
from .._core.reservation import text_udev
from .._core.reservation.text_names import TIMER, UNITS

_LIMIT = 60  # seconds
_SUBSYSTEMS = ("kfd", "drm")
_UDEV = "/run/udev/control"


def stale(units: t.Sequence[str]) -> bool:
    """Whether systemd knows one of these units otherwise than its files say: a run was cut off."""
    if not units:
        return False
    done = process.run(("systemctl", "show", "--property=NeedDaemonReload", "--value", *units), _LIMIT)
    return "yes" in done.out.split()


def told(changed: t.Collection[str], units_stale: bool, there: t.Collection[str]) -> tuple[tuple[str, ...], ...]:
    """Commands to run after files have changed. ``there``: paths of the set that are to be there."""
    commands: list[tuple[str, ...]] = []
    if units_stale or any(path.startswith(f"{UNITS}/") for path in changed):
        commands.append(("systemctl", "daemon-reload"))
    if f"{UNITS}/{TIMER}" in changed:
        commands.append(("systemctl", "restart" if f"{UNITS}/{TIMER}" in there else "stop", TIMER))
    if text_udev.PATH in changed and os.path.exists(_UDEV):
        commands.append(("udevadm", "control", "--reload"))
        if text_udev.PATH not in there:  # what distributions say of these devices holds again
            commands += [("udevadm", "trigger", "--action=change", f"--subsystem-match={name}") for name in _SUBSYSTEMS]
    return tuple(commands)


def tell(commands: t.Iterable[tuple[str, ...]]) -> None:
    """Run them.

    Raises:
        FleetError: one failed.
    """
    for command in commands:
        done = process.run(command, _LIMIT)
        if done.code:
            said = " ".join(done.err.split()) or f"exit code {done.code}"
            raise FleetError(" ".join(command), f"failed: {said}", "read the journal of the node (journalctl -xe)")
