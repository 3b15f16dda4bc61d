# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Users and groups of the node."""

from __future__ import annotations

import grp
import pwd
import typing as t

from .._act import process
from .._core.errors import FleetError
from .._core.reservation.text_groups import Seen, Step

_LIMIT = 60  # seconds


def seen(users: t.Iterable[str]) -> Seen:
    """All groups, and those of the users that exist."""
    uids = {user: _uid(user) for user in users}
    return Seen({one.gr_name: (one.gr_gid, tuple(one.gr_mem)) for one in grp.getgrall()},
                {user: uid for user, uid in uids.items() if uid is not None})


def _uid(user: str) -> int | None:
    try:
        return pwd.getpwnam(user).pw_uid
    except KeyError:
        return None


def carry_out(steps: t.Iterable[Step]) -> None:
    """Take the steps in their order.

    Raises:
        FleetError: one failed.
    """
    for step in steps:
        done = process.run(step.argv, _LIMIT)
        if done.code:
            said = " ".join((done.err or done.out).split()) or f"exit code {done.code}"
            raise FleetError(step.words, f"failed: {said}", "mend that on the node, then run again")
