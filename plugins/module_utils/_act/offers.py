# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""apt as it would be with other sources and pins: a private copy of its settings and lists, gone afterwards."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import tempfile
import typing as t

from .._core.act import keyring
from .._core.act.offers import (
    Asked,
    chosen,
    first_error,
    parse_madison,
    refuse_conflict,
    refuse_loss,
    refuse_missing,
    refuse_removal,
)
from .._core.errors import FleetError
from .._node import apt_lists
from .._node.apart import UnreadableError
from .._node.apt_lists import LISTS
from .._node.machine import Machine
from .fetch import fetch
from .files import see
from .process import Done, clean_end, run

ETC = "/etc/apt"
WORK = "/var/tmp"
_QUICK = 120
# Module options for what will be written and installed.
FILE: dict[str, t.Any] = {
    "type": "list",
    "elements": "dict",
    "default": [],
    "options": {
        "path": {"type": "str", "required": True},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "content": {"type": "str"},
        "mode": {"type": "str"},
        "owner": {"type": "str"},
        "group": {"type": "str"},
    },
    "required_if": [("state", "present", ["content"])],
}
KEY: dict[str, t.Any] = {
    "type": "list",
    "elements": "dict",
    "default": [],
    "no_log": False,
    "options": {name: {"type": "str", "required": True, "no_log": False} for name in ("url", "fingerprint", "path")},
}
# For other processes that work on packages, and for the repositories.
WAITS: dict[str, t.Any] = {name: {"type": "int", "default": 300} for name in ("lock_timeout", "timeout")}
# Read after the node's own settings. What hooks do with fresh lists is not for a copy of them.
_SETTINGS = """#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
Dir::State::lists "{work}/lists";
Dir::Cache "{work}/cache";
APT::Sandbox::User "root";
"""


class View:
    """apt with the settings below ``work``."""

    def __init__(self, work: str) -> None:
        self._config = os.path.join(work, "apt.conf")

    def apt(self, argv: t.Sequence[str], timeout: float) -> Done:
        """Run one of apt's programs."""
        return run(argv, timeout, APT_CONFIG=self._config)

    @contextlib.contextmanager
    def for_all(self) -> t.Iterator[None]:
        """Whatever this process runs meanwhile sees apt so."""
        before = os.environ.get("APT_CONFIG")
        os.environ["APT_CONFIG"] = self._config
        try:
            yield
        finally:
            del os.environ["APT_CONFIG"]
            if before is not None:
                os.environ["APT_CONFIG"] = before

    def refresh(self, timeout: float) -> str:
        """Refresh the private lists; return the first error, empty if there was none.

        Raises:
            FleetError: it did not end.
        """
        done = self.apt(["apt-get", "-q", "update"], timeout)
        if done.timed_out:
            raise FleetError("apt-get update", f"did not end within {timeout:.0f} s", "check the mirror and the proxy")
        return first_error(done.err)

    def offered(self, asked: t.Sequence[Asked]) -> dict[str, tuple[str, ...]]:
        """Versions on offer, by name.

        Raises:
            FleetError: apt cannot read its sources.
        """
        done = self.apt(["apt-cache", "madison", *sorted({a.name for a in asked})], _QUICK)
        if done.code:
            why = first_error(done.err) or f"ended with {done.code}"
            raise FleetError("apt-cache", why, "repair its sources first")
        return parse_madison(done.out)

    def rehearse(self, removals: t.Sequence[str]) -> Done:
        """Let apt work out what would go with these packages, holds left out of account."""
        return self.apt(["apt-get", "remove", "--simulate", "-q", "--no-auto-remove", "--allow-change-held-packages",
                         *removals], _QUICK)

    def simulate(
        self, asked: t.Sequence[Asked], offered: t.Mapping[str, t.Sequence[str]], removals: t.Sequence[str],
    ) -> Done:
        """Let apt work out the whole transaction, with these packages gone, and holds of ours left out of account."""
        come = {a.name: f"{a.name}={chosen(a, offered)}" for a in asked}
        names = [*come.values(), *(f"{name}-" for name in removals if name not in come)]  # name-: apt-get(8), remove
        return self.apt(["apt-get", "install", "--simulate", "-q", "--allow-downgrades", "--allow-change-held-packages",
                         "--no-install-recommends", *names], _QUICK)


