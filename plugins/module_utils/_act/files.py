# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Reading and replacing files: a set is replaced as a whole or not at all."""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import shlex
import stat
import tempfile
import typing as t
import uuid

from .._core.act.fileset import Change, Seen
from .._core.errors import FleetError

Runner = t.Callable[[list[str]], tuple[int, str, str]]
_PREFIX = ".instinct-"


def _name(lookup: t.Callable[[int], t.Any], number: int) -> str:
    try:
        return str(lookup(number)[0])
    except KeyError:
        return str(number)


def see(path: str) -> Seen:
    """What is at a path, links not followed.

    Raises:
        FleetError: the file cannot be read.
    """
    try:
        info = os.lstat(path)
        if stat.S_ISLNK(info.st_mode):
            return Seen("link", target=os.readlink(path))
        if not stat.S_ISREG(info.st_mode):
            return Seen("other")
        with open(path, "rb") as stream:
            content = stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return Seen()
    except OSError as error:
        raise FleetError(path, f"cannot be read: {error.strerror}", "run as root (become: true)") from error
    return Seen(
        "file",
        content,
        info.st_uid,
        info.st_gid,
        _name(pwd.getpwuid, info.st_uid),
        _name(grp.getgrgid, info.st_gid),
        stat.S_IMODE(info.st_mode),
    )


def validate(changes: t.Sequence[Change], run: Runner) -> None:
    """Run every validator on a private copy of its file.

    Raises:
        FleetError: a validator refuses its file.
    """
    to_check = [change.wanted for change in changes if change.wanted.validate]
    for wanted in to_check:
        with tempfile.NamedTemporaryFile(prefix=_PREFIX[1:], suffix="-" + os.path.basename(wanted.path)) as copy:
            copy.write(wanted.content or b"")
            copy.flush()
            code, out, err = run([part.replace("%s", copy.name) for part in shlex.split(wanted.validate)])
        if code:
            said = " ".join((err or out).split()).replace(copy.name, wanted.path) or f"exit code {code}"
            what = f"refused by {wanted.validate.split()[0]}: {said}"
            raise FleetError(wanted.path, what, "no file of the set was replaced")


def _number(path: str, lookup: t.Callable[[str], t.Any], name: str | None, otherwise: int) -> int:
    """The uid or gid of a name or number. Users and groups have their number third."""
    if name is None or name.isdigit():
        return otherwise if name is None else int(name)
    try:
        return int(lookup(name)[2])
    except KeyError as error:
        raise FleetError(path, f"there is no user or group {name}", "create it first") from error


class _Swap:
    """One file on its way: the new one beside the old one, and a way back."""

    def __init__(self, change: Change) -> None:
        self.change = change
        self.path = change.wanted.path
        self.fresh = ""
        self.kept = ""

    def stage(self) -> None:
        """Write the new file beside the old one, complete with owner and mode, and on the disk."""
        wanted, seen = self.change.wanted, self.change.seen
        if wanted.content is None:
            return
        uid = _number(self.path, pwd.getpwnam, wanted.owner, seen.uid if seen.kind == "file" else os.geteuid())
        gid = _number(self.path, grp.getgrnam, wanted.group, seen.gid if seen.kind == "file" else os.getegid())
        handle, self.fresh = tempfile.mkstemp(dir=os.path.dirname(self.path), prefix=_PREFIX)
        with os.fdopen(handle, "wb") as stream:
            stream.write(wanted.content)
            os.fchown(handle, uid, gid)
            os.fchmod(handle, wanted.mode)
            stream.flush()
            os.fsync(handle)

    def swap(self) -> None:
        """Put the old file aside and the new one in its place; the path is never missing while both exist."""
        if self.change.seen.kind != "absent":
            aside = os.path.join(os.path.dirname(self.path), _PREFIX + uuid.uuid4().hex)
            os.link(self.path, aside, follow_symlinks=False)
            self.kept = aside
        if self.fresh:
            os.replace(self.fresh, self.path)
            self.fresh = ""
        else:
            os.unlink(self.path)

    def back(self) -> None:
        """Undo swap, whether it was finished or not."""
        if self.kept:
            os.replace(self.kept, self.path)
            _unlink(self.kept)  # a rename between two names of one file leaves both
            self.kept = ""
        elif self.change.seen.kind == "absent" and not self.fresh:
            _unlink(self.path)

    def clean(self) -> None:
        """Remove what lies beside the file."""
        for path in (self.fresh, self.kept):
            if path:
                _unlink(path)


def _unlink(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def sync_directory(path: str) -> None:
    """What names lie in a directory is on the disk."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove_directory(path: str) -> None:
    with contextlib.suppress(OSError):
        os.rmdir(path)


def _make_parents(change: Change, undo: contextlib.ExitStack) -> None:
    """Create missing parents with the wanted mode, whatever the umask."""
    missing = []
    parent = os.path.dirname(change.wanted.path)
    while not os.path.isdir(parent):
        missing.append(parent)
        parent = os.path.dirname(parent)
    for path in reversed(missing):
        os.mkdir(path)
        undo.callback(_remove_directory, path)
        os.chmod(path, change.wanted.directory_mode)


def _stage(change: Change, undo: contextlib.ExitStack) -> _Swap:
    if change.wanted.content is not None:
        _make_parents(change, undo)
    swap = _Swap(change)
    undo.callback(swap.clean)
    swap.stage()
    return swap


def replace_all(changes: t.Sequence[Change]) -> None:
    """Write and remove all files of the set, or leave every one as it was.

    Raises:
        FleetError: a file could not be written; all files are as they were.
    """
    path = ""
    swaps: list[_Swap] = []
    try:
        with contextlib.ExitStack() as undo:
            for change in changes:
                path = change.wanted.path
                swaps.append(_stage(change, undo))
            for swap in swaps:
                path = swap.path
                undo.callback(swap.back)
                swap.swap()
            undo.pop_all()
    except OSError as error:
        hint = "all files of the set are as they were"
        raise FleetError(path, f"cannot be replaced: {error.strerror}", hint) from error
    for swap in swaps:
        swap.clean()
    for directory in sorted({os.path.dirname(swap.path) for swap in swaps}):
        sync_directory(directory)
