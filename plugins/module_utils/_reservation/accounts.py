# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Users and groups of the node."""

from __future__ import annotations

import grp
import os
import pwd
import typing as t

from .._act import process
from .._core.errors import FleetError
from .._core.reservation.text_groups import Seen, Step, login

_LIMIT = 60  # seconds
_PROC = "/proc"


def seen(users: t.Iterable[str]) -> Seen:
    """All groups, those of the users that the node knows, and what groups logins have."""
    uids = {user: _uid(user) for user in users}
    primary: dict[int, tuple[str, ...]] = {}
    for one in pwd.getpwall():
        primary[one.pw_gid] = (*primary.get(one.pw_gid, ()), one.pw_name)
    return Seen({one.gr_name: (one.gr_gid, tuple(one.gr_mem)) for one in grp.getgrall()},
                {user: uid for user, uid in uids.items() if uid is not None}, primary, _logins())


def _uid(user: str) -> int | None:
    try:
        return pwd.getpwnam(user).pw_uid
    except KeyError:
        return None


def _logins() -> dict[int, frozenset[int]]:
    found: dict[int, frozenset[int]] = {}
    for pid in filter(str.isdigit, os.listdir(_PROC)):
        try:
            one = login(*(_text(f"{_PROC}/{pid}/{name}") for name in ("status", "cgroup")))
        except (FileNotFoundError, ProcessLookupError):  # it has ended
            continue
        if one:
            found[one[0]] = found.get(one[0], frozenset()) | one[1]
    return found


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as stream:
        return stream.read()


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