def ask(
    apt: View, asked: t.Sequence[Asked], removals: t.Sequence[str], together: bool, timeout: float,
) -> tuple[dict[str, tuple[str, ...]], str]:
    """Refresh the lists, ask for every package, then for all together and for what will go.

    Returns what is on offer by name, and what apt says of the whole transaction; empty without ``together``.

    Raises:
        FleetError: a package is missing, they do not go together, or something would go that nobody named.
    """
    trouble = apt.refresh(timeout) if asked else ""
    offered = apt.offered(asked) if asked else {}
    refuse_missing(asked, offered, trouble)
    if together and removals:
        done = apt.rehearse(removals)
        refuse_removal(removals, done.code, done.out, done.err)
    if not (together and asked):
        return offered, ""
    done = apt.simulate(asked, offered, removals)
    refuse_conflict(done.code, done.out, done.err)
    refuse_loss(removals, done.out)
    return offered, done.out


@contextlib.contextmanager
def view(files: t.Sequence[t.Mapping[str, t.Any]], keys: t.Sequence[t.Mapping[str, str]]) -> t.Iterator[View]:
    """apt as it would be with these files written and these keys installed. Files elsewhere than in /etc/apt are none
    of its business.

    Raises:
        FleetError: a key cannot be fetched or is another one; there is no apt here.
    """
    with clean_end(), tempfile.TemporaryDirectory(prefix="instinct-offers-", dir=WORK) as work:
        etc = os.path.join(work, "etc")
        try:
            shutil.copytree(ETC, etc, symlinks=True, ignore_dangling_symlinks=True)
        except shutil.Error as error:
            source, _there, why = error.args[0][0]  # the first of many that say the same
            full = os.strerror(errno.ENOSPC) in why
            where, hint = (work, "make room there, then run again") if full else (source, "run as root (become: true)")
            raise FleetError(where, f"a copy of {ETC} cannot be made: {_said(why)}", hint) from error
        moved = _keys(keys, work)
        for file in files:
            if file["path"].startswith(ETC + "/"):
                _put(etc + file["path"][len(ETC):], None if file.get("state") == "absent" else file["content"], moved)
        _put(os.path.join(etc, "apt.conf.d", "zzzz-instinct"), _SETTINGS.format(work=work), {})
        _put(os.path.join(work, "apt.conf"), f'Dir::Etc "{etc}";\n', {})
        _lists(os.path.join(work, "lists"))
        os.mkdir(os.path.join(work, "cache"))
        yield View(work)


def _said(why: str) -> str:
    """The words of an error of the system, without its number and the files."""
    return re.sub(r"^\[Errno \d+\] ([^:]+)(?:: .*)?$", r"\1", why)


def _keys(keys: t.Sequence[t.Mapping[str, str]], work: str) -> dict[str, str]:
    """Fetch the keys that the node lacks; path where they will be -> path where they are."""
    moved = {}
    for number, key in enumerate(keys):
        if keyring.held(see(key["path"]), key["path"]) != (key["fingerprint"],):
            data = keyring.accepted(fetch(key["url"], _QUICK), key["url"], key["fingerprint"])
            moved[key["path"]] = os.path.join(work, f"key-{number}.gpg")
            with open(moved[key["path"]], "wb") as stream:
                stream.write(data)
    return moved


def _put(path: str, content: str | None, moved: t.Mapping[str, str]) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)  # never written through a link
    if content is None:
        return
    for there, here in moved.items():
        content = content.replace(there, here)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(content)


def torn_lists() -> tuple[str, ...]:
    """Paths of the node's lists that are not whole.

    Raises:
        FleetError: they cannot be read.
    """
    try:
        return apt_lists.torn(Machine(), LISTS)
    except UnreadableError as error:
        raise FleetError(LISTS, f"cannot be read: {error}", "mend that on the node, then run again") from error


def _lists(private: str) -> None:
    """The node's lists, but for those not whole, so that little is fetched: apt replaces files and writes into none."""
    os.makedirs(os.path.join(private, "partial"))
    torn = torn_lists()
    with contextlib.suppress(FileNotFoundError):
        for entry in os.scandir(LISTS):
            if entry.is_file(follow_symlinks=False) and entry.name != "lock" and entry.path not in torn:
                try:
                    os.link(entry.path, os.path.join(private, entry.name))
                except OSError:  # another file system
                    shutil.copy2(entry.path, os.path.join(private, entry.name))
