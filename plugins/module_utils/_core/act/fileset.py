# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A set of files as it should be against what is there: what must be written, in words and as diffs."""

from __future__ import annotations

import base64
import dataclasses as dc
import hashlib
import posixpath
import re
import typing as t

from ..errors import DataError

_MODE = re.compile(r"^0?[0-7]{3}$")
_WORLD_WRITES = 0o002


@dc.dataclass(frozen=True)
class Wanted:
    """One file as it should be. ``content`` None: it should not exist. Owner and group None: left as they are."""

    path: str
    content: bytes | None = None
    owner: str | None = None
    group: str | None = None
    mode: int = 0o644
    directory_mode: int = 0o755
    validate: str = ""

    @property
    def sha256(self) -> str | None:
        """Digest of the wanted content; None if the file should not exist."""
        return None if self.content is None else hashlib.sha256(self.content).hexdigest()


@dc.dataclass(frozen=True)
class Seen:
    """What is at a path. ``kind``: absent, file, link, or other for what is never replaced (a directory, a device)."""

    kind: str = "absent"
    content: bytes = b""
    uid: int = 0
    gid: int = 0
    owner: str = ""
    group: str = ""
    mode: int = 0
    target: str = ""


@dc.dataclass(frozen=True)
class Change:
    """One file to write or to remove."""

    wanted: Wanted
    seen: Seen

    @property
    def words(self) -> str:
        """What is done, with the reason where it is not the content."""
        if self.wanted.content is None:
            return f"remove {self.wanted.path}"
        if self.seen.kind == "link":
            return f"write {self.wanted.path} (was a link to {self.seen.target})"
        if self.seen.kind == "file" and self.seen.content == self.wanted.content:
            return f"set {self.wanted.path} to {_attributes(self.wanted, self.seen)} (was {_was(self.seen)})"
        return f"write {self.wanted.path}"

    def diff(self) -> dict[str, str]:
        """One Ansible diff entry."""
        there, wanted = self.seen.kind == "file", self.wanted
        after = "" if wanted.content is None else f" ({_attributes(wanted, self.seen)})"
        return {
            "before_header": wanted.path + (f" ({_was(self.seen)})" if there else " (absent)"),
            "after_header": wanted.path + (after or " (absent)"),
            "before": _text(self.seen.content) if there else "",
            "after": "" if wanted.content is None else _text(wanted.content),
        }


def _was(seen: Seen) -> str:
    return f"{seen.owner}:{seen.group} {seen.mode:04o}"


def _attributes(wanted: Wanted, seen: Seen) -> str:
    return f"{wanted.owner or seen.owner or 'root'}:{wanted.group or seen.group or 'root'} {wanted.mode:04o}"


def _text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return f"binary, sha256 {hashlib.sha256(content).hexdigest()}\n"


def _mode(where: str, name: str, text: str) -> int:
    if not _MODE.match(text):
        raise DataError(where, f"{name} {text!r} is not three octal digits", 'write it quoted, as in "0644"')
    mode = int(text, 8)
    if mode & _WORLD_WRITES:
        raise DataError(where, f"{name} {text} lets everybody write", "take the last 2 away")
    return mode


def _content(path: str, raw: t.Mapping[str, t.Any]) -> bytes | None:
    text, coded = raw.get("content"), raw.get("base64")
    if coded is None:
        return None if text is None else str(text).encode()
    if text is not None:
        raise DataError(path, "content and base64 together", "give one of them")
    try:
        return base64.b64decode(coded, validate=True)
    except ValueError as error:
        raise DataError(path, "base64 is not base64", "encode the content again") from error


def _parse(raw: t.Mapping[str, t.Any]) -> Wanted:
    path = raw["path"]
    if not path.startswith("/") or posixpath.normpath(path) != path or path == "/":
        raise DataError(path or "files", "path is not absolute and plain", "name the file from / on, without . and ..")
    absent, content = raw["state"] == "absent", _content(path, raw)
    if absent == (content is not None):
        raise DataError(
            path,
            "content and state absent together" if absent else "content is missing",
            "give content, or state absent",
        )
    validate = "" if absent else raw.get("validate") or ""
    if validate and "%s" not in validate:
        raise DataError(path, f"validate {validate!r} has no %s", "put %s where the name of the file to check goes")
    return Wanted(
        path,
        content,
        raw.get("owner"),
        raw.get("group"),
        _mode(path, "mode", raw["mode"]),
        _mode(path, "directory_mode", raw["directory_mode"]),
        validate,
    )


def parse(raw: t.Sequence[t.Mapping[str, t.Any]]) -> tuple[Wanted, ...]:
    """The wanted files from module options.

    Raises:
        DataError: a path is not absolute, named twice or below another; a mode or a validator makes no sense.
    """
    wanted = tuple(_parse(entry) for entry in raw)
    paths = [w.path for w in wanted]
    for path in paths:
        if paths.count(path) > 1:
            raise DataError(path, "named twice in one set", "name every file once")
        if any(other.startswith(path + "/") for other in paths):
            raise DataError(path, "is a file and the directory of another in one set", "name one of them")
    return wanted


def _differs(wanted: Wanted, seen: Seen) -> bool:
    if wanted.content is None:
        return seen.kind != "absent"
    return (
        seen.kind != "file"
        or hashlib.sha256(seen.content).hexdigest() != wanted.sha256
        or seen.mode != wanted.mode
        or wanted.owner not in (None, seen.owner, str(seen.uid))
        or wanted.group not in (None, seen.group, str(seen.gid))
    )


def changes(wanted: t.Sequence[Wanted], seen: t.Mapping[str, Seen]) -> tuple[Change, ...]:
    """The files of the set that are not as wanted, in the order given.

    Raises:
        DataError: something that is not a file stands where one should be.
    """
    for file in wanted:
        if seen[file.path].kind == "other":
            raise DataError(file.path, "is neither a file nor a link and is not replaced", "move it away by hand")
    return tuple(Change(w, seen[w.path]) for w in wanted if _differs(w, seen[w.path]))
