# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What reads the texts when it is told to: systemd, and udev where it runs."""

from __future__ import annotations

import contextlib
import os
import typing as t

from .._act import process
from .._core.errors import FleetError
from .._core.reservation import text_udev
from .._core.reservation.text_names import TIMER, UNITS

_LIMIT = 60  # seconds
_SUBSYSTEMS = ("kfd", "drm")
_UDEV = "/run/udev/control"
_UNREAD = "/run/instinct-reservation.unread"


def unread() -> bool:
    """Whether a run was cut off before all were told."""
    return os.path.exists(_UNREAD)


def runs(unit: str) -> bool:
    """Whether a unit is active."""
    return process.run(("systemctl", "is-active", "--quiet", unit), _LIMIT).code == 0


def told(changed: t.Collection[str], there: t.Collection[str], reload: bool) -> tuple[tuple[str, ...], ...]:
    """Commands to run after files have changed.

    Args:
        changed: their paths.
        there: paths of the set that are to be there.
        reload: systemd reads its files anew in any case.
    """
    commands: list[tuple[str, ...]] = []
    again, timer, rules = unread(), f"{UNITS}/{TIMER}", text_udev.PATH
    if again or reload or any(path.startswith(f"{UNITS}/") for path in changed):
        commands.append(("systemctl", "daemon-reload"))
    active = runs(TIMER)
    if timer in there and (timer in changed or not active):
        commands.append(("systemctl", "restart", TIMER))
    if timer not in there and active:
        commands.append(("systemctl", "stop", TIMER))
    if (again or rules in changed) and os.path.exists(_UDEV):
        commands.append(("udevadm", "control", "--reload"))
        if rules not in there:  # what distributions say of these devices holds again
            commands += [("udevadm", "trigger", "--action=change", f"--subsystem-match={name}") for name in _SUBSYSTEMS]
    return tuple(commands)


@contextlib.contextmanager
def until_told(commands: t.Sequence[tuple[str, ...]]) -> t.Iterator[None]:
    """Let the next run of this boot tell them all, unless the block comes to its end."""
    if commands:
        os.close(os.open(_UNREAD, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    yield
    with contextlib.suppress(FileNotFoundError):
        os.unlink(_UNREAD)


def settle() -> None:
    """Let udev end what it began by its old rules. One that takes longer is not waited for."""
    if os.path.exists(_UDEV):
        process.run(("udevadm", "settle", "--timeout=20"), _LIMIT)


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
