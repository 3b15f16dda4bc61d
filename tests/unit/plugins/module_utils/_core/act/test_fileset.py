# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files of a set must be written, and which sets make no sense."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.fileset import Seen, Wanted, changes, parse
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError

ENTRY = {"path": "/etc/x", "state": "present", "content": "c", "mode": "0644", "directory_mode": "0755"}
FILE = Seen("file", b"c\n", 0, 0, "root", "root", 0o644)
WANTED = Wanted("/etc/x", b"c\n")

REFUSED = {
    "relative path": (
        [{"path": "etc/x"}],
        "etc/x: path is not absolute and plain; name the file from / on, without . and ..",
    ),
    "path with dots": (
        [{"path": "/etc/../x"}],
        "/etc/../x: path is not absolute and plain; name the file from / on, without . and ..",
    ),
    "empty path": ([{"path": ""}], "files: path is not absolute and plain; name the file from / on, without . and .."),
    "content missing": ([{"content": None}], "/etc/x: content is missing; give content, or state absent"),
    "content twice": ([{"base64": "Yw=="}], "/etc/x: content and base64 together; give one of them"),
    "content that is not base64": (
        [{"content": None, "base64": "c!"}],
        "/etc/x: base64 is not base64; encode the content again",
    ),
    "content and absent": (
        [{"state": "absent"}],
        "/etc/x: content and state absent together; give content, or state absent",
    ),
    "mode that YAML made a number": (
        [{"mode": "420"}, {"mode": "1204"}],
        "/etc/x: mode '1204' is not three octal digits; write it quoted, as in \"0644\"",
    ),
    "set-user-id": (
        [{"mode": "4755"}],
        "/etc/x: mode '4755' is not three octal digits; write it quoted, as in \"0644\"",
    ),
    "everybody may write": ([{"mode": "0666"}], "/etc/x: mode 0666 lets everybody write; take the last 2 away"),
    "directory open to everybody": (
        [{"directory_mode": "777"}],
        "/etc/x: directory_mode 777 lets everybody write; take the last 2 away",
    ),
    "validator without %s": (
        [{"validate": "visudo -c"}],
        "/etc/x: validate 'visudo -c' has no %s; put %s where the name of the file to check goes",
    ),
    "same path twice": ([{}, {}], "/etc/x: named twice in one set; name every file once"),
    "file and directory": (
        [{}, {"path": "/etc/x/y"}],
        "/etc/x: is a file and the directory of another in one set; name one of them",
    ),
}


@pytest.mark.parametrize(("entries", "sentence"), REFUSED.values(), ids=REFUSED)
def test_parse_refuses(entries: list[dict[str, t.Any]], sentence: str) -> None:
    with pytest.raises(DataError) as error:
        parse([{**ENTRY, **entry} for entry in entries])
    assert error.value.sentence == sentence


def test_parse_reads_a_file_that_is_no_text() -> None:
    (wanted,) = parse([{**ENTRY, "content": None, "base64": "UEsDBP8="}])
    assert wanted.content == b"PK\x03\x04\xff"


def test_parse_reads_every_option() -> None:
    assert parse(
        [
            {**ENTRY, "owner": "root", "group": "0", "mode": "640", "directory_mode": "0750", "validate": "cat %s"},
            {**ENTRY, "path": "/etc/y", "state": "absent", "content": None},
        ]
    ) == (Wanted("/etc/x", b"c", "root", "0", 0o640, 0o750, "cat %s"), Wanted("/etc/y"))


SAME = {
    "equal": (WANTED, FILE, None),
    "absent and absent": (Wanted("/etc/x"), Seen(), None),
    "owner by name": (dc.replace(WANTED, owner="root", group="root"), FILE, None),
    "owner by number": (dc.replace(WANTED, owner="0", group="0"), FILE, None),
    "owner not asked for": (WANTED, dc.replace(FILE, owner="daemon", uid=1), None),
    "missing": (WANTED, Seen(), "write /etc/x"),
    "other content": (WANTED, dc.replace(FILE, content=b"d\n"), "write /etc/x"),
    "link": (WANTED, Seen("link", target="y"), "write /etc/x (was a link to y)"),
    "mode": (WANTED, dc.replace(FILE, mode=0o600), "set /etc/x to root:root 0644 (was root:root 0600)"),
    "owner": (dc.replace(WANTED, owner="daemon"), FILE, "set /etc/x to daemon:root 0644 (was root:root 0644)"),
    "group": (dc.replace(WANTED, group="render"), FILE, "set /etc/x to root:render 0644 (was root:root 0644)"),
    "should not exist": (Wanted("/etc/x"), FILE, "remove /etc/x"),
    "link should not exist": (Wanted("/etc/x"), Seen("link", target="y"), "remove /etc/x"),
}


@pytest.mark.parametrize(("wanted", "seen", "words"), SAME.values(), ids=SAME)
def test_changes(wanted: Wanted, seen: Seen, words: str | None) -> None:
    assert [c.words for c in changes((wanted,), {"/etc/x": seen})] == ([] if words is None else [words])


def test_changes_never_replaces_a_directory() -> None:
    with pytest.raises(DataError, match=r"^/etc/x: is neither a file nor a link and is not replaced"):
        changes((WANTED,), {"/etc/x": Seen("other")})


def test_diff_of_a_binary_file_shows_its_digest() -> None:
    (change,) = changes((Wanted("/etc/x", b"\xff\x00"),), {"/etc/x": FILE})
    assert change.diff() == {
        "before_header": "/etc/x (root:root 0644)",
        "after_header": "/etc/x (root:root 0644)",
        "before": "c\n",
        "after": "binary, sha256 ea5dbf9596d187e9500f23e9a680109475341cf4e81f7e043f7d97152c10772f\n",
    }


def test_diff_of_a_removed_file() -> None:
    (change,) = changes((Wanted("/etc/x"),), {"/etc/x": FILE})
    assert change.diff() == {
        "before_header": "/etc/x (root:root 0644)",
        "after_header": "/etc/x (absent)",
        "before": "c\n",
        "after": "",
    }
