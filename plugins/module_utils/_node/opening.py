# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Opening devices as somebody else: a child takes on credentials, joins a slice, and really opens them."""

from __future__ import annotations

import json
import os
import pwd
import re
import sys
import typing as t

from .._core.reservation.verdict_proof import Account, Who
from .apart import UnreadableError
from .machine import Machine

_SECONDS = 30.0
_CARD = re.compile(r"card[0-9]+")
# It begins as root, so that it can be read wherever it lies, and in the slice, whose policy binds root too.
PROGRAM = """
import errno, json, os, sys
who, paths = map(json.loads, sys.argv[1:])
os.setgroups(who["groups"])
os.setgid(who["gid"])
os.setuid(who["uid"])
said = {}
for path in paths:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC))
        said[path] = ""
    except OSError as error:
        said[path] = errno.errorcode.get(error.errno, str(error.errno))
print(json.dumps(said))
"""
# It waits, gives what the program prints, and leaves no unit behind. source: systemd-run(1)
_JOIN = ("systemd-run", "--quiet", "--pipe", "--wait", "--collect")


def attempt(machine: Machine, who: Who, paths: t.Sequence[str]) -> dict[str, str]:
    """Return what came of opening each: the name of the error, or nothing where it opened.

    Raises:
        UnreadableError: it could not be tried.
    """
    if who.account is None:
        raise UnreadableError(who.problem)
    taken = {"uid": who.account.uid, "gid": who.account.gid, "groups": list(who.account.groups)}
    words = [sys.executable, "-I", "-S", "-c", PROGRAM, json.dumps(taken), json.dumps(list(paths))]
    join = [*_JOIN, f"--slice={who.unit}"] if who.unit else []
    ran = machine.run(*join, *words, most=_SECONDS)
    if ran.code and join:  # a manager that has much to do answers late, and then says nothing of the attempt
        ran = machine.run(*join, *words, most=_SECONDS)
    if ran.code:
        said = ran.stderr.strip().splitlines()
        raise UnreadableError(f"it could not be tried: {said[-1] if said else f'it ends with {ran.code}'}")
    answer: dict[str, str] = json.loads(ran.stdout)
    return answer


def account(name: str) -> Account | None:
    """Return a user with all groups, whatever directory knows it; None if none does."""
    try:
        found = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(name, found.pw_uid, found.pw_gid, tuple(os.getgrouplist(name, found.pw_gid)))


def cards(machine: Machine, render_node: str) -> tuple[str, ...]:
    """Return the other door to the same device: its card nodes."""
    beside = machine.names(f"/sys/class/drm/{render_node.rpartition('/')[2]}/device/drm")
    return tuple(f"/dev/dri/{name}" for name in beside if _CARD.fullmatch(name))
